"""Reports in Chinese: every sentence of the renderers has its translation, and reads aligned."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.memory.estimate import Fit, StageName
from bot.render.columns import width_of
from bot.render.github import github
from bot.render.html import page
from bot.render.launches import launches
from bot.render.markdown import comment
from bot.render.speech import speaking, tr
from bot.render.text import text
from bot.render.words import WORDS
from bot.report import Report, Suppressed, Unchecked
from tests.render import factories as make
from tests.render.test_text import SOURCE


def test_every_word_of_an_estimate_can_be_translated() -> None:
    assert {*get_args(StageName), *get_args(Fit)} <= set(WORDS)


def test_the_language_holds_only_while_it_is_spoken() -> None:
    with speaking("zh"):
        assert tr("script") == "脚本"
        with speaking("en"):
            assert tr("script") == "script"
        assert tr("script") == "脚本"
    assert tr("script") == "script"


def _report(*scripts: object, **more: object) -> Report:
    return replace(make.report(*scripts, **more), language="zh")  # type: ignore[arg-type]


FOUND = make.finding("批量 45 在试验记录中标为 ×", severity="error", line=10, columns=(15, 17))
SUPPRESSED = Suppressed(finding=make.finding("键重复", line=3), reason="集群会覆盖它", line=2)
CASES = {
    "pass": _report(make.good()),
    "fail": _report(replace(make.bad(), suppressed=(SUPPRESSED,))),
    "inconclusive": _report(make.unknown()),
    "mixed": _report(make.good(), make.bad(), unchecked=(Unchecked(check="page", reason="缺"),)),
    "nothing found": _report(replace(make.good(), findings=(), evidence=None, row=None)),
    "no script": _report(),
}


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, snapshot: SnapshotAssertion) -> None:
    assert text(CASES[case], sources={make.LARGE: SOURCE}, verbose=True) == snapshot


@pytest.mark.parametrize("case", CASES)
def test_comment(case: str, snapshot: SnapshotAssertion) -> None:
    assert comment(CASES[case]) == snapshot


def test_a_comment_that_is_cut_says_so_in_chinese(snapshot: SnapshotAssertion) -> None:
    report = replace(make.big(3, 60, ("甲", "乙")), language="zh")
    assert comment(report, limit=4_000).splitlines()[-3:] == snapshot


def test_page(snapshot: SnapshotAssertion) -> None:
    made = page(comment(CASES["fail"]), "检查结果", language="zh")
    assert '<html lang="zh-Hans">' in made
    assert made[made.index("<main>") :] == snapshot


def test_annotations(snapshot: SnapshotAssertion) -> None:
    assert github(CASES["fail"]) == snapshot


def test_launches(snapshot: SnapshotAssertion) -> None:
    assert launches(CASES["pass"]) == snapshot


def test_columns_stay_aligned_with_wide_characters() -> None:
    script = replace(
        make.bad(),
        findings=(
            replace(FOUND, line=9),
            replace(FOUND, severity="warning", line=10, column=2),
            replace(FOUND, severity="note", line=100),
        ),
    )
    shown = text(_report(script), verbose=True)
    starts = {
        width_of(line[: line.index("RLB033")]) for line in shown.splitlines() if "RLB033" in line
    }
    assert len(starts) == 1
    values = [line for line in shown.splitlines() if re.match(r"  \S", line) and "RLB" not in line]
    assert {width_of(re.match(r"  \S+ +", line)[0]) for line in values} == {13}  # type: ignore[index]
