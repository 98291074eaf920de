"""The repository that scripts stand in, as far as it says which configuration counts for them.

Nothing of it is run: its configuration folders are read as data, its Python files as syntax trees,
its requirements as text. Where several copies of a framework are vendored, the nearest one above a
script is meant, else the one whose path has most in common with the script's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.frameworks.config_tree import ConfigTree, tree_table
from bot.frameworks.pins import PIN_FILES, Pin, read_pin
from bot.frameworks.source_options import SourceOptions

CONFIG: Final = "verl/trainer/config"
"""Where a copy of verl keeps its configuration."""
_CONFIG = re.compile(r"((?:.{1,400}/)?verl/trainer/config)/(.{1,400}\.yaml)\Z")
_MODULE = re.compile(r"((?:.+/)?openrlhf/cli)/train_\w+\.py\Z")
_LARGEST = 1 << 20
"""Bytes of a file that is read."""


def counts(path: str) -> bool:
    """Whether a file of a repository may say which configuration counts."""
    return bool(_CONFIG.match(path) or _MODULE.match(path) or PIN_FILES.match(path))


def needed(paths: Iterable[str], scripts: Iterable[str]) -> tuple[str, ...]:
    """Of a repository's paths those that say which configuration counts for these scripts."""
    every = Checkout(dict.fromkeys(filter(counts, paths), b""))
    found: dict[str, None] = {}
    for script in scripts:
        found |= dict.fromkeys(every.paths_for(script))
    return tuple(sorted(found))


class Checkout:
    """A repository's files that count; what is read of them is kept."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are those that `counts` selects, by path from the root; they may be read late."""
        self.files = files
        self._configs: dict[str, list[str]] = {}
        self._modules: dict[str, list[str]] = {}
        self._pin_files: dict[str, list[str]] = {}
        for path in sorted(files):
            if found := _CONFIG.match(path):
                self._configs.setdefault(found[1], []).append(found[2])
            elif found := _MODULE.match(path):
                self._modules.setdefault(found[1], []).append(path)
            elif found := PIN_FILES.match(path):
                self._pin_files.setdefault((found[1] or "").rstrip("/"), []).append(path)
        self._trees: dict[str, ConfigTree | str] = {}
        self._options: dict[str, SourceOptions] = {}
        self._pins: dict[tuple[str, str], Pin | None] = {}

    def paths_for(self, script: str) -> Iterator[str]:
        """The files that say which configuration counts for a script."""
        if (folder := nearest(self._configs, script)) is not None:
            yield from (f"{folder}/{name}" for name in self._configs[folder])
        if (folder := nearest(self._modules, script)) is not None:
            yield from self._modules[folder]
        for folder in above(script):
            yield from self._pin_files.get(folder, ())

    def problem(self, script: str) -> str | None:
        """Why the configuration nearest to a script was not read; None when it was, or is none."""
        self.tree(script)
        found = self._trees.get(nearest(self._configs, script) or "")
        return found if isinstance(found, str) else None

    def tree(self, script: str) -> ConfigTree | None:
        """The configuration of verl that is nearest to a script; None without one.

        Also None for one that cannot be read: `problem` says why.
        """
        folder = nearest(self._configs, script)
        if folder is None:
            return None
        if folder not in self._trees:
            files = {name: self._content(f"{folder}/{name}") for name in self._configs[folder]}
            called = message("{path} of this repository", path=folder)
            try:
                self._trees[folder] = tree_table(files, called, vendored=True)
            except UserError as error:
                self._trees[folder] = sentence_of(error)
        found = self._trees[folder]
        return found if isinstance(found, ConfigTree) else None

    def options(self, script: str) -> SourceOptions | None:
        """The options of the copy of OpenRLHF that is nearest to a script; None without one."""
        folder = nearest(self._modules, script)
        if folder is None:
            return None
        if folder not in self._options:
            texts = {
                PurePosixPath(path).stem: self._content(path).decode("utf-8", "replace")
                for path in self._modules[folder]
            }
            called = message("{path} of this repository", path=folder)
            self._options[folder] = SourceOptions("openrlhf", called, texts)
        return self._options[folder]

    def pin(self, framework: str, script: str) -> Pin | None:
        """What the requirements nearest above a script say of a framework's release."""
        for folder in above(script):
            key = (framework, folder)
            if key not in self._pins:
                files = {path: self._content(path) for path in self._pin_files.get(folder, ())}
                self._pins[key] = read_pin(framework, files)
            if found := self._pins[key]:
                return found
        return None

    def _content(self, path: str) -> bytes:
        data = self.files.get(path, b"")
        return data if len(data) <= _LARGEST else b""

    def __reduce__(self) -> tuple[object, ...]:
        """What is read of it anew where it is sent: its files alone."""
        return Checkout, (self.files,)


@dataclass(frozen=True, slots=True)
class ScriptPlace:
    """Where a script stands in a repository."""

    checkout: Checkout
    path: str
    """Relative to the repository's root, with forward slashes."""


def above(path: str) -> tuple[str, ...]:
    """The folders that a file stands in, nearest first; the root is ""."""
    return tuple("" if str(p) == "." else str(p) for p in PurePosixPath(path).parents)


def nearest(folders: Mapping[str, object], script: str) -> str | None:
    """The folder with the longest way in common with a script's; of several, the shortest."""
    parts = PurePosixPath(script).parent.parts

    def rank(folder: str) -> tuple[int, int, str]:
        own = PurePosixPath(folder).parts
        common = 0
        while common < min(len(own), len(parts)) and own[common] == parts[common]:
            common += 1
        return -common, len(own), folder

    return min(folders, key=rank, default=None)
