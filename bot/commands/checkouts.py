"""The repositories that scripts on disk stand in."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.files import read_regular_file
from bot.base.messages import message
from bot.commands.tree import files_below
from bot.frameworks import Checkout, ScriptPlace, counts
from bot.frameworks.python.notebook import LARGEST, is_notebook
from bot.frameworks.repository.verl_copies import CONFIG

if TYPE_CHECKING:
    from bot.check.request import ScriptFile

_NAMES = 60_000
"""Names in a repository that are looked at, the nearest to its root first."""
_NAMES_OF_NONE = 10_000
"""The same in a folder that is no repository; with more only the files that lie in it itself."""
_LEVELS = 12
"""Folders in each other that are walked into."""
_LARGEST = 1 << 20
"""Bytes of a file that is read."""
_AT_ROOT = ("pyproject.toml", "setup.py", "LICENSE", "LICENSE.txt", "LICENSE.md")
"""Files of which a project without `.git` has one at its root, and seldom in a folder of it."""
_SHARED = ("README.md", "README.rst", "README.txt", "requirements.txt", ".gitignore", "Dockerfile")
"""Files that also folders of a project have: one beside several folders makes them one project."""
_SKIPPED = frozenset(("node_modules", "site-packages", "venv", "__pycache__", "wandb", "outputs"))
"""Folders that hold what is installed or made, beside those whose name begins with a dot."""


class DiskCheckouts:
    """Finds and keeps the repositories of scripts on disk."""

    def __init__(self, given: Sequence[Path] = ()) -> None:
        """`given` are folders that stand for a repository where a script lies in none."""
        self._here = Path().absolute()
        self._given = [self._here, *(path.absolute() for path in given)]
        self._named = frozenset(self._given[1:])
        self._checkouts: dict[Path, Checkout | None] = {}
        self._folders: dict[str, ScriptPlace | None] = {}
        """For a folder the place of a script in it, without its name."""
        self._last: tuple[str, ScriptPlace | None] = ("", None)

    def place(self, script: ScriptFile) -> ScriptPlace | None:
        """Where a script stands: in a repository, below a folder given, else in its own folder.

        None where that holds too much to be looked through.
        """
        named = script.full_path or script.path
        if named != self._last[0]:  # It is asked for more than once of each script.
            folder, name = os.path.split(os.path.abspath(named))  # noqa: PTH100 - as it is written
            if folder not in self._folders:
                self._folders[folder] = self._find(Path(folder))
            found = self._folders[folder]
            self._last = named, found and replace(found, path=f"{found.path}{name}")
        return self._last[1]

    def _find(self, folder: Path) -> ScriptPlace | None:
        root = self._root(folder)
        checkout = self._kept(root) if root is not None else None
        if root is None or checkout is None:
            root, checkout = folder, self._own(folder)
        if checkout is None:
            return None
        path = f"{folder.relative_to(root).as_posix()}/"
        files = files_below(root, hidden=False) if _is_repository(root) else None
        return ScriptPlace(
            checkout,
            path.removeprefix("./"),
            files,
            whole=not checkout.cut,
            taken=lambda path: os.path.lexists(root / path),
        )

    def _kept(self, root: Path) -> Checkout | None:
        if root not in self._checkouts:
            self._checkouts[root] = self._checkout(root)
        return self._checkouts[root]

    def _checkout(self, root: Path) -> Checkout | None:
        """The repository in a folder; None for a large one that is none."""
        if root in self._named or _is_repository(root) or _vendors(root):
            return read_checkout(root)
        files = _Files(root, _NAMES_OF_NONE)
        return Checkout(files, files.left) if files.cut is None else None

    def _own(self, folder: Path) -> Checkout | None:
        """A script's own folder; of a large one only the files that lie in it itself."""
        if (kept := self._kept(folder)) is not None:
            return kept
        files = _Files(folder, _NAMES_OF_NONE, levels=0)
        return Checkout(files, files.left) if files.cut is None else None

    def _root(self, folder: Path) -> Path | None:
        """The nearest folder with `.git`, else the outermost that vendors verl, or is given."""
        inward = (*reversed(folder.parents), folder)
        repository = next(filter(_is_repository, reversed(inward)), None)
        vendoring = filter(_vendors, inward)
        given = (at for at in inward if at in self._given)
        return repository or next(vendoring, None) or _project(next(given, None), inward)


def read_checkout(root: Path) -> Checkout:
    """The repository in a folder, its files read on first use."""
    files = _Files(root)
    return Checkout(files, files.left, cut=files.cut)


def _is_repository(folder: Path) -> bool:
    return (folder / ".git").exists()


def _vendors(folder: Path) -> bool:
    return (folder / CONFIG).is_dir()


def _project(given: Path | None, inward: Sequence[Path]) -> Path | None:
    """A folder given, or the outermost project in it where it is none itself.

    Archives that are unpacked beside each other are several projects, as several repositories
    are: another's copy of verl says nothing of this one.
    """
    if given is None or _holds(given, (*_AT_ROOT, *_SHARED)):
        return given
    below = inward[inward.index(given) + 1 :]
    return next((at for at in below if _holds(at, _AT_ROOT)), given)


def _holds(folder: Path, names: Sequence[str]) -> bool:
    return any((folder / name).is_file() for name in names)


class _Files(Mapping[str, bytes]):
    """The files of a repository that count, each read on first use."""

    def __init__(self, root: Path, most: int | None = None, levels: int = _LEVELS) -> None:
        self._root = root
        self._most = most or _NAMES
        self._levels = levels
        self.left: list[str] = []
        """Files and folders that were left out: links, and what a limit was reached before."""
        self.cut: str | None = None
        """Why not all were looked at; None where all were."""
        self._paths = frozenset(self._walk())
        self._known: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._known:
            self._known[path] = _bytes(self._root / path)
        return self._known[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def _walk(self) -> Iterator[str]:
        """The regular files that count, by path from the root; links are not followed."""
        looked, root = 0, str(self._root)
        waiting = deque([("", 0)])
        while waiting:
            folder, level = waiting.popleft()
            try:
                with os.scandir(f"{root}/{folder}") as listed:
                    items = list(listed)
            except OSError:
                self.left.append(folder)
                continue
            looked += len(items)
            if looked > self._most:
                self.cut = message(
                    "{folder} holds more than {count} files and folders, and not all were searched "
                    "for a configuration of verl: run this in the repository of the script, or "
                    "name a configuration with --framework-tree",
                    folder=self._root,
                    count=f"{self._most:,}",
                )
                self.left += [folder, *(name for name, _ in waiting)]
                return
            folders = []
            for item in items:
                path = f"{folder}{item.name}"
                if item.is_symlink():
                    self.left.append(path)
                elif item.is_dir():
                    if item.name.startswith(".") or item.name in _SKIPPED:
                        continue
                    if level < self._levels:
                        folders.append((f"{path}/", level + 1))
                    else:
                        self.left.append(path)
                elif counts(path) and item.is_file():
                    yield path
            waiting.extend(sorted(folders))


def _bytes(path: Path) -> bytes:
    """The content of a regular file; empty for one that is gone, too large, or something else."""
    most = LARGEST if is_notebook(path.name) or path.suffix == ".lock" else _LARGEST
    try:
        data = read_regular_file(path, most + 1)
    except OSError:
        return b""
    return data if len(data) <= most else b""
