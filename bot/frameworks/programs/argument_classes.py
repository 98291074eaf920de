"""What the dataclasses come to that a program hands to its parser, its own and TRL's.

Each is followed through the modules of the repository to the classes that it derives from; those of
TRL and transformers are known by their names.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.programs.trainers import PLAIN, TRAINERS, UNREAD
from bot.frameworks.python.class_options import class_options
from bot.frameworks.python.files import ProgramFiles
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import origins, written

_DEEPEST: Final = 8
"""Files and classes that are followed from one to the next."""
_MOST_CLASSES: Final = 100
"""Classes of a program that are read, each as often as another one names it."""
_FOREIGN: Final = ("trl", "transformers")
"""Packages whose classes the tables of TRL's releases hold."""
_BEFORE: Final = "trl.commands"
"""Where the classes of a script's arguments were before the first release that has a table."""
_OF_BEFORE: Final[Mapping[str, list[Any]]] = {
    "sanity_check": ["sanity_check", "bool", "?", False, None]
}
"""What those of 0.8 and 0.9 had besides (`trl/commands/cli_utils.py`)."""

_COPY: Final = regex(rf"(?:(?<=[a-z\d_])|^)(?:{'|'.join(TRAINERS)})\Z")
"""The end of the name of a class that has TRL's fields itself: `GRPOConfig`, `DiffuGRPOConfig`."""


class OtherTrainerError(LookupError):
    """A class of TRL's that no table has the options of, as some of its experimental part."""


@dataclass(slots=True)
class ArgumentClasses:
    """What the classes of a program come to."""

    sources: ProgramFiles
    trainers: set[str] = field(default_factory=set)
    options: dict[str, list[Any]] = field(default_factory=dict)
    classes: int = 0
    """Those that were read, each as often as another one names it."""
    model: bool = False
    """Whether `ModelConfig` is among them."""
    foreign: bool = False
    """Whether some are of another package."""
    own: bool = False
    """Whether the trainer's class is a copy."""
    plain: bool = False
    """Whether transformers' `TrainingArguments` are among them."""

    def add(self, path: str, name: ast.expr, depth: int = 0) -> None:
        """Add the fields of a class as a module names it.

        LookupError for one that is not known, OtherTrainerError for one of TRL's that is not.
        """
        tree = self.sources.tree(path)
        self.classes += 1
        if tree is None or depth > _DEEPEST or self.classes > _MOST_CLASSES:
            raise LookupError(path)
        text = written(name)
        package, _, last = text.rpartition(".")
        if package.split(".")[0] in _FOREIGN:
            self._add_foreign(package, last)
            return
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == text:
                for base in node.bases:
                    self.add(path, base, depth + 1)
                    copied = _COPY.search(text)
                    if copied is not None and written(base).endswith("TrainingArguments"):
                        self.trainers.add(TRAINERS[copied[0]])
                        self.own = True
                self.options.update(class_options(node))
                return
        self._add_imported(path, tree, text, depth)

    def _add_imported(self, path: str, tree: ast.Module, text: str, depth: int) -> None:
        package, _, last = text.rpartition(".")
        given = origins(tree)[0].get(package or text)
        if not given:
            raise LookupError(text)
        imported, there = given[-1]  # Of two the later one counts.
        module = imported.module or ""
        if package:
            module, there = f"{module}.{there}".lstrip("."), last
        if not imported.level and module.split(".")[0] in _FOREIGN:
            self._add_foreign(module, there)
            return
        target = self.sources.imported(path, imported.level, module)
        if target is None:
            raise LookupError(module)
        self.add(target, ast.Name(there), depth + 1)

    def _add_foreign(self, package: str, name: str) -> None:
        self.foreign = True
        if name in TRAINERS and not package.startswith(UNREAD):
            self.trainers.add(TRAINERS[name])
        elif name == "ModelConfig":
            self.model = True
        elif name == PLAIN:
            self.plain = True
        elif package.startswith(_BEFORE):
            self.options.update(_OF_BEFORE)
        elif name.endswith("Config") and name != "DatasetMixtureConfig":
            raise OtherTrainerError(name)


def classes_of_parser(
    sources: ProgramFiles, tree: ast.Module, path: str, parser: ast.Call
) -> ArgumentClasses:
    """What the classes come to that a parser is given; raises as `ArgumentClasses.add`."""
    found = ArgumentClasses(sources)
    around = Scope.around(tree, parser, ProgramRun(path, sources))
    given, _ = around.value(parser.args[0])
    for one in given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]:
        found.add(path, one)
    return found
