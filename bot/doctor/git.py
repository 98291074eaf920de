"""git, which reads the commits of a local branch."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.github.git import git


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether git is there, and whether the working folder lies in a repository.

    The App reads commits through the API: whoever runs it needs neither.
    """
    if around.runs_app:
        return
    if shutil.which("git", path=around.environment.get("PATH")) is None:
        text = message("git was not found; `rlbot pr --base REF` reads commits with it.")
        remedy = message("Install git, or add its folder to PATH.")
        yield CheckAnswer("git", "missing", text, remedy)
        return
    try:
        version = _answer(around, "--version").removeprefix("git version ")
    except UserError as error:
        yield CheckAnswer("git", "wrong", sentence_of(error), message("Install git anew."))
        return
    yield CheckAnswer("git", "ok", message("git {version}.", version=version))
    try:
        root = _answer(around, "rev-parse", "--show-toplevel")
    except UserError:
        text = message(
            "The working folder is in no git repository; `rlbot pr --base REF` needs one."
        )
        remedy = message("Change into a checkout, or name one with --repo FOLDER.")
        yield CheckAnswer("repository", "missing", text, remedy)
    else:
        yield CheckAnswer("repository", "ok", message("The repository is {root}.", root=root))


def _answer(around: Surroundings, *arguments: str) -> str:
    return git(around.folder, *arguments).decode("utf-8", "replace").strip()
