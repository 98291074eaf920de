"""git, as a program: what is asked for in a folder, and what it answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bot.base.errors import UserError, system_reason
from bot.base.messages import Message, message

_TIMEOUT = 60


def outside(folder: Path) -> Message:
    """What a command says of a folder that no repository holds."""
    return message(
        "{folder} is not inside a git repository: change into a clone, or name one with --repo.",
        folder=folder,
    )


def git(folder: Path, *arguments: str, wrong: str | None = None) -> bytes:
    """What git prints. Raises UserError, with the sentence `wrong` where one is given."""
    command = [
        "git",
        "--no-pager",
        "--no-replace-objects",
        *("-c", "core.fsmonitor=false"),
        *("-c", "diff.external="),
        *("-C", str(folder)),
        *arguments,
    ]
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, the arguments are no shell text
            command,
            env={**os.environ, **quiet},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except FileNotFoundError:
        raise UserError(message("git was not found; install git and try again.")) from None
    except OSError as error:
        raise UserError(
            "{command} could not be started: {reason}.", command="git", reason=system_reason(error)
        ) from None
    except subprocess.TimeoutExpired:
        raise UserError(
            "git {command} did not answer within {timeout} s.",
            command=arguments[0],
            timeout=_TIMEOUT,
        ) from None
    if done.returncode != 0:
        detail = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UserError(
            wrong
            or message(
                "git {command} failed: {detail}",
                command=arguments[0],
                detail=detail[-1] if detail else "?",
            )
        )
    return done.stdout


def changed_entries(raw: bytes) -> list[tuple[str, str, str]]:
    """Mode, blob and path of each entry of `git diff-tree --raw -z`, as they are at the head."""
    parts = raw.split(b"\0")
    found: list[tuple[str, str, str]] = []
    at = 0
    while at < len(parts) and parts[at].startswith(b":"):
        _, mode, _, digest, status = parts[at].decode().split()
        paths = 2 if status[0] in "RC" else 1
        found.append((mode, digest, parts[at + paths].decode("utf-8", "surrogateescape")))
        at += 1 + paths
    return found


def renamed_paths(raw: bytes) -> frozenset[str]:
    """The paths that files of `git diff-tree --raw -z` had before they were renamed."""
    parts, at, found = raw.split(b"\0"), 0, set[str]()
    while at < len(parts) and parts[at].startswith(b":"):
        status = parts[at].split()[-1][:1]
        if status == b"R":
            found.add(parts[at + 1].decode("utf-8", "surrogateescape"))
        at += 3 if status in (b"R", b"C") else 2
    return frozenset(found)
