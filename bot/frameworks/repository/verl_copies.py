"""The copies of verl in a repository: their configuration, and what their Python says.

Of several the one nearest to a script counts; where two of the same distance differ, none does. The
configuration is composed as data, the Python read as syntax trees for the checks that it makes and
the names that it knows; nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.frameworks.files.named_files import bytes_of, nearest_named, text_of
from bot.frameworks.hydra.config_tree import ConfigTree, tree_table
from bot.frameworks.python.source import parsed, written

CONFIG: Final = "verl/trainer/config"
"""Where a copy of verl keeps its configuration."""
CONFIG_FILE: Final = regex(r"((?:.{1,400}/)?verl/trainer/config)/(.{1,400}\.yaml)\Z")
"""A file of it; the groups are the folder and the path within."""
_SUBMODULE: Final = regex(r"(?m)^[ \t]*path[ \t]*=[ \t]*((?:[^\s\"]{1,400}/)?verl)[ \t]*$")
"""The path of one in `.gitmodules`."""
_MOST_COPIES: Final = 3
"""Copies that are as near to a script as each other."""
_FILES: Final = (
    "trainer/ppo/ray_trainer.py",  # Refuses settings at the start until 0.5, the next since.
    "utils/config.py",
    "workers/config/actor.py",
    "workers/config/critic.py",
    "workers/config/distillation.py",
    "workers/config/optimizer.py",
    "workers/config/rollout.py",
    "trainer/ppo/core_algos.py",  # Look up the names that settings give.
    "trainer/distillation/losses.py",
    "trainer/ppo/rollout_corr_helper.py",
    "trainer/main_ppo.py",
    "trainer/ppo/v1/trainer_separate_async.py",
    "workers/rollout/vllm_rollout/vllm_rollout_spmd.py",
)
"""Files below verl's package."""
_WORD: Final = regex(r"\w+")
_IMPORTS: Final = (("from ", "."), ("from ", " import "), ("import ", "."))
_WHOLE: Final = "protocol.py"
"""A file of every copy of verl that is there where the whole package is, and not a selection."""
_DECLARED: Final = ("trainer/config/", "workers/config/")
"""Folders of the package that only declare settings."""
_CLASSES: Final = (*_DECLARED, "utils/profiler/", "base_config.py")
"""Where the classes stand that sections of settings become objects of."""
_DEEPEST: Final = 6
"""Classes above a class that are looked at."""
_NO_FIELDS: Final = ("object", "ABC", "collections.abc.Mapping")
"""Bases that add none."""


class _File:
    """One file, parsed when it is asked about."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tree(self) -> ast.Module | None:
        """None of what cannot be read."""
        return parsed(self.text)

    @cached_property
    def conditions(self) -> Sequence[frozenset[str]]:
        return tuple(_conditions(self.tree)) if self.tree is not None else ()

    @cached_property
    def constants(self) -> frozenset[str]:
        nodes = ast.walk(self.tree) if self.tree is not None else ()
        constants = (node.value for node in nodes if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))


class VerlSource:
    """The files of a copy of verl; only those that hold a name are parsed for it."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes the texts of the files that count."""
        self._files = [_File(text) for text in texts]

    def refuses(self, *names: str) -> bool:
        """Whether it still refuses settings by a condition with all of these names.

        A name is the end of one with dots, as `actor.ppo_mini_batch_size`. Also true of a copy in
        which no file can be read: what verl's releases do then counts.
        """
        last = [name.rpartition(".")[2] for name in names]
        return any(
            all(any(f".{dotted}".endswith(f".{name}") for dotted in found) for name in names)
            for file in self._files
            if all(name in file.text for name in last)
            for found in file.conditions
        ) or all(file.tree is None for file in self._files)

    def has(self, name: str) -> bool:
        """Whether it writes a name as a text, as where it registers or compares it."""
        return any(name in file.text and name in file.constants for file in self._files)


class VerlCopies:
    """The copies of verl in a repository, by the folder of their configuration."""

    def __init__(
        self, files: Mapping[str, bytes], left: Collection[str] = (), cut: str | None = None
    ) -> None:
        """`files` are all that count, by path; contents are read on use.

        `left` are files and folders that were left out, `cut` says why not all were looked for.
        """
        self._files = files
        self._left = left
        self._cut = cut
        found: dict[str, list[str]] = {}
        for path in sorted(path for path in files if f"{CONFIG}/" in path):
            if (parts := CONFIG_FILE.match(path)) is not None:
                found.setdefault(parts[1], []).append(parts[2])
        self.folders: Mapping[str, list[str]] = _startable(found, files)
        """Folder to the paths of the configuration's files in it."""
        self._trees: dict[str, ConfigTree | str] = {}
        self._sources: dict[str, VerlSource] = {}
        self._mentioned: dict[tuple[str, str], bool] = {}
        self._fields: dict[tuple[str, str], frozenset[str] | None] = {}

    def _near(self, script: str) -> list[str]:
        """The copies that are nearest to a script, by name: more than one is an open choice.

        None where a submodule of verl is nearer, which is another repository's and not here.
        """
        near = nearest_named((*self.folders, *self._elsewhere), CONFIG, script)
        return near if self.folders.keys() >= set(near) else []

    @cached_property
    def _elsewhere(self) -> Sequence[str]:
        """Where submodules that are called verl would have their configuration."""
        text = text_of(self._files, ".gitmodules") if ".gitmodules" in self._files else ""
        places = (found[1] for found in _SUBMODULE.finditer(text))
        return [place for path in places if (place := f"{path}/{CONFIG}") not in self.folders]

    def _nearest(self, script: str) -> str | None:
        return next(iter(self._near(script)), None)

    def beside(self, script: str, folders: set[str]) -> set[str]:
        """Those of several folders that stand beside the copy above a script, where some do."""
        base = (self._nearest(script) or "").removesuffix(CONFIG)
        within = {folder for folder in folders if base and folder.startswith(base)}
        return within if within and script.startswith(base) else folders

    def paths(self, script: str) -> Iterator[str]:
        """The files that count of the copies that are nearest to a script."""
        for folder in self._near(script)[:_MOST_COPIES]:
            yield from (f"{folder}/{name}" for name in self.folders[folder])
            yield from self._python(folder)

    def tree(self, script: str) -> ConfigTree | None:
        """The configuration of verl that is nearest to a script; None without one.

        Also None for one that cannot be read: `problem` says why.
        """
        folder = self._nearest(script)
        found = self.tree_in(folder) if folder is not None and not self.unsure(script) else None
        return found if isinstance(found, ConfigTree) else None

    def unsure(self, script: str) -> str:
        """Why none of several copies of verl counts for a script; empty where one does."""
        copies = self._near(script)[:_MOST_COPIES]
        if len(copies) == 1:
            return ""
        texts = [
            {name: bytes_of(self._files, f"{copy}/{name}") for name in self.folders[copy]}
            for copy in copies
        ]
        if all(text == texts[0] for text in texts):
            return ""
        names = ", ".join(copies)
        return message(
            "which of {names} counts is not known; --framework-tree says so", names=names
        )

    def holds(self, tree: ConfigTree) -> bool:
        """Whether a configuration is that of one of the copies."""
        return any(tree is own for own in self._trees.values())

    def source(self, script: str) -> VerlSource | None:
        """The Python of the copy that is nearest to a script; None without one."""
        folder = self._nearest(script)
        if folder is not None and folder not in self._sources:
            texts = [text_of(self._files, path) for path in self._python(folder)]
            self._sources[folder] = VerlSource(texts)
        return self._sources[folder] if folder is not None else None

    def text(self, script: str, name: str) -> str:
        """A file of the package nearest to a script, such as `protocol.py`; empty without it."""
        package = (self._nearest(script) or "").removesuffix("trainer/config")
        path = f"{package}{name}"
        return text_of(self._files, path) if package and path in self._files else ""

    def fields(self, script: str, target: str) -> frozenset[str] | None:
        """The fields of the class that a `_target_` of the copy nearest to a script names.

        None for a class that is not in the files of such classes, or not once, or that takes its
        arguments itself.
        """
        folder = self._nearest(script) or ""
        package = folder.removesuffix("trainer/config")
        if (folder, target) not in self._fields:
            name, known = target.rpartition(".")[2], target.startswith("verl.")
            texts = [text_of(self._files, path) for path in self._classes(package)] if known else []
            self._fields[folder, target] = _fields(name, texts, _DEEPEST)
        return self._fields[folder, target]

    def _classes(self, package: str) -> list[str]:
        """The files of a package in which the classes of settings stand."""
        below = tuple(f"{package}{folder}" for folder in _CLASSES)
        return [path for path in self._files if path.startswith(below) and path.endswith(".py")]

    def mentions(self, script: str, word: str) -> bool | None:
        """Whether the copy nearest to a script has a word outside of what declares settings.

        None without a copy, and where not all of its Python is there.
        """
        folder = self._nearest(script)
        package = (folder or "").removesuffix("trainer/config")
        if folder is None or f"{package}{_WHOLE}" not in self._files:
            return None
        if (folder, word) not in self._mentioned:
            declared = tuple(f"{package}{name}" for name in _DECLARED)
            within = (one for one in self._below(package) if not one.startswith(declared))
            beside = (one for other in self._imported(package) for one in self._below(other))
            self._mentioned[folder, word] = any(
                word.encode() in (data := self._files[path])
                and word in _WORD.findall(data.decode("utf-8", "replace"))
                for path in chain(within, beside)
            )
        return self._mentioned[folder, word]

    def _below(self, folder: str) -> Iterator[str]:
        return (one for one in self._files if one.startswith(folder) and one.endswith(".py"))

    def _imported(self, package: str) -> Iterator[str]:
        """The folders beside a package whose modules it imports, as verl-agent's `agent_system`."""
        above = package.removesuffix("verl/")
        parts = (one[len(above) :].partition("/") for one in self._below(above))
        for name in sorted({name for name, slash, _ in parts if slash} - {"verl"}):
            ways = tuple(f"{way}{name}{end}".encode() for way, end in _IMPORTS)
            if any(way in self._files[path] for path in self._below(package) for way in ways):
                yield f"{above}{name}/"

    def tree_in(self, folder: str) -> ConfigTree | str:
        """The configuration in a folder of `folders`, or why it was not read."""
        if folder in self._trees:
            return self._trees[folder]
        complete = not any(f"{path}/".startswith(f"{folder}/") for path in self._left)
        if self._cut is not None and not complete:
            self._trees[folder] = self._cut
            return self._cut
        files = {name: bytes_of(self._files, f"{folder}/{name}") for name in self.folders[folder]}
        called = message("{path} of this repository", path=folder)
        try:
            self._trees[folder] = tree_table(files, called, vendored=True, complete=complete)
        except UserError as error:
            self._trees[folder] = sentence_of(error)
        return self._trees[folder]

    def problem(self, script: str) -> str | None:
        """Why the configuration nearest to a script was not read; None when it was, or is none."""
        if self.tree(script) is not None:
            return None
        found = self._trees.get(self._nearest(script) or "")
        return found if isinstance(found, str) else self._cut

    def _python(self, config: str) -> tuple[str, ...]:
        """The Python that counts of the copy with this configuration."""
        package = config.removesuffix("trainer/config")
        return tuple(path for name in _FILES if (path := f"{package}{name}") in self._files)


def _fields(name: str, texts: Sequence[str], left: int) -> frozenset[str] | None:
    """The fields of a data class and of those above it; None as `VerlCopies.fields` has it."""
    marks = (f"class {name}(", f"class {name}:")
    trees = [parsed(text) for text in texts if any(mark in text for mark in marks)]
    classes = [
        node
        for tree in trees
        for node in (tree.body if tree is not None else ())
        if isinstance(node, ast.ClassDef) and node.name == name
    ]
    if len(classes) != 1 or not left:
        return None
    (node,) = classes
    if any(isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in node.body):
        return None
    named = (one.target for one in node.body if isinstance(one, ast.AnnAssign))
    found = frozenset(one.id for one in named if isinstance(one, ast.Name))
    for base in map(written, node.bases):
        above = frozenset() if base in _NO_FIELDS else _fields(base, texts, left - 1)
        if above is None:
            return None
        found |= above
    return found


def _startable(configs: dict[str, list[str]], paths: Collection[str]) -> dict[str, list[str]]:
    """Of copies of verl's configuration those with a program beside, where any has one.

    One without is a copy of the settings alone: what a script starts lies elsewhere.
    """
    if len(configs) < 2:
        return configs
    folders = {path.rpartition("/")[0] for path in paths if path.endswith(".py")}
    found = {one: names for one, names in configs.items() if one.rpartition("/")[0] in folders}
    return found or configs


def _conditions(tree: ast.Module) -> Iterator[frozenset[str]]:
    """The names in each condition that stops the program, with their dots."""
    for node in ast.walk(tree):
        stops = isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body)
        if stops or isinstance(node, ast.Assert):
            assert isinstance(node, (ast.If, ast.Assert))  # noqa: S101 - for the type checker
            inner = ast.walk(node.test)
            yield frozenset(written(n) for n in inner if isinstance(n, (ast.Attribute, ast.Name)))
