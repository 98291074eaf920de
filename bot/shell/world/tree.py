"""The files that stand beside the script: their paths, and their text as the caller hands it in.

Scripts are taken to be called from the root of the tree, as `bash path/of/the/script.sh`. Where
the root itself lies is not known, but what lies below it is, so a folder of the tree is a value of
two parts: a hole, and the known rest of the path.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeAlias

from bot.shell.limits import LimitReached, ShellLimits
from bot.shell.pieces import Value, computed, known
from bot.shell.source import Span
from bot.shell.words import Hole, Piece
from bot.shell.world.state import World

Files: TypeAlias = Callable[[str], bytes | None]
"""Gives the content of a file by its path, with forward slashes, relative to the root of the tree;
None where there is no such file, or none that may be read."""

SCRIPT_FOLDER = Hole("argument", "directory of the script", "0")
"""`$(dirname "$0")` where nobody knows how the script is called."""
SCRIPT_PREFIX = Hole("argument", "way to the script", "0")
"""What stands before the name of the script in `$0`: nothing, or a folder and its slash."""
WORKING_FOLDER = Hole("environment", "PWD", "PWD")
"""The working directory in which the script starts."""
_SUBMITTED_FROM: Final = ("LS_SUBCWD", "PBS_O_WORKDIR", "SGE_O_WORKDIR", "SLURM_SUBMIT_DIR")
"""The variables of a job that hold the folder in which it was submitted."""
_INSTALLED: Final = ("/opt/", "/usr/")
_MOST_ENDS: Final = 8
"""Ends of a path outside of the tree that are looked for in it."""


def _moved(world: World) -> bool:
    """Whether a script has gone elsewhere: `cd "$(pwd)"` leads back to where it was started."""
    folder = world.variables.get("PWD")
    value = folder.value or () if folder is not None else ()
    return folder is not None and [piece.text for piece in value] != [WORKING_FOLDER]


class Tree:
    """Finds the files of a tree for one reading."""

    def __init__(
        self, files: Files | None, script: str, environment: Mapping[str, str], limits: ShellLimits
    ) -> None:
        """Takes the path of the script in the tree and the variables that the caller sets."""
        self._files = files
        self._limits = limits
        self._start = environment.get("PWD")
        self._home = script.rpartition("/")[0]
        self._folders = {SCRIPT_FOLDER: inside(script.rpartition("/")[0]), WORKING_FOLDER: ""}
        self._kept: dict[str, bytes | None] = {}
        self._sizes: dict[str, int | None] = {}
        self._bytes = 0
        self._written: set[str] = set()

    @property
    def known(self) -> bool:
        """Whether there are files at all."""
        return self._files is not None

    def path(self, world: World, value: Value) -> str | None:
        """The place in the tree that a path means; None when it is unknown or outside."""
        if self._files is None or not value:
            return None
        first = value[0].text
        if isinstance(first, Hole):
            folder = "" if first.name in _SUBMITTED_FROM else self._folders.get(first)
            rest = known(value[1:])
            if folder is None or rest is None or not (rest == "" or rest.startswith("/")):
                return None
            return inside(folder + rest)
        text = known(value)
        if text is None:
            return None
        if not text.startswith("/"):
            variable = world.variables.get("PWD")
            if variable is None:
                return inside(text)
            base = self.path(world, variable.value or ())
            return None if base is None else inside(f"{base}/{text}")
        if self._start is None or not text.startswith(self._start):
            return None
        rest = text[len(self._start) :]
        return inside(rest) if rest == "" or rest.startswith("/") else None

    def beside(self, world: World, value: Value) -> str | None:
        """The place that a relative path means where the script is called from its own folder."""
        text = known(value)
        if not text or text.startswith("/") or not self._home or _moved(world):
            return None
        return inside(f"{self._home}/{text}")

    def around(self, world: World, value: Value, at: Span) -> str | None:
        """The file that `scripts/x.sh` means where a folder above the script's is the one to be in.

        Of several the nearest; None where the root has to be it, or no folder has such a file.

        Raises:
            LimitReached: too many files were looked for.

        """
        text = known(value)
        if not text or text.startswith("/") or "/" not in text or _moved(world):
            return None
        folder = self._home
        while folder:
            path = inside(f"{folder}/{text}")
            if path is not None and self.read(path, at) is not None:
                return path
            folder = folder.rpartition("/")[0]
        return None

    def below_unset(self, value: Value) -> str | None:
        """The place that `$REPO/scripts/x.sh` means where the script never sets REPO.

        It is taken for the root; a path without a folder says too little.
        """
        first, rest = value[0].text if value else "", known(value[1:])
        unset = isinstance(first, Hole) and first.kind == "unset"
        if not unset or rest is None or not rest.startswith("/") or rest.count("/") < 2:
            return None
        return inside(rest)

    def elsewhere(self, world: World, value: Value, at: Span) -> str | None:
        """The only file of the tree that a path on somebody's machine may mean.

        Raises:
            LimitReached: too many files were looked for.

        """
        found = [path for path in self._ends(world, value) if self.read(path, at) is not None]
        return found[0] if len(found) == 1 else None

    def _ends(self, world: World, value: Value) -> Collection[str]:
        """The places in the tree that a path outside may mean: its ends that have a folder.

        Behind a `cd` that led there a relative path may also be meant as it is written.
        """
        if self._files is None or self._start is not None:
            return ()
        path, text, folder = _behind_unknown(value), known(value), world.variables.get("PWD")
        written: list[str] = []
        if text and path is None and folder is not None:
            base = (_behind_unknown(folder.value or ()) or "").rstrip("/")
            within = inside(text) if base else None
            if within:
                path, written = f"{base}/{within}", [within]
        names = posixpath.normpath(path or "").split("/")[2:]
        ends = ["/".join(names[start:]) for start in range(len(names) - 1)]
        return dict.fromkeys([*ends[-_MOST_ENDS:], *written])

    def folder(self, path: str, span: Span) -> Value:
        """The absolute path of a folder of the tree, as `cd` and `realpath` make it."""
        rest = f"/{path}" if path else ""
        if self._start is not None:
            return computed(self._start + rest, span)
        start = Piece(WORKING_FOLDER, span, False)
        return (start, Piece(rest, span, False)) if rest else (start,)

    def above(self, value: Value, span: Span) -> Value | None:
        """The folder above one of which nothing is known but that it is one of the tree."""
        hole = value[0].text if len(value) == 1 else None
        if self._files is None or not isinstance(hole, Hole) or not self._folders.get(hole):
            return None
        path = (self._folders[hole] or "").rpartition("/")[0]
        found = Hole("argument", f"directory {path or '.'} of the tree", "0")
        self._folders[found] = path
        return (Piece(found, span, False),)

    def read(self, path: str, at: Span) -> bytes | None:
        """The content of a file as it is before the script runs; None where it is unknown.

        Raises:
            LimitReached: too many files, or too large ones.

        """
        if self._files is None or path in self._written:
            return None
        if path not in self._kept:
            if len(self._kept) >= self._limits.files:
                raise LimitReached("files", self._limits, at)
            data = self._files(path)
            self._bytes += len(data or b"")
            if self._bytes > self._limits.bytes:
                self._kept[path] = None
                raise LimitReached("bytes", self._limits, at)
            self._kept[path] = data
        return self._kept[path]

    def size(self, path: str, at: Span) -> int | None:
        """Bytes of a file, of which nothing is kept or counted for it; None where it is unknown.

        Raises:
            LimitReached: too many files.

        """
        if self._files is None or path in self._written:
            return None
        kept = self._kept.get(path)
        if kept is not None:
            return len(kept)
        if path not in self._sizes:
            if len(self._sizes) + len(self._kept) >= self._limits.files:
                raise LimitReached("files", self._limits, at)
            data = self._files(path)
            self._sizes[path] = len(data) if data is not None else None
        return self._sizes[path]

    def lacks(self, path: str, at: Span) -> bool:
        """Whether there is no such file, and the script has not written it either."""
        try:
            return self.known and path not in self._written and self.read(path, at) is None
        except LimitReached:
            return False

    def text(self, path: str, at: Span) -> str | None:
        """The text of a file; None where it is unknown, or no text.

        Raises:
            LimitReached: too many files, or too large ones.

        """
        data = self.read(path, at)
        if data is None or b"\0" in data:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def wrote(self, world: World, value: Value) -> None:
        """Notes that the script itself may change a file, whose content is unknown from then on."""
        path = self.path(world, value)
        self._written.update((path,) if path else self._ends(world, value))


def inside(path: str) -> str | None:
    """A path of the tree without `.`, `..` and doubled slashes; None when it leaves the tree."""
    normal = posixpath.normpath(path.lstrip("/"))
    if f"{normal}/".startswith("../"):
        return None
    return "" if normal == "." else normal


def _behind_unknown(value: Value) -> str | None:
    """What follows the last unknown part of an absolute path, but for one of what is installed."""
    first = value[0].text if value else ""
    if isinstance(first, Hole):
        rooted = bool(first.path) or first.name == "HOME"
    else:
        rooted = first.startswith("/") and not first.startswith(_INSTALLED)
    if not rooted:
        return None
    end = ""
    for piece in value:
        end = piece.text.path if isinstance(piece.text, Hole) else end + piece.text
    return end
