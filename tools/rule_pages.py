"""The documentation pages of the rules, made from what the rules say about themselves.

`python -m tools.rule_pages` writes them to `docs/rules` and `docs/table`, and in Chinese below
`docs/zh`; a test compares the files on disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, get_args

from bot.base.messages import Language
from bot.registry.docs import pages
from bot.registry.registry import Registry
from bot.rules._support.registry import RULES
from bot.table.checks._support.registry import CHECKS

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"


def folder(registry: Registry[Any], language: Language, docs: Path = DOCS) -> Path:
    """Where the pages of a registry lie."""
    return (docs if language == "en" else docs / language) / registry.folder


def write(registry: Registry[Any], language: Language, docs: Path = DOCS) -> None:
    """Write every page of a language, and remove pages of rules that are no more."""
    made, at = pages(registry, language), folder(registry, language, docs)
    at.mkdir(parents=True, exist_ok=True)
    for old in at.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (at / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for language in get_args(Language):
        for registry in (RULES, CHECKS):
            write(registry, language)
