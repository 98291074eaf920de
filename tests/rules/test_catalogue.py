"""A rule is its file, its test and its page: none may be missing, and none may be left over."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from bot.base.messages import Language
from bot.registry.base import Example
from bot.registry.docs import pages
from bot.rules._support.base import ScriptRule
from bot.rules._support.registry import RULES, check_context
from tests.rules.helpers import check, context
from tools.rule_pages import folder, write

HERE = Path(__file__).parent
NOT_OF_A_RULE = {"catalogue", "mutations", "registry"}

each_rule = pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.slug)


def example_of(rule: ScriptRule) -> Example:
    assert rule.meta.example is not None
    return rule.meta.example


def test_rules_tests_and_pages_are_the_same_set() -> None:
    slugs = {rule.slug for rule in RULES.rules}
    stems = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}
    tested = {stem.replace("_", "-") for stem in stems - NOT_OF_A_RULE}
    written = {path.stem for path in folder(RULES, "en").glob("*.md")} - {"index"}
    assert tested == slugs
    assert written == slugs


@pytest.mark.parametrize("language", get_args(Language))
def test_pages_on_disk_are_those_that_the_rules_make(language: Language) -> None:
    files = folder(RULES, language).glob("*.md")
    on_disk = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert on_disk == pages(RULES, language), "run python -m tools.rule_pages"


def test_writing_removes_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    at = folder(RULES, "zh", tmp_path)
    at.mkdir(parents=True)
    (at / "gone.md").write_text("x")
    write(RULES, "zh", tmp_path)
    assert {path.name for path in at.iterdir()} == set(pages(RULES))


def test_ids_and_slugs_are_unique_and_well_formed() -> None:
    ids = [rule.meta.id for rule in RULES.rules]
    slugs = [rule.slug for rule in RULES.rules]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch(r"RLB\d{3}", id_) for id_ in ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in slugs)


def test_published_ids_keep_their_rule() -> None:
    # Ids stand in people's configurations. A release adds its new rules here; none is changed or
    # taken away.
    published = {
        "RLB001": "syntax",
        "RLB002": "no-launch",
        "RLB003": "name-pattern",
        "RLB004": "size-folder",
        "RLB005": "invisible-characters",
        "RLB006": "header-statement",
        "RLB010": "name-gpus",
        "RLB011": "name-train",
        "RLB012": "name-infer",
        "RLB013": "name-adapter",
        "RLB014": "name-algorithm",
        "RLB015": "name-model",
        "RLB016": "name-device",
        "RLB020": "unknown-key",
        "RLB021": "plus-on-existing-key",
        "RLB022": "missing-plus",
        "RLB023": "deprecated-key",
        "RLB024": "bad-override",
        "RLB025": "broken-continuation",
        "RLB026": "duplicate-key",
        "RLB027": "bad-value",
        "RLB030": "missing-dollar",
        "RLB031": "undefined-variable",
        "RLB032": "placeholder",
        "RLB040": "batch-divisibility",
        "RLB041": "trial-log",
        "RLB042": "no-wandb-logger",
        "RLB043": "visible-devices",
        "RLB044": "tee-without-pipefail",
        "RLB045": "single-response",
        "RLB046": "dataset-name",
        "RLB047": "author-path",
        "RLB048": "experiment-name",
        "RLB050": "parallel-size",
        "RLB051": "mini-batch-size",
        "RLB052": "micro-batch-size",
        "RLB053": "micro-batch-form",
        "RLB054": "sequence-parallel-padding",
        "RLB055": "dynamic-batch-flags",
        "RLB056": "validation-temperature",
        "RLB057": "rollout-parallel-size",
        "RLB058": "critic-batch-size",
        "RLB059": "mini-batch-shares",
        "RLB060": "loss-aggregation",
        "RLB061": "removed-rollout-mode",
        "RLB062": "lora-rank-limit",
        "RLB063": "missing-setting",
        "RLB064": "token-limit",
        "RLB065": "deepspeed-batch",
        "RLB066": "colocated-engines",
        "RLB067": "colocated-roles",
        "RLB068": "sample-batches",
        "RLB069": "option-conflict",
        "RLB070": "padding-kept",
        "RLB071": "fixed-batch",
        "RLB072": "token-budget",
        "RLB073": "log-prob-limit",
        "RLB074": "critic-limit",
        "RLB075": "engine-memory-share",
        "RLB076": "batched-tokens",
        "RLB077": "wide-rollout",
        "RLB078": "activations-kept",
        "RLB079": "unused-memory-option",
        "RLB080": "costly-option",
        "RLB081": "forward-prefetch",
        "RLB082": "lora-base-dtype",
        "RLB083": "long-context",
        "RLB084": "consumer-card",
        "RLB085": "rollout-statistics",
        "RLB091": "strict-mode",
        "RLB092": "unquoted-arguments",
        "RLB093": "secret",
        "RLB094": "shebang",
        "RLB100": "full-groups",
        "RLB101": "pack-length",
    }
    assert published.items() <= {rule.meta.id: rule.slug for rule in RULES.rules}.items()


@each_rule
def test_texts_are_sentences(rule: ScriptRule) -> None:
    meta = rule.meta
    for text in (meta.summary, meta.why, meta.instead, meta.limits):
        assert (
            text[0].isupper()
            or text[0] == "`"
            or text.split()[0].count("_") > 0
            or (text.startswith(("verl", "fsdp", "open-instruct")))
        ), text
        assert text.endswith("."), text
        assert "!" not in text.replace("#!", "")
    assert "\n" not in meta.summary
    assert len(meta.summary) <= 100
    assert meta.source
    assert rule.slug in RULES.url(rule.slug)


@each_rule
def test_the_bad_example_is_reported_with_the_rules_severity(rule: ScriptRule) -> None:
    example = example_of(rule)
    path = example.bad_path or example.path
    findings, unchecked = check(rule.slug, example.bad, path)
    assert rule.meta.severity in {finding.severity for finding in findings}
    assert not unchecked


@each_rule
def test_the_good_example_has_no_error_of_any_rule(rule: ScriptRule) -> None:
    example = example_of(rule)
    # Read once, and checked by every rule.
    good = context(example.good, example.path)
    findings, _ = check_context(good)
    assert not [
        finding for finding in findings if finding.severity == "error" or finding.id == rule.meta.id
    ]
    assert good.plans
