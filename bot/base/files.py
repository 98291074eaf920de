"""How users' files are written: whole or not at all, never through a link, never over a change.

What is written goes to a draft in the same folder, is flushed to the disk, and takes the file's
name in one step: a process that is killed at any moment leaves the old file or the new one (and
perhaps the draft, `.rlbot-….new`). Processes of rlbot that write in one folder wait for each other.
Any other program can still write between the comparison and the exchange, which follow each other
at once. Where folders cannot be opened (Windows), nobody waits and a path is named anew each time.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bot.base.errors import UserError, system_reason
from bot.base.fast_dataclass import dataclass

_LOCK_SECONDS = 60.0
"""A file is locked for the time of one write; whoever holds a folder for longer hangs."""
_FOLDERS_OPEN: Final = os.open in os.supports_dir_fd
_SAFELY: Final = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
"""Flags to follow no link, wait for no pipe, and take each byte as it is; Windows has the last."""


class FileChangedError(UserError):
    """The file is not as it was read; nothing was written."""


def read_regular_file(path: Path, most: int) -> bytes:
    """The first bytes of a regular file; empty for anything else, which could block.

    Raises OSError as `open` does, and for a link.
    """
    number = os.open(path, os.O_RDONLY | _SAFELY)
    with os.fdopen(number, "rb") as file:
        return file.read(most) if stat.S_ISREG(os.fstat(number).st_mode) else b""


def replace_file(path: Path, old: bytes, new: bytes) -> None:
    """Write a file that was read as `old`; owner and permissions stay.

    Raises FileChangedError when it has other content now, UserError when it is a link, not a
    regular file, or cannot be written.
    """
    with _locked(path) as target:
        status = target.status()
        if status is None or target.content(len(old) + 1) != old:
            raise FileChangedError(
                "{path} changed meanwhile and was not written; run the command again.", path=path
            )
        target.exchange(new, status)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it; raises UserError where one cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            "{path} cannot be made: {why}.",
            path=error.filename or path,
            why=system_reason(error),
        ) from None


def write_new_file(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Make a file that is not there; `mode` is its permissions, without one the process decides.

    Raises UserError when something has its name, or it cannot be written.
    """
    there = UserError("{path} is there already; it was not overwritten.", path=path)
    with _locked(path) as target, target.draft(data, 0o666 if mode is None else mode) as draft:
        if mode is not None:
            os.chmod(draft, mode, dir_fd=target.folder)
        try:
            os.link(draft, target.name, src_dir_fd=target.folder, dst_dir_fd=target.folder)
        except FileExistsError:
            raise there from None
        except (PermissionError, AttributeError):
            # A file system without hard links, such as FAT; Pyodide's Python has no os.link at all.
            if target.lstat() is not None:
                raise there from None
            target.rename(draft)


def write_output(path: Path, data: bytes) -> None:
    """Make a file, or write it anew whatever it holds; permissions stay.

    Raises UserError when it is a link, not a regular file, or cannot be written.
    """
    with _locked(path) as target:
        status = target.status()
        if status is not None:
            target.content(0)
            target.exchange(data, status)
            return
        with target.draft(data, 0o666) as draft:
            target.rename(draft)


@dataclass(frozen=True, slots=True)
class _Target:
    """A name in a folder that is open and locked, or a path where folders cannot be opened."""

    path: Path
    folder: int | None

    @property
    def name(self) -> str:
        return self._inside(self.path.name)

    def _inside(self, name: str) -> str:
        return name if self.folder is not None else str(self.path.with_name(name))

    def lstat(self) -> os.stat_result | None:
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def status(self) -> os.stat_result | None:
        """Of the regular file, None when it is not there; raises UserError for anything else."""
        status = self.lstat()
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise UserError(
                "{path} is a symbolic link and was not written; name the file that it leads to.",
                path=self.path,
            )
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise UserError("{path} is not a regular file.", path=self.path)
        return status

    def content(self, size: int) -> bytes:
        """The first bytes; raises PermissionError for a file that may not be written either."""
        number = os.open(self.name, os.O_RDWR | _SAFELY, dir_fd=self.folder)
        with os.fdopen(number, "r+b") as file:
            return file.read(size)

    def exchange(self, data: bytes, status: os.stat_result) -> None:
        """Give the name to a new file with the owner and the permissions of the old one."""
        with self.draft(data, 0o600) as draft:
            with suppress(PermissionError, AttributeError):  # only root gives files away
                os.chown(draft, status.st_uid, status.st_gid, dir_fd=self.folder)
            os.chmod(draft, stat.S_IMODE(status.st_mode), dir_fd=self.folder)
            self.rename(draft)

    @contextmanager
    def draft(self, data: bytes, mode: int) -> Iterator[str]:
        """A file beside the target, with a name that nobody can have planted; removed at the end.

        `mode` is its permissions, less those that the process withholds.
        """
        name = self._inside(f".rlbot-{os.urandom(16).hex()}.new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
        descriptor = os.open(name, flags, mode, dir_fd=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            yield name
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self.folder)
            if self.folder is not None:
                with suppress(OSError):  # some file systems do not flush folders
                    os.fsync(self.folder)

    def rename(self, draft: str) -> None:
        os.replace(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)


@contextmanager
def _locked(path: Path) -> Iterator[_Target]:
    """The folder of a file, open and locked; what the system refuses becomes a UserError."""
    try:
        if not _FOLDERS_OPEN:
            yield _Target(path, None)
            return
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _lock(folder, path)
            yield _Target(path, folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise UserError(
            "{path} cannot be written: {why}.", path=path, why=system_reason(error)
        ) from None


def _lock(folder: int, path: Path) -> None:
    import fcntl

    end = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise UserError(
                    "{path} cannot be written: another process has locked the folder {folder}; "
                    "end it, and run the command again.",
                    path=path,
                    folder=path.parent,
                ) from None
            time.sleep(0.02)
        except OSError:
            return  # a file system without locks; the comparison stands
        else:
            return
