"""What rules say about themselves, in each language: their pages, and texts for renderers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language, mark, translation
from bot.registry.base import PROSE, Example, Meta
from bot.registry.registry import Registry
from bot.report import Severity

_CONFIDENCE = {"certain": mark("certain"), "high": mark("high"), "medium": mark("medium")}
_HEAD = mark(
    """\
# {id} {slug}

| Severity | Confidence | Since |
| --- | --- | --- |
| {severity} | {confidence} | {added_in} |
"""
)
_SECTIONS = {
    "summary": mark("What it does"),
    "why": mark("Why it matters"),
    "example": mark("Example"),
    "instead": mark("Use instead"),
    "limits": mark("Limits"),
    "source": mark("Source"),
}
"""What a page says below its head, under which headings; a section without a text is left out."""
_NAMES = mark(
    """\
`{bad_path}`

is reported,

`{path}`

is not, with

{good}"""
)
_SCRIPTS = mark(
    """\
Reported, as `{bad_path}`:

{bad}

Not reported, as `{path}`:

{good}"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleText:
    """One rule for renderers that list the rules, in the words of its documentation."""

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


def prose(meta: Meta, field: str, language: Language) -> str:
    """One of the texts PROSE in a language; English where it has no translation."""
    return translation(getattr(meta, field), language, f"{meta.slug} {field}")


def page(meta: Meta, language: Language = "en") -> str:
    """The page of one rule, in Markdown."""
    head = translation(_HEAD, language).format(
        id=meta.id,
        slug=meta.slug,
        severity=translation(meta.severity, language),
        confidence=translation(_CONFIDENCE[meta.confidence], language),
        added_in=meta.added_in,
    )
    said = {name: prose(meta, name, language) for name in PROSE} | {
        "example": _example(meta.example, language) if meta.example else "",
        "source": meta.source,
    }
    sections = (
        f"\n## {translation(title, language)}\n\n{said[name]}\n"
        for name, title in _SECTIONS.items()
        if said[name]
    )
    return head + "".join(sections)


def texts(registry: Registry[Any], language: Language = "en") -> Iterator[RuleText]:
    """Every rule's documentation in a language; English where a rule has no other."""
    for meta in (rule.meta for rule in registry.rules):
        yield RuleText(
            id=meta.id,
            slug=meta.slug,
            severity=meta.severity,
            confidence=meta.confidence,
            summary=prose(meta, "summary", language),
            description=prose(meta, "why", language),
            help=prose(meta, "instead", language),
            markdown=page(meta, language),
            url=registry.url(meta.slug),
        )


def pages(registry: Registry[Any], language: Language = "en") -> dict[str, str]:
    """File name to content, of every page and of the list of all rules."""
    metas = [rule.meta for rule in registry.rules]
    rows = [
        f"| {m.id} | [{m.slug}]({m.slug}.md) | {translation(m.severity, language)} "
        f"| {prose(m, 'summary', language)} |"
        for m in metas
    ]
    index = translation(registry.index, language).format(rows="\n".join(rows))
    return {f"{m.slug}.md": page(m, language) for m in metas} | {"index.md": index}


def _example(example: Example, language: Language) -> str:
    template = _NAMES if example.bad == example.good else _SCRIPTS
    return translation(template, language).format(
        bad_path=example.bad_path or example.path,
        path=example.path,
        bad=_code(example.bad),
        good=_code(example.good),
    )


def _code(script: str) -> str:
    return f"```bash\n{script.rstrip()}\n```"
