"""The rules of scripts, one in each module of `bot.rules`."""

from __future__ import annotations

from collections.abc import Sequence

import bot.rules
from bot.base.messages import mark
from bot.registry.registry import Registry
from bot.report import Finding, Unchecked
from bot.rules._support.base import RuleContext

_FAULT = mark(
    "rule {id} failed: {kind}. This is a fault of rlbot, not of the script; please "
    "report it with the script."
)
_INDEX = mark(
    """\
# Rules

An **error** cannot start or contradicts itself; a **warning** is probably not meant; a **note** is
advice. A rule may lower its severity for a milder case. `rlbot rule ID` prints a page; `--select`,
`--ignore` and `rules:` in `.rlbot.yml` take ids and slugs.

| Id | Rule | Severity | Finds |
| --- | --- | --- | --- |
{rows}
"""
)

RULES: Registry[RuleContext] = Registry(
    package=bot.rules, folder="rules", fault=_FAULT, index=_INDEX
)


def check_context(
    context: RuleContext, *, select: Sequence[str] = ()
) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
    """Run the rules over one script: what they found, and what could not be checked.

    `select` holds ids or slugs; an empty one means all rules. Raises UserError when a name is no
    rule's.
    """
    return RULES.run(RULES.selected(select), context)
