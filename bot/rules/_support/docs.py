"""The rules' documentation pages, made from what the rules say about themselves.

`python -m bot.rules._support.docs` writes them to `docs/rules/`, and in Chinese to
`docs/zh/rules/`; a test compares the files on disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.rules._support.base import Example, Meta
from bot.rules._support.registry import rules

_DOCS = Path(__file__).resolve().parents[3] / "docs"
FOLDER = _DOCS / "rules"
"""Where the pages lie in a checkout."""
FOLDER_ZH = _DOCS / "zh" / "rules"
"""Where the Chinese pages lie."""

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

_PAGE_ZH = """\
# {id} {slug}

| 级别 | 可信度 | 起始版本 |
| --- | --- | --- |
| {severity} | {confidence} | {added_in} |

## 检查什么

{summary}

## 为什么重要

{why}

## 示例

{example}

## 应当怎样写

{instead}

## 局限

{limits}

## 依据

{source}
"""

_INDEX_ZH = """\
# 规则

**错误**：无法启动，或自相矛盾；**警告**：多半不是本意；**提示**：建议。情况较轻时规则可以降低级别。
`rlbot rule ID` 显示某条规则的说明；`--select`、`--ignore` 与 `.rlbot.yml` 的 `rules:`
接受编号与名称。

| 编号 | 规则 | 级别 | 检查什么 |
| --- | --- | --- | --- |
{rows}
"""

_SEVERITY_ZH = {"error": "错误", "warning": "警告", "note": "提示"}
_CONFIDENCE_ZH = {"certain": "确定", "high": "高", "medium": "中"}

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


def page_zh(meta: Meta) -> str:
    """The page of one rule in Chinese; the English one for a rule that has no Chinese text."""
    if meta.zh is None:
        return page(meta)
    return _PAGE_ZH.format(
        id=meta.id,
        slug=meta.slug,
        severity=_SEVERITY_ZH[meta.severity],
        confidence=_CONFIDENCE_ZH[meta.confidence],
        added_in=meta.added_in,
        summary=meta.zh.summary,
        why=meta.zh.why,
        example=_example(meta.example, zh=True),
        instead=meta.zh.instead,
        limits=meta.zh.limits,
        source=meta.source,
    )


def index(metas: Iterable[Meta]) -> str:
    """The table of all rules, in Markdown."""
    rows = [f"| {m.id} | [{m.slug}]({m.slug}.md) | {m.severity} | {m.summary} |" for m in metas]
    return _INDEX.format(rows="\n".join(rows))


def index_zh(metas: Iterable[Meta]) -> str:
    """The table of all rules in Chinese, in Markdown."""
    rows = [
        f"| {m.id} | [{m.slug}]({m.slug}.md) | {_SEVERITY_ZH[m.severity]} "
        f"| {m.zh.summary if m.zh else m.summary} |"
        for m in metas
    ]
    return _INDEX_ZH.format(rows="\n".join(rows))


def files() -> dict[str, str]:
    """File name to content, of every page."""
    metas = [rule.meta for rule in rules()]
    return {f"{meta.slug}.md": page(meta) for meta in metas} | {"index.md": index(metas)}


def files_zh() -> dict[str, str]:
    """File name to content, of every Chinese page."""
    metas = [rule.meta for rule in rules()]
    return {f"{meta.slug}.md": page_zh(meta) for meta in metas} | {"index.md": index_zh(metas)}


def write(folder: Path = FOLDER, made: dict[str, str] | None = None) -> None:
    """Write every page to `folder`, and remove pages of rules that are no more."""
    made = files() if made is None else made
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def _example(example: Example, *, zh: bool = False) -> str:
    bad_path = example.bad_path or example.path
    if example.bad == example.good:
        if zh:
            return (
                f"以下内容命名为 `{bad_path}` 时报告，命名为 `{example.path}` 时不报告：\n\n"
                + _code(example.good)
            )
        return f"`{bad_path}`\n\nis reported,\n\n`{example.path}`\n\nis not, with\n\n" + _code(
            example.good
        )
    if zh:
        return (
            f"命名为 `{bad_path}` 时报告：\n\n{_code(example.bad)}\n\n"
            f"命名为 `{example.path}` 时不报告：\n\n{_code(example.good)}"
        )
    return (
        f"Reported, as `{bad_path}`:\n\n{_code(example.bad)}\n\n"
        f"Not reported, as `{example.path}`:\n\n{_code(example.good)}"
    )


def _code(script: str) -> str:
    return f"```bash\n{script.rstrip()}\n```"


if __name__ == "__main__":
    write()
    write(FOLDER_ZH, files_zh())
