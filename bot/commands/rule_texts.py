"""The rules' own words for renderers that list the rules."""

from __future__ import annotations

from bot.base.messages import Language
from bot.render.ruleset import RuleText


def rule_texts(language: Language = "en") -> tuple[RuleText, ...]:
    """Every rule's documentation in a language; English where a rule has no other.

    The checks of the documentation page follow the rules of scripts.
    """
    from bot.rules._support.docs import page, page_zh
    from bot.rules._support.registry import rules, url
    from bot.table.checks._support import docs as page_docs
    from bot.table.checks._support import registry as page_checks

    made = []
    for rule in rules():
        meta = rule.meta
        said = meta.zh if language == "zh" and meta.zh else meta
        made.append(
            RuleText(
                id=meta.id,
                slug=meta.slug,
                severity=meta.severity,
                confidence=meta.confidence,
                summary=said.summary,
                description=said.why,
                help=said.instead,
                markdown=page_zh(meta) if language == "zh" else page(meta),
                url=url(meta.slug),
            )
        )
    for one in page_checks.checks():
        words = one.meta.zh if language == "zh" else one.meta
        made.append(
            RuleText(
                id=one.meta.id,
                slug=one.meta.slug,
                severity=one.meta.severity,
                confidence="certain",
                summary=words.summary,
                description=words.why,
                help=words.instead,
                markdown=page_docs.page(one.meta, language),
                url=page_checks.url(one.meta.slug),
            )
        )
    return tuple(made)
