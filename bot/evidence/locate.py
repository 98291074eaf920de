"""Finding the transaction log of a run on disk, without leaving the folder that was given."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bot.evidence.facts import EvidenceError

_RUN_FOLDERS = ("run-", "offline-run-")


@dataclass(frozen=True, slots=True)
class Located:
    """Where a run lies."""

    root: Path
    """The folder that nothing may leave."""
    log: Path
    source: str
    """What is read, in words, without the path on this machine."""

    @property
    def files(self) -> Path:
        """The folder of the files that the SDK saves beside the log."""
        return self.log.parent / "files"


def locate(path: Path) -> Located:
    """The run at `path`: a `.wandb` file, a run's folder, or the one run of a `wandb` folder.

    Raises EvidenceError when there is none, or more than one, or it cannot be read.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            real = path.resolve(strict=True)
            return Located(real.parent, real, f"W&B transaction log {shown(real.name)}")
        if not stat.S_ISDIR(mode):
            raise EvidenceError(f"{shown(path)} is neither a file nor a folder.")
        return _in_folder(path, path.resolve(strict=True))
    except FileNotFoundError:
        raise EvidenceError(
            f"{shown(path)} does not exist: give the folder that W&B wrote "
            "(wandb/offline-run-…), or its run-ID.wandb file."
        ) from None
    except PermissionError as error:
        raise EvidenceError(
            f"{shown(error.filename or path)} may not be read (permission denied): change its mode "
            "or run rlbot as its owner."
        ) from None
    except (OSError, ValueError, RuntimeError) as error:  # Loops of links, names with NUL.
        raise EvidenceError(f"{shown(path)} could not be opened: {error}.") from None


def _in_folder(given: Path, root: Path) -> Located:
    entries = sorted(root.iterdir(), key=lambda entry: entry.name)
    if not entries:
        raise EvidenceError(f"{shown(given)} is an empty folder: give the folder of a run.")
    logs = [entry for entry in entries if entry.suffix == ".wandb"]
    if len(logs) > 1:
        raise EvidenceError(
            f"{shown(given)} holds several transaction logs ({_names(logs)}): give the file of the "
            "run that is meant."
        )
    if logs:
        return Located(root, logs[0], f"W&B run folder {shown(root.name)}")
    # Links such as latest-run name a run that is listed anyway.
    runs = [
        entry
        for entry in entries
        if entry.name.startswith(_RUN_FOLDERS) and not entry.is_symlink() and entry.is_dir()
    ]
    if len(runs) > 1:
        raise EvidenceError(
            f"{shown(given)} holds {len(runs)} runs ({_names(runs)}): give the folder of the one "
            "that is meant."
        )
    if runs:
        return _in_folder(given / runs[0].name, runs[0])
    inner = root / "wandb"
    if root.name != "wandb" and inner.is_dir() and not inner.is_symlink():
        return _in_folder(given / "wandb", inner)
    raise EvidenceError(
        f"{shown(given)} holds no W&B run: there is no run-ID.wandb file and no run-… or "
        "offline-run-… folder in it."
    )


def open_inside(root: Path, path: Path) -> BinaryIO:
    """Open a regular file that lies in `root`, links resolved; nothing else, and never a pipe.

    Raises EvidenceError for a file that lies elsewhere or is not regular, OSError as `open` does.
    """
    real = path.resolve(strict=True)
    if not real.is_relative_to(root):
        raise EvidenceError(
            f"{shown(path.name)} is a link that leaves the run's folder: copy the file itself "
            "there."
        )
    # Not blocking, so that a named pipe put there cannot hold the program.
    descriptor = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EvidenceError(f"{shown(path.name)} is not a regular file.")
    return os.fdopen(descriptor, "rb")


def shown(name: str | Path) -> str:
    """A path for a message: as it is when printable, else escaped."""
    text = str(name)
    return text if text.isprintable() else ascii(text)


def _names(paths: list[Path]) -> str:
    names = [shown(path.name) for path in paths[:5]]
    more = len(paths) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
