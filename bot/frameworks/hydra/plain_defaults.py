"""Composition of files whose defaults lists are plain, without Hydra, in a tenth of the time.

Plain entries are `_self_`, `file`, `group: option`, `group@package: option`, either of the two with
`override` before it, and options that name the choice of another group (`${engine}_actor`). The
order of the files, their packages and the choices are those of hydra-core 1.3
(`hydra/_internal/defaults_list.py`); whatever else a list holds, and all that Hydra would refuse,
is left to Hydra.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.files.config_files import SUFFIX, ComposeError, ConfigLimits
from bot.frameworks.hydra.config_folder import PACKAGE, ConfigFolder, normal, overlaid
from bot.frameworks.hydra.tree import YamlTree

_SELF: Final = "_self_"
_ENTRY = regex(
    r"(?P<override>override )?(?P<path>/?(?:[\w.-]+/)*[\w.-]+)(?:@(?P<package>@?\w+(?:\.\w+)*))?\Z",
    re.ASCII,
)
_OPTION = regex(r"(?:[\w.-]|\$\{\w+\})+\Z", re.ASCII)
_CHOICE = regex(r"\$\{(\w+)\}", re.ASCII)
_KEYWORD = regex(r"_(?:global|group|here|name)_")
_HEADER = regex(r"#\s*@")
_GLOBAL = regex(r"#\s*@package\s+_global_\Z")


class NotPlainError(Exception):
    """Hydra itself has to say."""


@dataclass(slots=True)
class _Entry:
    """An entry of a defaults list, or the root."""

    path: str
    """Of a file, or of a group."""
    option: str | None = None
    """None for a file."""
    package: str | None = None
    override: bool = False
    base: str = ""
    """The group that the list stands in."""
    above: str = ""
    """The package that the list stands in."""
    everywhere: bool = False
    """Whether its file's header puts it at the root (`# @package _global_`)."""

    @property
    def group(self) -> str:
        """The path of its group."""
        base = "" if self.path.startswith("/") else self.base
        return "/".join(filter(None, (base, self._own_group)))

    @property
    def file(self) -> str:
        """The path of its file, without `.yaml`."""
        name = self._relative_path.rpartition("/")[2] if self.option is None else self.option
        return f"{self.group}/{name}" if self.group else name

    @property
    def _relative_path(self) -> str:
        return self.path.removeprefix("/")

    @property
    def _own_group(self) -> str:
        path = self._relative_path
        return path if self.option is not None else path.rpartition("/")[0]

    def final_package(self, *, header: bool = True) -> str:
        """Where its file is put; `header`: whether the file's own header counts."""
        if self.package is None and header and self.everywhere:
            return ""
        package = self.package
        if package is None:
            package = self._own_group.replace("/", ".")
        return ".".join(part for part in (self.above, package) if part)

    @property
    def key(self) -> str:
        """What an override calls its group."""
        package = self.final_package(header=False)
        usual = self.group.replace("/", ".") == package
        return self.group if usual else f"{self.group}@{package or '_global_'}"


@dataclass(slots=True)
class _Walk:
    """One composition."""

    folders: Sequence[ConfigFolder]
    limits: ConfigLimits
    wanted: dict[str, str]
    """Group key → option that stands in the place of the list's own."""
    used: set[str] = field(default_factory=set)
    choices: dict[str, str] = field(default_factory=dict)
    loads: int = 0
    nodes: int = 0

    def folder_of(self, entry: _Entry) -> tuple[ConfigFolder, str]:
        """Where the file of an entry is, and its path there."""
        path = normal(entry.file)
        if path.endswith((SUFFIX, ".yml")):
            raise NotPlainError
        for folder in self.folders:
            if path + SUFFIX in folder.files:
                return folder, path + SUFFIX
        raise NotPlainError

    def load(self, entry: _Entry, *, listing: bool, times: int = 1) -> tuple[ConfigFolder, str]:
        """As `folder_of`, counted as Hydra's own composition counts it."""
        folder, path = self.folder_of(entry)
        self.loads += times
        self.nodes += times * folder.cost(path, listing=listing)
        if self.loads > self.limits.loads or self.nodes > self.limits.nodes:
            raise NotPlainError
        return folder, path

    def files(self, entry: _Entry, *, deferred: bool = False) -> list[tuple[_Entry, bool]]:
        """The files that an entry brings, in order, and whether each stands for its own list.

        `deferred`: whether it is below an option that names another choice.
        """
        folder, path = self.load(entry, listing=True, times=2)
        read = folder.read(path)
        entry.everywhere = _is_global(read.head)
        self._choose(entry)
        listed = _entries(read.data)
        for one in listed:
            one.base, one.above = entry.group, entry.final_package()
        self._override(listed, deferred=deferred)
        found: list[list[tuple[_Entry, bool]]] = []
        waiting: list[tuple[int, _Entry]] = []
        for one in reversed(listed):
            if one.override:
                continue
            if one.path == _SELF:
                found.append([(entry, True)])
                continue
            if one.option is not None and one.key in self.wanted:
                self.used.add(one.key)
                one.option = self.wanted[one.key]
            if one.option is not None and "$" in one.option:
                waiting.append((len(found), one))
                found.append([])
            else:
                found.append(self.files(one, deferred=deferred))
        known = dict(self.choices)
        for at, one in waiting:
            one.option = _resolved(one.option or "", known)
            found[at] = self.files(one, deferred=True)
        if not found:
            return [(entry, False)]
        return [each for several in reversed(found) for each in several]

    def _choose(self, entry: _Entry) -> None:
        if entry.option is not None and self.choices.setdefault(entry.key, entry.option) != (
            entry.option
        ):
            raise NotPlainError

    def _override(self, listed: Iterable[_Entry], *, deferred: bool) -> None:
        overriding = False
        for one in listed:
            if one.path == _SELF:
                continue
            if one.override:
                if deferred:
                    raise NotPlainError
                overriding = True
                self.wanted.setdefault(one.key, one.option or "")
            elif overriding:
                raise NotPlainError


def compose_plainly(
    folders: Sequence[ConfigFolder], limits: ConfigLimits, root: str, chosen: Mapping[str, str]
) -> tuple[YamlTree, dict[str, str], int]:
    """As `memory_source.compose`, with the values that were loaded; raises NotPlainError."""
    if not all(_OPTION.match(o) and "$" not in o for o in chosen.values()):
        raise NotPlainError
    if not all(any(normal(k.split("@")[0]) in f.groups for f in folders) for k in chosen):
        raise NotPlainError
    if _KEYWORD.search(root):
        raise NotPlainError
    walk = _Walk(folders, limits, dict(chosen))
    try:
        files = walk.files(_Entry(root))
    except (ComposeError, RecursionError):  # Hydra says which file it refuses first.
        raise NotPlainError from None
    keys = [entry.key for entry, own in files if not own and entry.option is not None]
    if len(keys) != len(set(keys)) or walk.used != set(walk.wanted):
        raise NotPlainError
    tree: dict[str, Any] = {}
    for entry, _ in files:
        folder, path = walk.load(entry, listing=False)
        data = folder.plain(path)
        package = entry.final_package()
        usual = PACKAGE.fullmatch(package) and package.count(".") <= limits.package
        if data is None or not usual:
            raise NotPlainError
        for part in filter(None, reversed(package.split("."))):
            data = {part: data}
        if not overlaid(tree, data):
            raise NotPlainError
    return tree, walk.choices, walk.nodes


def _entries(data: Any) -> list[_Entry]:
    """The defaults list of a file; raises NotPlainError for one that is not plain."""
    if data is None:
        return []
    if not isinstance(data, dict):
        raise NotPlainError
    listed = data.get("defaults", [])
    if not isinstance(listed, list):
        raise NotPlainError
    entries = [_entry(item) for item in listed]
    own = sum(entry.path == _SELF for entry in entries)
    if own > 1:
        raise NotPlainError
    if not own and any(not entry.override for entry in entries):
        entries.append(_Entry(_SELF))
    return entries


def _entry(item: Any) -> _Entry:
    if isinstance(item, str):
        found = _ENTRY.match(item)
        if found is None or found["override"] or _KEYWORD.search(item):
            raise NotPlainError
        if found["path"] == _SELF and found["package"] is not None:
            raise NotPlainError
        return _Entry(found["path"], package=found["package"])
    if not isinstance(item, dict) or len(item) != 1:
        raise NotPlainError
    ((key, option),) = item.items()
    found = _ENTRY.match(key) if isinstance(key, str) else None
    if found is None or not isinstance(option, str) or _KEYWORD.search(key):
        raise NotPlainError
    if not _OPTION.match(option) or option == _SELF or found["path"] == _SELF:
        raise NotPlainError
    overriding = bool(found["override"])
    if overriding and "$" in option:
        raise NotPlainError
    return _Entry(found["path"], option, found["package"], overriding)


def _resolved(option: str, known: Mapping[str, str]) -> str:
    if not all(name in known and name != "defaults" for name in _CHOICE.findall(option)):
        raise NotPlainError
    return str(_CHOICE.sub(lambda found: known[found[1]], option))


def _is_global(head: str) -> bool:
    """Whether a file's header says `# @package _global_`; raises NotPlainError for another one."""
    found = False
    for line in filter(None, map(str.strip, head.splitlines())):
        if not _HEADER.match(line):
            break
        if found or not _GLOBAL.match(line):
            raise NotPlainError
        found = True
    return found
