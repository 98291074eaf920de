"""What a change holds that could not be read: its scripts, and rlbot's own configuration."""

from __future__ import annotations

from bot.base.config import FILE_NAME, SCRIPT_SUFFIXES
from bot.base.regex import regex
from bot.render.speech import tr_plural
from bot.report import Report, Unchecked

_HELP = regex(r"; |\uff1b")


def unread(report: Report) -> list[Unchecked]:
    """The scripts of a change that were not read at all."""
    return [item for item in report.unchecked if item.check.endswith(SCRIPT_SUFFIXES)]


def headlines(report: Report) -> list[str]:
    """How many scripts were not read, in words; nothing where all were."""
    left = len(unread(report))
    if not left:
        return []
    return [tr_plural("{count} script was not read", "{count} scripts were not read", left)]


def failed_config(report: Report) -> list[str]:
    """What is wrong with rlbot's own configuration in the change, without what would help."""
    wrong = [item.reason for item in report.unchecked if item.check == FILE_NAME]
    return [_HELP.split(reason, maxsplit=1)[0].rstrip(".") for reason in wrong]
