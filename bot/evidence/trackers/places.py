"""Looking for a tracker's files in a folder, without leaving it, within bounds."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import mark
from bot.evidence.facts import EvidenceError
from bot.evidence.locate import names_of, open_inside, shown

_ENTRIES: Final = 20_000
"""Entries of all folders that are looked at."""
_DEPTH: Final = 4
"""Folders below the one that was given: tensorboard_log/PROJECT/EXPERIMENT/."""


@dataclass(frozen=True)
class RunPath:
    """A path that was given as a run, and which run of several is meant."""

    path: Path
    wanted: str | None = None
    """What stands after `#`: the id or the name of a run."""

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def root(self) -> Path:
        """The folder that nothing may leave, links resolved."""
        real = self.path.resolve(strict=True)
        return real if self.is_folder else real.parent

    @cached_property
    def start(self) -> bytes:
        """The first bytes of a file; none of a folder, and where it cannot be read."""
        if self.is_folder:
            return b""
        try:
            with open_inside(self.root, self.path) as stream:
                return stream.read(4096)
        except (OSError, ValueError, RuntimeError, EvidenceError):
            return b""

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The path itself where it is a file, else the files of the folder and those below."""
        if self.is_folder:
            return tuple(sorted(_below(self.root)))
        return (self.path.resolve(strict=True),)

    def holds(self, named: Callable[[str], bool]) -> bool:
        """Whether one of the files is called so."""
        return any(named(path.name) for path in self.files)


def place_of(path: Path) -> RunPath:
    """The place that a command line names: PATH, or PATH#RUN where that is no path."""
    if "#" in path.name and not path.exists():
        name, _, wanted = path.name.partition("#")
        return RunPath(path.with_name(name) if name else path.parent, wanted or None)
    return RunPath(path)


def _below(root: Path) -> Iterator[Path]:
    waiting, left = [(root, 0)], _ENTRIES
    while waiting:
        folder, depth = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    if entry.is_dir(follow_symlinks=False):
                        if depth < _DEPTH:
                            waiting.append((Path(entry.path), depth + 1))
                    elif entry.is_file():
                        yield Path(entry.path)
        except OSError:
            continue


def one_run(
    place: RunPath, file: str, tracker: str, runs: Sequence[tuple[str, str | None]]
) -> tuple[str, str | None]:
    """The run that is meant, of the ids and names of those that a database holds.

    Raises EvidenceError where none is, or several are: with the id of each whose name others bear.
    """
    meant = [run for run in runs if place.wanted is None or place.wanted in run]
    if len(meant) == 1:
        return meant[0]
    bearers = Counter(name for _, name in runs)
    names = [
        f"{file}#{name if name and bearers[name] == 1 else id_}" for id_, name in meant or runs
    ]
    raise several(place, tracker, names, found=bool(meant))


class WhichRunError(EvidenceError):
    """It is not clear which run is meant, or the one that is meant is not there."""


def several(
    place: RunPath, tracker: str, names: list[str], *, found: bool = False
) -> WhichRunError:
    """What is said where it is not clear which run is meant; `found`: all are called as asked."""
    template = mark("{name} holds {count} {tracker} runs ({runs}): give the one that is meant.")
    if place.wanted is not None:
        template = mark("{name} holds no {tracker} run called {wanted}; it holds {runs}.")
        if found:
            template = mark(
                "{name} holds {count} {tracker} runs called {wanted} ({runs}): give the one that "
                "is meant."
            )
    return WhichRunError(
        template,
        name=shown(place.path.name or place.path),
        count=len(names),
        tracker=tracker,
        wanted=shown(place.wanted or ""),
        runs=names_of(names),
    )
