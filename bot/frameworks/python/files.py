"""The files of a repository that a program reads: its modules, and its files of settings."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from bot.frameworks.files.config_files import LIMITS, SUFFIX, ComposeError
from bot.frameworks.files.named_files import NamedFiles, below_unknown, bytes_of, closest, text_of
from bot.frameworks.hydra.compose import Composer
from bot.frameworks.hydra.grammar import parse
from bot.frameworks.hydra.tree import CannotPutError, YamlTree, is_reference, put, resolve
from bot.frameworks.python.hydra_main import HydraMain
from bot.frameworks.python.notebook import PROGRAMS, python_of
from bot.frameworks.python.source import imports, modules_imported, parsed
from bot.shell.words import Word, WrittenFile
from bot.shell.world.tree import SCRIPT_FOLDER

_LIMITS: Final = replace(LIMITS, nodes=5_000)
_SETTINGS: Final = (".yaml", ".yml", ".json")
_BESIDE: Final = f"${{?{SCRIPT_FOLDER.reason}}}/"


class ProgramFiles:
    """The modules of a repository as syntax trees, and its settings as expressions."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are all that count, by path from the root; contents are read on use."""
        self._files = files
        self.modules = NamedFiles(path for path in files if path.endswith(PROGRAMS))
        self._settings = NamedFiles(path for path in files if path.endswith(_SETTINGS))
        self._trees: dict[str, ast.Module | None] = {}
        self._read: dict[str, Any] = {}
        self._expressions: dict[tuple[str, bool], ast.expr] = {}
        self._composers: dict[str, Composer] = {}
        self._imported: dict[tuple[str, int, str], str | None] = {}

    def tree(self, path: str) -> ast.Module | None:
        """A module; None for what is no Python."""
        if path not in self._trees:
            self._trees[path] = parsed(python_of(self._files, path))
        return self._trees[path]

    def named(self, wanted: str, script: str) -> str | None:
        """The program as it is named from the root or a folder above the script, else the closest.

        Of a path below a folder that only a run knows (`${?ROOT}/src/sft.py`) what follows counts,
        and the script's own is known.
        """
        if wanted.startswith(_BESIDE):
            beside = posixpath.join(posixpath.dirname(script), wanted[len(_BESIDE) :])
            if (inside := posixpath.normpath(beside)) in self._files:
                return inside
        rest = below_unknown(wanted)
        if rest != wanted and "/" not in rest:  # `$DIR/sft.py` may lie in any folder.
            return self.modules.at(rest, script)
        if (path := self.modules.at(rest, script)) is not None:
            return path
        found = closest(self.modules.ending(posixpath.normpath(rest).lstrip("./")), script)
        within = rest.partition("/")[2]  # `open-r1/src/open_r1/grpo.py`, from the folder above.
        if rest == wanted and not found and "/" in within and within in self._files:
            return within
        return found[0] if len(found) == 1 else None if found else self.modules.elsewhere(wanted)

    def imported(self, path: str, level: int, module: str) -> str | None:
        """The file of the repository's that a module imports; None where it has none."""
        key = posixpath.dirname(path), level, module
        if key not in self._imported:
            self._imported[key] = self._module(path, level, module)
        return self._imported[key]

    def started_with(self, package: str, path: str) -> bool:
        """Whether a module in the folder of another imports that one and a package from elsewhere.

        Then the package may have changed what the other one imports.
        """
        folder = posixpath.dirname(path)
        beside = (one for one in self._files if posixpath.dirname(one) == folder and one != path)
        for one in beside:
            if not one.endswith(".py") or package.encode() not in bytes_of(self._files, one):
                continue
            if (tree := self.tree(one)) is None:
                continue
            modules = {*modules_imported(tree).values()}
            modules |= {(each.level, each.module or "") for each in imports(tree)}
            whole = any(module.partition(".")[0] == package for _, module in modules)
            if whole and path in (self.imported(one, level, name) for level, name in modules):
                return True
        return False

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

    def settings(self, named: str, program: str, *, resolved: bool = False) -> ast.expr | None:
        """A file of YAML or JSON as the expression of its data; None for what is neither.

        It is looked for from the root, and from the program's folder on upwards. References are
        followed where they are `resolved`, as OmegaConf does. A program may hold the text itself,
        in the place of a name.
        """
        written = "\n" in named or named.lstrip().startswith("{")
        path = named if written else self._settings.at(below_unknown(named), program)
        if path is None and named.startswith("/"):  # On somebody's machine.
            found = [*self._settings.ending("/".join(named.split("/")[-2:]))]
            path = found[0] if len(found) == 1 else None
        if path is None:
            return None
        if path not in self._read:
            self._read[path] = _data_of("", path) if written else self._data(path)
        data = self._read[path]
        if data is None:
            return None
        if (path, resolved) not in self._expressions:
            self._expressions[path, resolved] = _of_data(data, resolved=resolved)
        return self._expressions[path, resolved]

    def _data(self, path: str) -> Any:
        try:
            text = text_of(self._files, path).removeprefix("\ufeff")
        except ComposeError:
            return None
        return _data_of(path, text)

    def composed(self, module: str, main: HydraMain, argv: Sequence[Word]) -> ast.expr | None:
        """What Hydra gives a main function, as the expression of its data; None where it is unsure.

        Of the command line overrides, choices of groups and `--config-name` are known.
        """
        folder = posixpath.normpath(posixpath.join(posixpath.dirname(module), main.config_path))
        name, overrides = _command_line(argv)
        root = (name or main.config_name or "").removesuffix(SUFFIX)
        try:
            if folder not in self._composers:
                self._composers[folder] = Composer(self._below(folder))
            composer = self._composers[folder]
            groups = composer.groups()
            chosen = {key: str(value) for _, key, value in overrides or () if key in groups}
            tree, _ = composer.compose(root, chosen)
            for operator, key, value in overrides or ():
                tree = tree if key in groups else put(tree, key, value, force=bool(operator))
        except (ComposeError, CannotPutError):
            return None
        return _expression(tree, tree) if overrides is not None else None

    def _below(self, folder: str) -> dict[str, bytes]:
        start = f"{folder}/"
        return {
            path.removeprefix(start): bytes_of(self._files, path)
            for path in self._files
            if path.startswith(start) and path.endswith(SUFFIX)
        }


def expression_of(path: str, file: WrittenFile, *, resolved: bool) -> ast.expr | None:
    """A file that a script writes as the expression of its data, as `settings` has those."""
    data = _data_of(path, file.content.text)
    return None if data is None else _of_data(_with_unknown(data, file), resolved=resolved)


def _with_unknown(data: Any, file: WrittenFile) -> Any:
    if isinstance(data, dict):
        return {key: _with_unknown(value, file) for key, value in data.items()}
    if isinstance(data, list):
        return [_with_unknown(one, file) for one in data]
    return file.with_unknown(data) if isinstance(data, str) else data


def _data_of(path: str, text: str) -> Any:
    # PyYAML and omegaconf take long to import, and few programs read a file.
    from bot.frameworks.files.yaml_data import read_yaml

    try:
        return read_yaml(path, text, _LIMITS)
    except ComposeError:
        return None


def _of_data(data: Any, *, resolved: bool) -> ast.expr:
    return _expression(data, data if resolved and isinstance(data, dict) else None)


_Override: TypeAlias = tuple[str, str, Any]


def _command_line(argv: Sequence[Word]) -> tuple[str, list[_Override] | None]:
    """The name of the configuration, and the overrides; None in their place for anything else."""
    name, overrides = "", list[_Override]()
    words = iter(word.text for word in argv)
    for text in words:
        flag, _, value = text.partition("=")
        if flag in ("--config-name", "-cn"):
            name = value or next(words, "")
            continue
        hole = "${?" in value and "${?" not in flag
        found = ("", flag, "${?}") if hole else parse(text)
        if text.startswith("-") or isinstance(found, str) or found[0] == "~":
            return name, None
        overrides.append(found)
    return name, overrides


def _expression(data: Any, whole: YamlTree | None, path: tuple[str, ...] = ()) -> ast.expr:
    """Data as it would be written out; a text with a reference is a name that nothing gives.

    In the `whole` of a configuration, where that is given, references are followed.
    """
    if whole is not None and is_reference(data):
        data = resolve(whole, data, path)
    if isinstance(data, dict):
        keys: list[ast.expr | None] = [ast.Constant(key) for key in data]
        values = [_expression(value, whole, (*path, str(key))) for key, value in data.items()]
        return ast.Dict(keys, values)
    if isinstance(data, list):
        each = enumerate(data)
        return ast.List([_expression(one, whole, (*path, str(n))) for n, one in each], ast.Load())
    known = isinstance(data, (str, int, float, bool, type(None))) and not is_reference(data)
    return ast.Constant(data) if known else ast.Name(str(data), ast.Load())
