"""git, which reads the commits of a local branch."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from bot.base.messages import message
from bot.doctor._support.base import TIMEOUT, CheckAnswer, Surroundings


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether git is there, and whether the working folder lies in a repository."""
    program = shutil.which("git", path=around.environment.get("PATH"))
    if program is None:
        text = message("git was not found; `rlbot pr --base REF` reads commits with it.")
        yield CheckAnswer(
            "git", "missing", text, message("Install git, or add its folder to PATH.")
        )
        return
    version = _output([program, "--version"], around)
    if version is None:
        yield CheckAnswer(
            "git",
            "wrong",
            message("{program} cannot be run.", program=program),
            message("Install git anew."),
        )
        return
    yield CheckAnswer(
        "git", "ok", message("git {version}.", version=version.removeprefix("git version "))
    )
    root = _output([program, "rev-parse", "--show-toplevel"], around)
    if root is None:
        text = message(
            "The working folder is in no git repository; `rlbot pr --base REF` needs one."
        )
        remedy = message("Change into a checkout, or name one with --repo FOLDER.")
        yield CheckAnswer("repository", "missing", text, remedy)
    else:
        yield CheckAnswer("repository", "ok", message("The repository is {root}.", root=root))


def _output(command: list[str], around: Surroundings) -> str | None:
    """What a command prints; None when it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
            command,
            cwd=around.folder,
            env={**around.environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()
