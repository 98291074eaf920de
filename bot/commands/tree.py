"""The files that scripts may source or start: below `--root`, or in their repository."""

from __future__ import annotations

import argparse
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError

if TYPE_CHECKING:
    from bot.shell import Files

_LARGEST = 1 << 20
"""Bytes of a file that is read; a larger one is no script."""


def add_root(parser: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the folder that scripts are called from: files below it that a script sources or "
        "runs are read too, and a model's config.json (default: the script's git repository, but "
        "for files whose names begin with a dot; outside of one none). The programs and settings "
        "that a script names are read there too; outside of a repository they are read below the "
        "working folder, or the script's own",
    )


def tree_of(arguments: argparse.Namespace) -> tuple[Path | None, Files | None]:
    """The folder, with links followed, and its files; raises UserError when it is none."""
    if arguments.root is None:
        return None, None
    root = Path(arguments.root)
    if not root.is_dir():
        raise UserError("--root takes a folder; {root} is none.", root=root)
    return root.resolve(), files_below(root)


def files_below(root: Path, *, hidden: bool = True) -> Files:
    """Gives the content of a regular file below `root`; None for all else.

    A link that leads out of `root` is refused, and so is what is larger than a script may be.
    Without `hidden` so is what has a dot before its name, or that of its folder: `.env` holds
    secrets.
    """
    root = root.resolve()

    def content(path: str) -> bytes | None:
        try:
            file = (root / path).resolve()
            if not file.is_relative_to(root):
                return None
            if not hidden and any(part[0] == "." for part in file.relative_to(root).parts):
                return None
            status = file.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                return None
            return file.read_bytes()
        except (OSError, ValueError, RuntimeError):  # RuntimeError: a loop of links
            return None

    return content


def path_below(root: Path, path: Path) -> str | None:
    """The path of a script in the tree, with forward slashes; None when it lies elsewhere."""
    try:
        return path.resolve().relative_to(root).as_posix()
    except (OSError, ValueError, RuntimeError):
        return None
