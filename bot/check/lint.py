"""What the rules find in a script, as its configuration and its comments let it stand."""

from __future__ import annotations

from collections.abc import Sequence

from bot.check.cells import in_cells, suppressed_in_cells
from bot.check.levels import rule_levels, with_levels
from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.suppress import suppress
from bot.frameworks.settings.key_table import NEAR_MISSES
from bot.report import Finding, Suppressed, Unchecked
from bot.rules._support.base import RuleContext
from bot.rules._support.continuation import without_consequences
from bot.rules._support.registry import RULES
from bot.script.name import is_recipe, is_shell

_NEAR_MISSES = 200
"""Settings of a script for which a similar one is looked for."""


def lint(
    context: RuleContext, options: CheckOptions
) -> tuple[tuple[Finding, ...], tuple[Suppressed, ...], tuple[Unchecked, ...]]:
    """What the rules find, what comments suppress of it, and what could not be checked."""
    levels = rule_levels(options.config)
    off = [rule for rule, level in levels.items() if level == "off"]
    rules = RULES.selected(options.select, [*options.ignore, *off])
    if not is_shell(context.path):
        rules = tuple(rule for rule in rules if not rule.meta.shell_only)
    with NEAR_MISSES.granted(_NEAR_MISSES):
        findings, unchecked = RULES.run(rules, context)
    if not options.consequences:
        findings = without_consequences(findings, context)
    findings = _beyond_recipes(findings, context, options)
    kept, suppressed = suppress(context, with_levels(findings, levels), rules, unchecked)
    # Comments were held against the lines of the text.
    kept = in_cells(kept, context.source)
    return kept, suppressed_in_cells(suppressed, context.source), unchecked


def _beyond_recipes(
    findings: Sequence[Finding], context: RuleContext, options: CheckOptions
) -> tuple[Finding, ...]:
    """The findings without those that a recipe's own check has, or that its comments suppress."""
    left = tuple(findings)
    for part in context.source.attached:
        if all(finding.path != part.path for finding in left) or not is_recipe(part.path):
            continue
        recipe = ScriptFile(path=part.path, data=part.text.encode())
        alone, suppressed, _ = lint(read_script(recipe, options), options)
        known = [one.finding for one in suppressed]
        known += alone if part.path in options.recipes else ()
        places = {(one.path, one.line, one.column, one.id) for one in known}
        left = tuple(f for f in left if (f.path, f.line, f.column, f.id) not in places)
    return left
