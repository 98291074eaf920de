"""What a change of a framework's configuration breaks, as lines of text and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from bot.base.messages import mark_plural
from bot.render import blocks, wording
from bot.render.columns import padded
from bot.render.escape import clip, code_span, terminal
from bot.render.finding_places import PATH, FindingPlaces
from bot.render.fit import FitGroup, FitPart
from bot.render.places import way_out
from bot.render.speech import counted, tr, tr_plural
from bot.render.words import SCRIPT
from bot.report import BrokenSetting, ConfigurationChange, Severity

_OPEN: Final = 12
"""Places that stand open in a comment; more are folded."""
_NAMED: Final = 20
"""Scripts that are named where they are only mentioned."""


def refused(change: ConfigurationChange) -> str:
    """The scripts that did not start before either; empty where there are none."""
    if not change.refused:
        return ""
    return tr_plural(
        "{count} script with new errors did not start before either: {names}",
        "{count} scripts with new errors did not start before either: {names}",
        len(change.refused),
        names=wording.named(change.refused, _NAMED),
    )


def lines(
    change: ConfigurationChange, paint: Callable[[Severity, str], str]
) -> Iterator[list[str]]:
    """What is new for a terminal, block by block: each setting with its places."""
    for one in change.broken:
        first = one.findings[0]
        severity = paint(first.severity, padded(tr(first.severity), 7))
        what = f"{terminal(first.id)}  {terminal(first.message)}"
        yield [
            f"{terminal(_title(one))}  {severity}  {what}",
            *([f"     │ {terminal(way)}"] if (way := way_out(first)) else []),
            *(f"  {terminal(f.path)}:{f.line}:{f.column}" for f in one.findings),
        ]
    last = [refused(change)] if change.refused else []
    for item in change.unchecked:
        last.append(tr("not checked: {what}", what=wording.not_checked(item)))
    if last:
        yield [terminal(line) for line in last]


def part(change: ConfigurationChange | None, places: FindingPlaces) -> list[FitPart]:
    """The section of the comment: a heading for each setting, its places below."""
    if change is None or not (change.broken or change.refused):
        return []
    groups = [
        FitGroup(_heading(one), tuple(f"  - {places.link(f)}" for f in one.findings))
        for one in change.broken
    ]
    last = refused(change)
    groups += [FitGroup("", (f"- {blocks.sentence(last)}",))] if last else []
    title = tr("Broken by the change of the configuration")
    count = sum(len(one.findings) for one in change.broken)
    summary = tr("{what}: {why}", what=title, why=counted(count, _PLACE))
    wrap = blocks.section(title, folded=count > _OPEN, summary=summary)
    return [FitPart(_PLACE, 80, groups, wrap)]


_PLACE: Final = mark_plural("{count} place", "{count} places")


def _heading(one: BrokenSetting) -> str:
    first = one.findings[0]
    name = code_span(clip(_title(one), PATH))
    scripts = counted(len({f.path for f in one.findings}), SCRIPT)
    return f"- {name} · {scripts} · {blocks.message_and_rule(first)}"


def _title(one: BrokenSetting) -> str:
    return one.key or one.findings[0].slug
