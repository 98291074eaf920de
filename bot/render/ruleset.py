"""What a renderer needs to know of the rules; a door fills it from the rules themselves."""

from __future__ import annotations

from dataclasses import dataclass

from bot.report import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleText:
    """One rule, in the words of its documentation."""

    id: str
    slug: str
    severity: Severity
    confidence: str
    """certain, high or medium."""
    summary: str
    """One sentence: what it finds."""
    description: str
    """Why that matters."""
    help: str
    """What to write instead, as text."""
    markdown: str
    """The whole page."""
    url: str
