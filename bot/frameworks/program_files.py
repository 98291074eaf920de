"""The files of a repository that a program reads: its modules, and its files of settings."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Mapping
from typing import Any, Final

from bot.frameworks.config_files import LIMITS, ComposeError
from bot.frameworks.named_files import NamedFiles, below_unknown, closest, text_of
from bot.frameworks.python_source import parsed

_SETTINGS: Final = (".yaml", ".yml", ".json")


class ProgramFiles:
    """The modules of a repository as syntax trees, and its settings as expressions."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are all that count, by path from the root; contents are read on use."""
        self._files = files
        self.modules = NamedFiles(path for path in files if path.endswith(".py"))
        self._settings = NamedFiles(path for path in files if path.endswith(_SETTINGS))
        self._trees: dict[str, ast.Module | None] = {}
        self._read: dict[str, ast.expr | None] = {}
        self._imported: dict[tuple[str, int, str], str | None] = {}

    def tree(self, path: str) -> ast.Module | None:
        """A module; None for what is no Python."""
        if path not in self._trees:
            self._trees[path] = parsed(text_of(self._files, path))
        return self._trees[path]

    def named(self, wanted: str, script: str) -> str | None:
        """The program as it is named from the root or a folder above the script, else the closest.

        Of a path below a folder that only a run knows (`${?ROOT}/src/sft.py`) what follows counts.
        """
        rest = below_unknown(wanted)
        if rest != wanted and "/" not in rest:  # `$DIR/sft.py` may lie in any folder.
            return self.modules.at(rest, script)
        wanted = rest
        if (path := self.modules.at(wanted, script)) is not None:
            return path
        found = closest(self.modules.ending(posixpath.normpath(wanted).lstrip("./")), script)
        return found[0] if len(found) == 1 else None

    def imported(self, path: str, level: int, module: str) -> str | None:
        """The file of the repository's that a module imports; None where it has none."""
        key = posixpath.dirname(path), level, module
        if key not in self._imported:
            self._imported[key] = self._module(path, level, module)
        return self._imported[key]

    def _module(self, path: str, level: int, module: str) -> str | None:
        folder = path
        for _ in range(level):
            folder = posixpath.dirname(folder)
        for end in (".py", "/__init__.py"):
            wanted = f"{module.replace('.', '/')}{end}"
            beside = posixpath.join(folder, wanted)
            target = beside if level else self.named(wanted, path)
            if target is not None and target in self._files:
                return target
        return None

    def settings(self, named: str, program: str) -> ast.expr | None:
        """A file of YAML or JSON as the expression of its data; None for what is neither.

        It is looked for from the root, and from the program's folder on upwards.
        """
        path = self._settings.at(below_unknown(named), program)
        if path is None and named.startswith("/"):  # On somebody's machine.
            found = [*self._settings.ending("/".join(named.split("/")[-2:]))]
            path = found[0] if len(found) == 1 else None
        if path is None:
            return None
        if path not in self._read:
            self._read[path] = self._data(path)
        return self._read[path]

    def _data(self, path: str) -> ast.expr | None:
        # PyYAML and omegaconf take long to import, and few programs read a file.
        from bot.frameworks.yaml_data import read_yaml

        try:
            text = text_of(self._files, path).removeprefix("\ufeff")
            return _expression(read_yaml(path, text, LIMITS))
        except ComposeError:
            return None


def _expression(data: Any) -> ast.expr:
    """Data as it would be written out; a text with a reference is a name that nothing gives."""
    if isinstance(data, dict):
        keys: list[ast.expr | None] = [ast.Constant(key) for key in data]
        return ast.Dict(keys, [_expression(value) for value in data.values()])
    if isinstance(data, list):
        return ast.List([_expression(value) for value in data], ast.Load())
    if isinstance(data, str) and "${" in data:
        return ast.Name(data, ast.Load())
    return ast.Constant(data)
