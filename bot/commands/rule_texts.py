"""The rules' own words for renderers that list the rules."""

from __future__ import annotations

from bot.language import Language
from bot.render.ruleset import RuleText


def rule_texts(language: Language = "en") -> tuple[RuleText, ...]:
    """Every rule's documentation in a language; English where a rule has no other."""
    from bot.rules.docs import page
    from bot.rules.registry import rules, url

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
                markdown=page(meta),
                url=url(meta.slug),
            )
        )
    return tuple(made)
