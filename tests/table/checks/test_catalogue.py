"""A check is its file, its test and its pages: none may be missing, and none may be left over."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from bot.base.messages import Language
from bot.registry.docs import pages
from bot.rules._support.registry import RULES
from bot.table.checks._support.base import PageCheck
from bot.table.checks._support.registry import CHECKS
from tools.rule_pages import folder

HERE = Path(__file__).parent
NOT_OF_A_CHECK = {"catalogue", "page"}

each_check = pytest.mark.parametrize("one", CHECKS.rules, ids=lambda one: one.slug)


def test_checks_tests_and_pages_are_the_same_set() -> None:
    slugs = {one.slug for one in CHECKS.rules}
    stems = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}
    assert {stem.replace("_", "-") for stem in stems - NOT_OF_A_CHECK} == slugs


@pytest.mark.parametrize("language", get_args(Language))
def test_pages_on_disk_are_those_that_the_checks_make(language: Language) -> None:
    files = folder(CHECKS, language).glob("*.md")
    on_disk = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert on_disk == pages(CHECKS, language), "run python -m tools.rule_pages"


def test_published_ids_keep_their_check() -> None:
    # Ids stand in people's configurations; none is changed or taken away.
    published = {
        "RLB300": "table-form",
        "RLB301": "dead-link",
        "RLB302": "row-link",
        "RLB303": "missing-row",
        "RLB304": "duplicate-row",
        "RLB305": "row-tag",
        "RLB306": "row-model",
        "RLB307": "row-task",
        "RLB308": "row-resource",
        "RLB309": "row-batch",
        "RLB310": "row-trials",
        "RLB311": "row-train",
        "RLB312": "row-infer",
        "RLB313": "wrong-section",
        "RLB314": "section-order",
        "RLB315": "row-contributor",
        "RLB316": "link-text",
        "RLB317": "stray-commit",
    }
    assert published.items() <= {one.meta.id: one.slug for one in CHECKS.rules}.items()


def test_no_rule_of_scripts_has_such_an_id_or_name() -> None:
    taken = {label for rule in RULES.rules for label in (rule.meta.id, rule.slug)}
    assert not taken & {label for one in CHECKS.rules for label in (one.meta.id, one.slug)}


@each_check
def test_texts_are_sentences(one: PageCheck) -> None:
    meta = one.meta
    for text in (meta.summary, meta.why, meta.instead, meta.limits):
        assert text.endswith("."), text
        assert "!" not in text
    assert len(meta.summary) <= 100
    assert CHECKS.lookup(meta.id.lower()) is one
    assert one.slug in CHECKS.url(one.slug)
