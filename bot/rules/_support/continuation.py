"""Launches that end before their author meant, where the continuation of lines is broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.report import Finding
from bot.rules._support.base import RuleContext
from bot.rules._support.groups import group_of
from bot.shell.source import Place
from bot.shell.words import Command

_SETTING = regex(r"(?:[+]{1,2}|~)?[A-Za-z_]\w*(?:[./@]\w+)*\.\w+=|--(?:[a-z][\w.\-]*)?\Z")
_COMPARING: Final = frozenset(("launch", "start", "advice", "memory"))
"""Groups of rules that compare the settings of a launch with each other."""
_ESCAPED_BLANK = regex(r"\\?(?<=\\)[ \t]")


def stray_settings(context: RuleContext) -> Iterator[Command]:
    """Commands whose first word is a setting."""
    for command in context.reading.commands:
        if command.argv and _SETTING.match(command.argv[0].text):
            yield command


def cut_launches(context: RuleContext) -> frozenset[int]:
    """Where the launches begin whose next command in the script is a setting."""
    begins = sorted({c.argv[0].span.start for c in context.reading.commands if c.argv})
    following = dict(pairwise(begins))
    strays = {command.argv[0].span.start for command in stray_settings(context)}
    launches = {plan.launch.command.argv[0].span.start for plan in context.plans}
    return frozenset(at for at in launches if following.get(at) in strays)


def is_cut(context: RuleContext, plan: Plan) -> bool:
    """Whether a launch lacks settings that its author wrote, so that defaults stand in for them."""
    return plan.launch.command.argv[0].span.start in cut_launches(context)


def follows_backslash(context: RuleContext, at: int) -> bool:
    """Whether the word at this offset begins with an escaped blank, as one behind a line's end."""
    return _ESCAPED_BLANK.match(context.source.text, at) is not None


def without_consequences(findings: Iterable[Finding], context: RuleContext) -> tuple[Finding, ...]:
    """The findings without those that a launch's early end may have made.

    What is found at its first word is about settings that it lacks, which may be among those that
    were cut off; what compares settings has compared with defaults in their place.
    """
    commands = [plan.launch.command for plan in context.plans]
    cut = cut_launches(context)
    places = [
        context.source.place(command.span)
        for command in commands
        if command.argv[0].span.start in cut
    ]
    return tuple(
        finding
        for finding in findings
        if finding.path != context.path or not any(_is_consequence(finding, at) for at in places)
    )


def _is_consequence(finding: Finding, launch: Place) -> bool:
    if (finding.line, finding.column) == (launch.line, launch.column):
        return True
    return group_of(finding.id) in _COMPARING and launch.line <= finding.line <= launch.end_line
