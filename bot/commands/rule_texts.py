"""The rules' own words for renderers that list the rules."""

from __future__ import annotations

from bot.base.messages import Language, prose
from bot.render.ruleset import RuleText


def rule_texts(language: Language = "en") -> tuple[RuleText, ...]:
    """Every rule's documentation in a language; English where a rule has no other.

    The checks of the documentation page follow the rules of scripts.
    """
    from bot.rules._support import docs, registry
    from bot.table.checks._support import docs as page_docs
    from bot.table.checks._support import registry as page_checks

    made = []
    for meta in (rule.meta for rule in registry.rules()):
        made.append(
            RuleText(
                id=meta.id,
                slug=meta.slug,
                severity=meta.severity,
                confidence=meta.confidence,
                summary=prose(meta, "summary", language),
                description=prose(meta, "why", language),
                help=prose(meta, "instead", language),
                markdown=docs.page(meta, language),
                url=registry.url(meta.slug),
            )
        )
    for check in (one.meta for one in page_checks.checks()):
        made.append(
            RuleText(
                id=check.id,
                slug=check.slug,
                severity=check.severity,
                confidence="certain",
                summary=prose(check, "summary", language),
                description=prose(check, "why", language),
                help=prose(check, "instead", language),
                markdown=page_docs.page(check, language),
                url=page_checks.url(check.slug),
            )
        )
    return tuple(made)
