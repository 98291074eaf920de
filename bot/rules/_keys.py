"""What a release says about each setting of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bot.frameworks.plan import Plan, Setting
from bot.frameworks.tables import KeyVerdict, Status
from bot.rules.base import Case, TextEdit


def refused(case: Case, *statuses: Status) -> Iterator[tuple[Plan, Setting, KeyVerdict]]:
    """The settings of all plans whose verdict has one of these statuses."""
    for plan in case.plans:
        for setting, verdict in zip(plan.settings, _verdicts(plan), strict=False):
            if verdict.status in statuses:
                yield plan, setting, verdict


@lru_cache(maxsize=32)
def _verdicts(plan: Plan) -> tuple[KeyVerdict, ...]:
    """The verdict on each setting, none without a table; kept, as several rules ask."""
    return plan.table.verdicts(plan.settings) if plan.table is not None else ()


def release(plan: Plan) -> str:
    """The release that was asked, in words: "checked against verl 0.9.1: the newest release".

    A configuration of its own (a checkout, a change) has no release: its name says all.
    """
    if plan.version_reason.endswith(plan.framework_version):
        return f"checked against {plan.version_reason}"
    return f"checked against {plan.framework} {plan.framework_version}: {plan.version_reason}"


def written(setting: Setting) -> str:
    """The key with its operator, as the script writes it."""
    return f"{setting.operator}{setting.key}"


def shown(plan: Plan, key: str) -> str:
    """The key as the framework's users write it: verl's dotted, an option with two dashes."""
    return key if plan.framework == "verl" else f"--{key}"


def replaced(case: Case, setting: Setting, text: str) -> tuple[TextEdit, ...]:
    """The edit that writes `text` for the key and its operator; none for a computed key."""
    span = setting.key_span
    there = case.source.text[span.start : span.end]
    dashes = "--" if there.startswith("--") else ""
    if there != dashes + written(setting):
        return ()
    return (TextEdit(span=span, text=dashes + text),)
