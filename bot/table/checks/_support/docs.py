"""The checks' documentation pages, made from what the checks say about themselves.

`python -m bot.table.checks._support.docs` writes them to `docs/table/` and
`docs/zh/table/`; a test compares the files on disk.
"""

from __future__ import annotations

from pathlib import Path

from bot.base.messages import Language
from bot.table.checks._support.base import Meta
from bot.table.checks._support.registry import checks

DOCS = Path(__file__).resolve().parents[4] / "docs"
"""The documentation's folder in a checkout."""

FOLDERS: dict[Language, str] = {"en": "table", "zh": "zh/table"}

_PAGE: dict[Language, str] = {
    "en": """\
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
""",
    "zh": """\
# {id} {slug}

| 级别 | 始于 |
| --- | --- |
| {severity} | {added_in} |

## 检查内容

{summary}

## 为什么重要

{why}

## 应当怎样写

{instead}

## 限制

{limits}
""",
}

_INDEX: dict[Language, str] = {
    "en": """\
# Checks of the page

`rlbot table check PAGE` compares every row of the tuning page with its script, and every script
with its row. An **error** is a contradiction between the two, or a row that cannot be followed; a
**warning** is probably not meant; a **note** is advice. What cannot be known without asking anyone
is reported as not checked. `--select`, `--ignore` and `rules:` in `.rlbot.yml` take ids and slugs.

| Id | Check | Severity | Finds |
| --- | --- | --- | --- |
{rows}
""",
    "zh": """\
# 页面检查

{intro}

| 编号 | 检查 | 级别 | 发现 |
| --- | --- | --- | --- |
{rows}
""",
}

_INTRO_ZH = (
    "`rlbot table check PAGE` 把调优页面的每一行与其脚本、每个脚本与其行相互核对。"
    "**error** 表示两者矛盾或该行无从查证；**warning** 表示多半不是本意；**note** 是建议。"
    "不询问他人就无法知道的内容报告为未核对。"
    "`--select`、`--ignore` 和 `.rlbot.yml` 中的 `rules:` 接受编号和名称。"
)
"""On one line: a browser shows the end of a line as a space, which Chinese does not have."""


def page(meta: Meta, language: Language = "en") -> str:
    """The page of one check, in Markdown."""
    said = meta if language == "en" else meta.zh
    return _PAGE[language].format(
        id=meta.id,
        slug=meta.slug,
        severity=meta.severity,
        added_in=meta.added_in,
        summary=said.summary,
        why=said.why,
        instead=said.instead,
        limits=said.limits,
    )


def index(language: Language = "en") -> str:
    """The table of all checks, in Markdown."""
    rows = []
    for meta in (one.meta for one in checks()):
        said = meta if language == "en" else meta.zh
        rows.append(
            f"| {meta.id} | [{meta.slug}]({meta.slug}.md) | {meta.severity} | {said.summary} |"
        )
    return _INDEX[language].format(rows="\n".join(rows), intro=_INTRO_ZH)


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
