"""Finding the transaction log of a run on disk, without leaving the folder that was given."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import mark, message
from bot.evidence.facts import EvidenceError
from bot.evidence.links import FORM

DENIED: Final = mark(
    "{name} may not be read (permission denied): change its mode or run rlbot as its owner."
)
UNREADABLE: Final = mark("{name} could not be read: {reason}.")


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Reading a file that messages call `name`: what the system refuses is an EvidenceError."""
    try:
        yield
    except PermissionError:
        raise EvidenceError(DENIED, name=name) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise EvidenceError(UNREADABLE, name=name, reason=reason) from None


_RUN_FOLDERS = ("run-", "offline-run-")
_PARTS: Final = frozenset({"files", "logs", "tmp"})
"""Folders of a run's folder."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where a run lies."""

    root: Path
    """The folder that nothing may leave."""
    log: Path
    source: str
    """What is read, in words, without the path on this machine."""
    missing: bool = False
    """Whether the log is not there, but files that W&B saved beside it."""

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
            return Located(
                real.parent, real, message("W&B transaction log {name}", name=shown(real.name))
            )
        if not stat.S_ISDIR(mode):
            raise EvidenceError("{name} is neither a file nor a folder.", name=shown(path))
        return _in_folder(path, path.resolve(strict=True))
    except FileNotFoundError:
        raise EvidenceError(no_such_run(path)) from None
    except PermissionError as error:
        raise EvidenceError(DENIED, name=shown(error.filename or path)) from None
    except (OSError, ValueError, RuntimeError) as error:  # Loops of links, names with NUL.
        raise EvidenceError(
            "{name} could not be opened: {reason}.", name=shown(path), reason=str(error)
        ) from None


def no_such_run(path: Path) -> str:
    """What is said of a path that does not exist, a sentence."""
    if len(path.parts) > 2 and not Path(path.parts[0]).exists():
        return message(
            "{name} does not exist; a run on W&B is named by its link, {form}.",
            name=shown(path),
            form=FORM,
        )
    return message(
        "{name} does not exist: a run is a link, what a tracker wrote, such as the folder "
        "wandb/offline-run-…, or a console log.",
        name=shown(path),
    )


def _in_folder(given: Path, root: Path) -> Located:
    if root.name in _PARTS and root.parent.name.startswith(_RUN_FOLDERS):
        raise EvidenceError(
            "{name} is a part of a run's folder: give {folder}, the folder above it.",
            name=shown(given),
            folder=shown(root.parent.name),
        )
    entries = sorted(root.iterdir(), key=lambda entry: entry.name)
    if not entries:
        raise EvidenceError(
            "{name} is an empty folder: give the folder of a run.", name=shown(given)
        )
    logs = [entry for entry in entries if entry.suffix == ".wandb"]
    if len(logs) > 1:
        raise EvidenceError(
            "{name} holds several transaction logs ({logs}): give the file of the run that is "
            "meant.",
            name=shown(given),
            logs=names_of([log.name for log in logs]),
        )
    if logs:
        return Located(root, logs[0], message("W&B run folder {name}", name=shown(root.name)))
    if any((root / "files" / name).is_file() for name in _BESIDE):
        # Of a copy of the link latest-run the id stands nowhere.
        run = root.name.rpartition("-")[2] if root.name.startswith(_RUN_FOLDERS) else "*"
        source = message("W&B run folder {name}", name=shown(root.name))
        return Located(root, root / f"run-{run}.wandb", source, missing=True)
    # Links such as latest-run name a run that is listed anyway.
    runs = [
        entry
        for entry in entries
        if entry.name.startswith(_RUN_FOLDERS) and not entry.is_symlink() and entry.is_dir()
    ]
    if len(runs) > 1:
        raise EvidenceError(
            "{name} holds {count} runs ({runs}): give the folder of the one that is meant.",
            name=shown(given),
            count=len(runs),
            runs=names_of([run.name for run in runs]),
        )
    if runs:
        return _in_folder(given / runs[0].name, runs[0])
    inner = root / "wandb"
    if root.name != "wandb" and inner.is_dir() and not inner.is_symlink():
        return _in_folder(given / "wandb", inner)
    raise EvidenceError(
        "{name} holds no run: no run-ID.wandb file and no run-… or offline-run-… folder of "
        "W&B, and nothing that TensorBoard, SwanLab, trackio, MLflow or verl's file logger "
        "wrote.",
        name=shown(given),
    )


def holds_wandb(path: Path) -> bool:
    """Whether a path is a transaction log, or a folder that holds a run where W&B puts it."""
    if path.suffix == ".wandb":
        return True
    try:
        return any(True for pattern in _LOGS for _ in path.glob(pattern))
    except (OSError, ValueError):
        return False


_BESIDE: Final = ("wandb-metadata.json", "wandb-summary.json")
"""Files that W&B saves in `files/`, by either of which a run is known whose log is missing."""
_LOGS: Final = tuple(
    f"{above}{found}"
    for above in ("", "*run-*/", "wandb/*run-*/")
    for found in ("*.wandb", *(f"files/{name}" for name in _BESIDE))
)


def open_inside(root: Path, path: Path) -> BinaryIO:
    """Open a regular file that lies in `root`, links resolved; nothing else, and never a pipe.

    Raises EvidenceError for a file that lies elsewhere or is not regular, OSError as `open` does.
    """
    real = path.resolve(strict=True)
    if not real.is_relative_to(root):
        raise EvidenceError(
            "{name} is a link that leaves the run's folder: copy the file itself there.",
            name=shown(path.name),
        )
    # Not blocking, so that a named pipe put there cannot hold the program.
    descriptor = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EvidenceError("{name} is not a regular file.", name=shown(path.name))
    return os.fdopen(descriptor, "rb")


def shown(name: str | Path) -> str:
    """A path for a message: as it is when printable, else escaped."""
    text = str(name)
    return text if text.isprintable() else ascii(text)


def names_of(paths: Sequence[str | Path]) -> str:
    """The first five paths for a message, and how many there are besides."""
    names, more = ", ".join(map(shown, paths[:5])), len(paths) - 5
    return message("{names} and {more} more", names=names, more=more) if more > 0 else names
