"""The rules' documentation pages, made from what the rules say about themselves.

`python -m bot.rules.docs` writes them to `docs/rules/`; a test compares the files on disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.rules.base import Example, Meta
from bot.rules.registry import rules

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"
"""Where the pages lie in a checkout."""

_PAGE = """\
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

_INDEX = """\
# Rules

An **error** cannot start or contradicts itself; a **warning** is probably not meant; a **note** is
advice. A rule may lower its severity for a milder case. `rlbot rule ID` prints a page; `--select`,
`--ignore` and `rules:` in `.rlbot.yml` take ids and slugs.

| Id | Rule | Severity | Finds |
| --- | --- | --- | --- |
{rows}
"""


def page(meta: Meta) -> str:
    """The page of one rule, in Markdown."""
    return _PAGE.format(
        id=meta.id,
        slug=meta.slug,
        severity=meta.severity,
        confidence=meta.confidence,
        added_in=meta.added_in,
        summary=meta.summary,
        why=meta.why,
        example=_example(meta.example),
        instead=meta.instead,
        limits=meta.limits,
        source=meta.source,
    )


def index(metas: Iterable[Meta]) -> str:
    """The table of all rules, in Markdown."""
    rows = [f"| {m.id} | [{m.slug}]({m.slug}.md) | {m.severity} | {m.summary} |" for m in metas]
    return _INDEX.format(rows="\n".join(rows))


def files() -> dict[str, str]:
    """File name to content, of every page."""
    metas = [rule.meta for rule in rules()]
    return {f"{meta.slug}.md": page(meta) for meta in metas} | {"index.md": index(metas)}


def write(folder: Path = FOLDER) -> None:
    """Write every page to `folder`, and remove pages of rules that are no more."""
    made = files()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def _example(example: Example) -> str:
    bad_path = example.bad_path or example.path
    if example.bad == example.good:
        return f"`{bad_path}`\n\nis reported,\n\n`{example.path}`\n\nis not, with\n\n" + _code(
            example.good
        )
    return (
        f"Reported, as `{bad_path}`:\n\n{_code(example.bad)}\n\n"
        f"Not reported, as `{example.path}`:\n\n{_code(example.good)}"
    )


def _code(script: str) -> str:
    return f"```bash\n{script.rstrip()}\n```"


if __name__ == "__main__":
    write()
