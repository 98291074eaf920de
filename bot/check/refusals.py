"""What the framework refuses of a launch that is estimated all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.base.messages import Message, message, with_help
from bot.check.request import CheckOptions
from bot.frameworks.plan import Plan
from bot.memory.readers.settings import NoEstimateError
from bot.rules._support.base import RuleContext

_UNKNOWN = "unknown-key"
"""The rule of the settings that there are not: what else is refused has a meaning."""
_SOME_CARD = "h100"


def refusals(
    context: RuleContext, plan: Plan, options: CheckOptions, gpus: int | None
) -> Iterator[Message]:
    """What the rules call an error that stops a launch of the script, a clause for each.

    What `--set` gives is no part of the script.
    The rules are asked only where something is refused at all.
    """
    own = replace(plan, settings=tuple(one for one in plan.settings if not one.given))
    table = own.table
    refused = table is not None and any(table.refused(own.settings))
    if not (refused or plan.bad_arguments or plan.configuration.problem is not None):
        return
    from bot.check.lint import lint  # The rules take a start a tenth of a second.
    from bot.rules._support.registry import RULES

    stopping = tuple(rule.meta.id for rule in RULES.rules if rule.meta.refusal)
    findings, _, _ = lint(replace(context, plans=(own,)), replace(options, select=stopping))
    errors = [finding for finding in findings if finding.severity == "error"]
    unset = _not_counted(context, plan, options, gpus) if errors else ()
    for finding in errors:
        problem = message("{problem}", problem=finding.message)
        if finding.slug == _UNKNOWN and (finding.line, finding.column) in unset:
            problem = message("{problem}, and it counts as not set", problem=finding.message)
        yield with_help(problem, finding.help) if isinstance(finding.help, Message) else problem


def _not_counted(
    context: RuleContext, plan: Plan, options: CheckOptions, gpus: int | None
) -> frozenset[tuple[int, int]]:
    """Line and column of the settings that the estimate does not read; none without an estimate."""
    card = options.device or context.choice.device or _SOME_CARD
    try:
        read = context.estimate(plan, card, gpus=gpus).read
    except NoEstimateError:
        return frozenset()
    source = context.source
    places = (
        source.line_column(one.key_span.start) for one in plan.settings if one.key not in read
    )
    return frozenset((source.file_line(line), column) for line, column in places)
