"""Applies the levels that the configuration's key `rules` gives to findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.base.config import Config, RuleLevel
from bot.base.errors import UserError
from bot.report import Finding
from bot.rules._support.registry import RULES

if TYPE_CHECKING:
    from bot.table.checks._support.base import PageCheck


def rule_levels(config: Config) -> dict[str, RuleLevel]:
    """Id of a rule to its level; raises UserError for no rule's name.

    Checks of the page have names of their own, which are of no concern to a script.
    """
    levels: dict[str, RuleLevel] = {}
    for name, level in config.rules.items():
        try:
            levels[RULES.find(name).meta.id] = level
        except UserError as error:
            if _page_check(name) is None:
                raise UserError("The configuration's rules: {error}", error=error) from None
    return levels


def page_levels(config: Config) -> dict[str, RuleLevel]:
    """Id of a check of the page to its level; other names are of no concern to a page."""
    found = ((_page_check(name), level) for name, level in config.rules.items())
    return {one.meta.id: level for one, level in found if one is not None}


def with_levels(
    findings: Iterable[Finding], levels: Mapping[str, RuleLevel]
) -> tuple[Finding, ...]:
    """The findings with the severities that the configuration gives their rules."""
    changed = []
    for finding in findings:
        level = levels.get(finding.id, "off")
        changed.append(finding if level == "off" else replace(finding, severity=level))
    return tuple(changed)


def _page_check(name: str) -> PageCheck | None:
    from bot.table.checks._support.registry import CHECKS  # A script alone does without.

    return CHECKS.lookup(name)
