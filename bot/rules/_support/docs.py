"""The rules' documentation pages, made from what the rules say about themselves.

`python -m bot.rules._support.docs` writes them to `docs/rules/`, and in Chinese to
`docs/zh/rules/`; a test compares the files on disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.base.messages import PROSE, Language, mark, prose, translation
from bot.rules._support.base import Example, Meta
from bot.rules._support.registry import rules

_DOCS = Path(__file__).resolve().parents[3] / "docs"
FOLDERS: dict[Language, Path] = {"en": _DOCS / "rules", "zh": _DOCS / "zh" / "rules"}
"""Where the pages lie in a checkout."""

_PAGE = mark(
    """\
# {id} {slug}

| Severity | Confidence | Since |
| --- | --- | --- |
| {severity} | {confidence} | {added_in} |

## What it does

{summary}

## Why it matters

{why}

## Example

{example}

## Use instead

{instead}

## Limits

{limits}

## Source

{source}
"""
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
_CONFIDENCE = {"certain": mark("certain"), "high": mark("high"), "medium": mark("medium")}
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


def page(meta: Meta, language: Language = "en") -> str:
    """The page of one rule, in Markdown."""
    return translation(_PAGE, language).format(
        id=meta.id,
        slug=meta.slug,
        severity=translation(meta.severity, language),
        confidence=translation(_CONFIDENCE[meta.confidence], language),
        added_in=meta.added_in,
        example=_example(meta.example, language),
        source=meta.source,
        **{name: prose(meta, name, language) for name in PROSE},
    )


def index(metas: Iterable[Meta], language: Language = "en") -> str:
    """The table of all rules, in Markdown."""
    rows = [
        f"| {m.id} | [{m.slug}]({m.slug}.md) | {translation(m.severity, language)} "
        f"| {prose(m, 'summary', language)} |"
        for m in metas
    ]
    return translation(_INDEX, language).format(rows="\n".join(rows))


def files(language: Language = "en") -> dict[str, str]:
    """File name to content, of every page."""
    metas = [rule.meta for rule in rules()]
    made = {f"{meta.slug}.md": page(meta, language) for meta in metas}
    return made | {"index.md": index(metas, language)}


def write(folder: Path, language: Language = "en") -> None:
    """Write every page of a language, and remove pages of rules that are no more."""
    made = files(language)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


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


if __name__ == "__main__":
    for language, folder in FOLDERS.items():
        write(folder, language)
