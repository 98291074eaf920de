"""Files of a repository that a script names: by a path from the root, or from its own folder.

A script of a pull request may name any number of files, and a repository hold any number of them,
so that what is looked for has a bound, and each look costs the depth of the script's folder.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from bot.base.config import SCRIPT_SUFFIXES
from bot.base.regex import regex

_SLASHES: Final = regex(r"(?<!:)//+")
PATH: Final = regex(r"[\w./-]+")
"""What may be a path in a script."""
MOST_NAMED: Final = 20
"""Files of one kind that one script may name."""
LARGEST: Final = 1 << 20
"""Bytes of a file that is read."""
_AT_HOME: Final = "${?HOME}/"
_MOST_WORDS: Final = 500
"""Different words of a script that may name a file: more than any script that people write has."""


@lru_cache(maxsize=8)
def above(path: str) -> tuple[str, ...]:
    """The folders that a file stands in, nearest first; the root is ""."""
    parts = [part for part in path.split("/")[:-1] if part not in ("", ".")]
    return tuple("/".join(parts[:count]) for count in range(len(parts), -1, -1))


def bytes_of(files: Mapping[str, bytes], path: str) -> bytes:
    """What a file holds; nothing of one that is not there, or larger than is read."""
    data = files.get(path, b"")
    return data if len(data) <= LARGEST else b""


def text_of(files: Mapping[str, bytes], path: str) -> str:
    """The same as text; what is no UTF-8 is replaced."""
    return bytes_of(files, path).decode("utf-8", "replace")


def entry_file(entry: str) -> str:
    """The file of a started program, which is named by its path or as a module."""
    whole = entry.endswith((".py", ".ipynb"))
    return entry if whole else entry.replace(".", "/") + ".py"


def single_slashes(path: str) -> str:
    """A path as the system takes it: `$ROOT//config` is `$ROOT/config`; `pkg://` stays."""
    return str(_SLASHES.sub("/", path)) if "//" in path else path


def below_unknown(named: str) -> str:
    """Of a path below a folder that only a run knows (`${?ROOT}/c/x.yaml`) what follows it.

    Any other path as it is.
    """
    root, mark, rest = single_slashes(named).partition("}/")
    return rest if mark and root.startswith("${?") and "${?" not in rest else named


def below_first(word: str) -> str:
    """A word whose first part is taken for such a folder: of `ROOT/c/x.yaml` what follows it."""
    return f"${{?}}/{word.partition('/')[2]}"


def ending(paths: Iterable[str], end: str) -> dict[str, str]:
    """Those of the paths that are `end`, or end with it after a slash, as a mapping to itself."""
    tail = f"/{end}"
    return {path: path for path in paths if path == end or path.endswith(tail)}


def nearest(folders: Mapping[str, object], script: str) -> str | None:
    """The folder with the longest way in common with a script's; of several, the shortest."""
    return next(iter(equally_near(folders, script)), None)


def equally_near(folders: Collection[str], script: str) -> list[str]:
    """The folders that `nearest` takes the first of, by name: more than one is an open choice."""
    found = closest(folders, script)
    if len(found) < 2:
        return found
    shortest = min(len(_parts(folder)) for folder in found)
    return [folder for folder in found if len(_parts(folder)) == shortest]


def nearest_named(paths: Collection[str], name: str, script: str) -> list[str]:
    """As `equally_near`, of paths that end with a name.

    Of several beside the script's folder none counts where one stands in a folder above the script:
    a launch from there imports that one.
    """
    found = equally_near(paths, script)
    if len(found) > 1:
        around = [posixpath.join(folder, name) for folder in above(script)]
        found = [path for path in around if path in paths][:1] or found
    return found


def closest(paths: Collection[str], script: str) -> list[str]:
    """The paths with the longest way in common with a script's, by name."""
    if len(paths) < 2:
        return list(paths)
    own = _parts(script)[:-1]
    ways = {path: len(posixpath.commonprefix((_parts(path), own))) for path in sorted(paths)}
    longest = max(ways.values())
    return [path for path, way in ways.items() if way == longest]


@lru_cache(maxsize=4096)
def _parts(path: str) -> tuple[str, ...]:
    return PurePosixPath(path).parts


def beside(module: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The files in which `main.py` of a package may have the classes of its configuration."""
    folder, _, name = module.rpartition("/")
    package = folder.rpartition("/")[0]
    if name != "main.py" or not package:
        return ()
    return tuple(p for p in paths if p.startswith(f"{package}/") and p.endswith("/config.py"))


class NamedFiles:
    """Files by their names."""

    def __init__(self, paths: Iterable[str]) -> None:
        """`paths` are relative to the repository's root."""
        self._by_name: dict[str, dict[str, None]] = {}
        for path in paths:
            self._by_name.setdefault(path.rpartition("/")[2], {})[path] = None

    def words(self, words: Iterable[str]) -> Iterator[str]:
        """The different words whose last part is a file's name, the first 500 of them."""
        known = (word for word in dict.fromkeys(words) if word.rpartition("/")[2] in self._by_name)
        return islice(known, _MOST_WORDS)

    def named_in(self, text: str, script: str) -> list[str]:
        """The files that a script's text may name, also below a folder that only a run knows."""
        words = self.words(word.rstrip("./-") for word in PATH.findall(text))
        ways = (way for word in words for way in (word, below_first(word)))
        found = dict.fromkeys(self.at(below_unknown(way), script) for way in ways)
        return list(islice(filter(None, found), MOST_NAMED))

    def at(self, named: str, script: str) -> str | None:
        """The file at a relative path from the root, else from the script's folder on upwards."""
        files = self._by_name.get(named.rpartition("/")[2])
        if files is None or named.startswith("/"):
            return None
        rest, up = posixpath.normpath(named), 0
        while rest.startswith("../"):
            rest, up = rest[3:], up + 1
        if not up and rest in files:
            return rest
        for folder in above(script)[up:]:
            path = f"{folder}/{rest}" if folder else rest
            if path in files:
                return path
        return None

    def elsewhere(self, named: str) -> str | None:
        """The file of a path on somebody's machine, or of a clone in the home folder.

        Its longest end with a folder is here. What is installed (`/opt`, `/usr`) is not.
        """
        rooted = named.removeprefix(_AT_HOME)
        parts = rooted.removeprefix("/").split("/")
        files = self._by_name.get(parts[-1])
        if files is None or (rooted == named and named[:1] != "/") or parts[0] in ("opt", "usr"):
            return None
        ends = ("/".join(parts[at:]) for at in range(1, len(parts) - 1))
        return next((end for end in ends if end in files), None)

    def ending(self, end: str) -> dict[str, str]:
        """The files whose path is `end`, or ends with it after a slash, as a mapping to itself."""
        return ending(self._by_name.get(end.rpartition("/")[2], ()), end)


def started(paths: Iterable[str], scripts: Mapping[str, bytes]) -> dict[str, dict[str, None]]:
    """Of a repository's paths the shell files that each of these scripts may source or start.

    A file is found by its name, as `$(dirname "$0")/common.sh` says no more of its folder.
    """
    shell = NamedFiles(path for path in paths if path.endswith(SCRIPT_SUFFIXES))
    found: dict[str, dict[str, None]] = {}
    for script, data in scripts.items():
        text, files = data.decode("utf-8", "replace"), dict[str, None]()
        for word in islice(shell.words(PATH.findall(text)), MOST_NAMED):
            below = word.lstrip("/")
            alike = shell.ending(below) or shell.ending(word.rpartition("/")[2])
            near = (
                shell.at(below, script),
                shell.elsewhere(f"/{below}"),
                nearest(alike, script),
            )
            files |= dict.fromkeys(path for path in near if path is not None and path != script)
        found[script] = files
    return found
