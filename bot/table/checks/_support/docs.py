"""The checks' documentation pages, made from what the checks say about themselves.

`python -m bot.table.checks._support.docs` writes them to `docs/table/` and
`docs/zh/table/`; a test compares the files on disk.
"""

from __future__ import annotations

from pathlib import Path

from bot.base.messages import PROSE, Language, mark, prose, translation
from bot.table.checks._support.base import Meta
from bot.table.checks._support.registry import checks

DOCS = Path(__file__).resolve().parents[4] / "docs"
"""The documentation's folder in a checkout."""

FOLDERS: dict[Language, str] = {"en": "table", "zh": "zh/table"}

_PAGE = mark(
    """\
# {id} {slug}

| Severity | Since |
| --- | --- |
| {severity} | {added_in} |

## What it does

{summary}

## Why it matters

{why}

## Use instead

{instead}

## Limits

{limits}
"""
)

_INDEX = mark(
    """\
# Checks of the page

`rlbot table check PAGE` compares every row of the tuning page with its script, and every script
with its row. An **error** is a contradiction between the two, or a row that cannot be followed; a
**warning** is probably not meant; a **note** is advice. What cannot be known without asking anyone
is reported as not checked. `--select`, `--ignore` and `rules:` in `.rlbot.yml` take ids and slugs.

| Id | Check | Severity | Finds |
| --- | --- | --- | --- |
{rows}
"""
)


def page(meta: Meta, language: Language = "en") -> str:
    """The page of one check, in Markdown."""
    return translation(_PAGE, language).format(
        id=meta.id,
        slug=meta.slug,
        severity=meta.severity,
        added_in=meta.added_in,
        **{name: prose(meta, name, language) for name in PROSE},
    )


def index(language: Language = "en") -> str:
    """The table of all checks, in Markdown."""
    rows = [
        f"| {m.id} | [{m.slug}]({m.slug}.md) | {m.severity} | {prose(m, 'summary', language)} |"
        for m in (one.meta for one in checks())
    ]
    return translation(_INDEX, language).format(rows="\n".join(rows))


def files() -> dict[str, str]:
    """Path below the documentation's folder to content, of every page."""
    made = {}
    for language, folder in FOLDERS.items():
        made[f"{folder}/index.md"] = index(language)
        for one in checks():
            made[f"{folder}/{one.meta.slug}.md"] = page(one.meta, language)
    return made


def write(folder: Path = DOCS) -> None:
    """Write every page below `folder`, and remove pages of checks that are no more."""
    made = files()
    for name in FOLDERS.values():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for old in (folder / name).glob("*.md"):
            if f"{name}/{old.name}" not in made:
                old.unlink()
    for path, text in made.items():
        (folder / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
