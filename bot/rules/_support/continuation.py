"""Launches that end before their author meant, where the continuation of lines is broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.report import Finding
from bot.rules._support.base import RuleContext
from bot.shell.words import Command

_SETTING = regex(r"(?:[+]{1,2}|~)?[A-Za-z_]\w*(?:[./@]\w+)*\.\w+=|--(?:[a-z][\w.\-]*)?\Z")
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
    """The findings without those at a launch that ends too early.

    What is found at a launch's first word is about settings that it lacks, and those may be among
    the ones that were cut off.
    """
    spans = [plan.launch.command.argv[0].span for plan in context.plans]
    cut = cut_launches(context)
    places = [context.source.place(span) for span in spans if span.start in cut]
    at = {(place.line, place.column) for place in places}
    return tuple(
        finding
        for finding in findings
        if finding.path != context.path or (finding.line, finding.column) not in at
    )
