"""git, which reads the commits of a local branch."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from bot.doctor._support.base import Answer, Surroundings

_NEEDED_FOR = "`rlbot pr --base REF` reads commits with it"


def check(around: Surroundings) -> Iterator[Answer]:
    """Whether git is there, and whether the working folder lies in a repository."""
    program = shutil.which("git", path=around.environment.get("PATH"))
    if program is None:
        yield Answer(
            subject="git",
            state="missing",
            said=f"git was not found; {_NEEDED_FOR}.",
            remedy="Install git, or add its folder to PATH.",
        )
        return
    try:
        version = _said([program, "--version"], around).removeprefix("git version ")
    except (OSError, subprocess.SubprocessError) as error:
        yield Answer(
            subject="git",
            state="wrong",
            said=f"{program} cannot be run: {type(error).__name__}.",
            remedy="Install git anew.",
        )
        return
    yield Answer(subject="git", state="ok", said=f"git {version}.")
    try:
        root = _said([program, "rev-parse", "--show-toplevel"], around)
    except (OSError, subprocess.SubprocessError):
        yield Answer(
            subject="repository",
            state="missing",
            said="The working folder is in no git repository; `rlbot pr --base REF` needs one.",
            remedy="Change into a checkout, or name one with --repo FOLDER.",
        )
        return
    yield Answer(subject="repository", state="ok", said=f"The repository is {root}.")


def _said(command: list[str], around: Surroundings) -> str:
    done = subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
        command,
        cwd=around.folder,
        env={**around.environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=around.timeout,
        check=True,
    )
    return done.stdout.decode("utf-8", "replace").strip()
