"""Prints a report in the form that is asked for, and gives the exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.output import write

if TYPE_CHECKING:
    from bot.render.next_step import Conversation
    from bot.report import Report

CHECK_FORMATS = ("text", "json", "sarif", "github", "markdown")
"""Forms of a check's result."""
_SAFE = ("github", "json", "sarif")
"""Forms that hold no command but their own: no line of JSON starts with a colon, and who reads
JSON from a pipe must get nothing else."""


def finish(
    report: Report,
    arguments: argparse.Namespace,
    sources: Mapping[str, str] | None = None,
    conversation: Conversation | None = None,
) -> int:
    """Print the report in the wanted form; return the exit status.

    `conversation` is what is known of the report's pull request.
    """
    from bot.report import exit_status

    status = exit_status(report)
    if arguments.quiet and status == 0 and arguments.format not in ("json", "sarif"):
        return status  # a program that reads the result gets one in any case
    shown = rendered(report, arguments, sources or {}, conversation)
    write(shown, commands=arguments.format in _SAFE)
    return status


def rendered(
    report: Report,
    arguments: argparse.Namespace,
    sources: Mapping[str, str],
    conversation: Conversation | None = None,
) -> str:
    """The report in the form that `--format` names."""
    if arguments.format == "sarif":
        from bot.registry.docs import texts
        from bot.render.sarif import sarif
        from bot.rules._support.registry import RULES
        from bot.table.checks._support.registry import CHECKS

        rules = (*texts(RULES, report.language), *texts(CHECKS, report.language))
        return sarif(report, rules=rules, sources=sources, prefix=_root_prefix())
    if arguments.format == "github":
        from bot.render.github import github

        return github(report, prefix=_root_prefix())
    if arguments.format == "json":
        from bot.render.json_report import to_json

        return to_json(report)
    if arguments.format == "markdown":
        from bot.render.markdown import HERE, comment

        return comment(report, conversation=conversation or HERE)
    from bot.render.text import text

    return text(
        report,
        sources=sources,
        color=wants_color(arguments.color),
        verbose=arguments.verbose,
        run_given=bool(getattr(arguments, "run", None)),
    )


def _root_prefix() -> str:
    """The working folder below the repository's root, with forward slashes; "" without one."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return here.relative_to(folder).as_posix().removeprefix(".")
    return ""


def wants_color(choice: str) -> bool:
    """Whether to colour: `--color`, then NO_COLOR and FORCE_COLOR, then whether a person looks.

    A terminal that calls itself dumb shows the codes themselves.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
