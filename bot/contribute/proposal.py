"""What a contribution says about itself: its branch, its title, its description."""

from __future__ import annotations

from pathlib import PurePosixPath

from bot.report import ScriptReport


def branch_of(path: str) -> str:
    """The branch that a script is contributed on."""
    return f"tuning/{PurePosixPath(path).stem}"


def title_of(script: ScriptReport) -> str:
    """The subject of the commit and the pull request, in English, as the project's own are."""
    row = script.row
    if row is None:
        return f"Add {PurePosixPath(script.path).name}"
    return f"Add a tuning script: {row.model}, {row.task}, {row.resource}"


def body_of(script: ScriptReport, link: str | None, checked: str) -> str:
    """The description of the pull request, in Markdown.

    `checked` is the result of the check, shown where nobody else can read the run.
    """
    what = f"Adds `{script.path}` and its row in the table."
    if link:
        return f"{what}\n\nRun: {link}\n"
    return f"{what}\n\nThe run lies on no server. What its records say:\n\n{checked}\n"
