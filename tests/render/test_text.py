from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.render.text import text
from bot.report import Claim, Finding, Report, ScriptReport, Unchecked
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import hostile

SOURCE = "\n".join(
    [
        "#!/usr/bin/env bash",
        "set -x",
        "export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7",
        *[""] * 6,
        "nproc_per_gpu=45 # 32√ → 64× → 48× → 40√ → 44√ → 46× → 45×\r",
        *[""] * 18,
        "\tactor.megatron.grad_offload=True \\",
        "",
        "# 中文注释",
    ]
)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize(
    ("case", "report"),
    [
        ("pass", make.report(make.good())),
        ("fail", make.report(make.bad())),
        ("inconclusive", make.report(make.unknown())),
        ("mixed", make.report(make.good(), make.bad())),
        ("nothing found", make.report(replace(make.good(), findings=(), evidence=None, row=None))),
        (
            "no script",
            make.report(unchecked=(Unchecked(check="files", reason="There are too many"),)),
        ),
    ],
)
def test_text(case: str, report: Report, verbose: bool, snapshot: SnapshotAssertion) -> None:
    shown = text(report, sources={make.LARGE: SOURCE}, verbose=verbose)
    assert shown == snapshot(name=f"{case}{', verbose' if verbose else ''}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_scripts_that_one_check_left_open_stand_together(
    language: Literal["en", "zh"], snapshot: SnapshotAssertion
) -> None:
    """A folder has scripts that start nothing; four are said one by one, and --verbose says all."""
    one = ScriptReport(
        path="scripts/eval.sh",
        sha256="0" * 64,
        verdict="inconclusive",
        unchecked=(Unchecked(check="RLB002 no-launch", reason="it starts nothing"),),
    )
    many = [replace(one, path=f"scripts/eval{number}.sh") for number in range(6)]
    report = replace(make.report(make.bad(), *many), language=language)
    assert text(report) == snapshot(name=language)
    assert "scripts/eval5.sh" in text(report, verbose=True)
    assert "scripts/eval3.sh" in text(make.report(make.bad(), *many[:4]))
    assert "scripts/eval3.sh" not in text(make.report(make.bad(), *many[:5]))


def test_of_many_claims_that_are_open_for_one_reason_a_few_are_named() -> None:
    claims = tuple(
        make.claim(f"a.key{number}", 1, None, verdict="inconclusive", reason="No configuration.")
        for number in range(1, 41)
    )
    script = replace(make.good(), evidence=make.evidence("inconclusive", claims))
    said = text(make.report(script))
    assert "40 claims (a.key1, a.key2, a.key3, a.key4, a.key5, a.key6 and 34 more): No conf" in said
    assert "a.key40 " in text(make.report(script), verbose=True)


def test_launches_of_one_line_are_told_apart() -> None:
    """a-rookie-create/EasyR1: eight read `line 94, verl`; one alone has no number."""
    one = replace(make.launch(), line=94)
    script = replace(make.good(), launches=(one, replace(one, line=94)))
    said = text(make.report(script), verbose=True)
    assert "launch     1 of 2, line 94, verl\n  launch     2 of 2, line 94, verl\n" in said
    assert " of 2" not in text(make.report(replace(script, launches=(one,))), verbose=True)


SAME = make.finding("rollout.mode sync was removed", severity="error")


def _alike(number: int, same: Finding = SAME, *more: Finding) -> ScriptReport:
    """One of several scripts with the same finding."""
    path = f"scripts/run{number}.sh"
    found = tuple(replace(one, path=path) for one in (replace(same, line=number), *more))
    return replace(make.bad(), path=path, findings=found, evidence=None, row=None, estimate=None)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_finding_that_many_scripts_have_is_said_once(
    language: Literal["en", "zh"], snapshot: SnapshotAssertion
) -> None:
    """WillDreamer/ARLArena: 31 scripts, one cause."""
    advised = replace(SAME, help="remove the setting")
    scripts = [_alike(number, advised) for number in range(1, 7)]
    scripts.append(_alike(7, advised, make.finding("of its own")))
    report = replace(make.report(*scripts), language=language)
    sources = {script.path: SOURCE for script in scripts}
    assert text(report, sources=sources) == snapshot(name=language)


def test_a_finding_is_said_for_each_script_that_few_or_different_ones_have() -> None:
    few = [_alike(number) for number in range(1, 5)]
    other = _alike(5, replace(SAME, message="another"))
    milder = _alike(5, replace(SAME, severity="warning"))
    again = replace(few[0], findings=few[0].findings * 3)

    def times(*scripts: ScriptReport, verbose: bool = False) -> int:
        return text(make.report(*scripts), verbose=verbose).count(SAME.message)

    assert times(*few) == 4
    assert times(*few, _alike(5)) == 1
    assert times(*few, _alike(5), verbose=True) == 5
    assert times(*few, other) == 4
    assert times(*few, milder) == 5
    assert times(again, *few[1:]) == 6


def test_what_many_scripts_source_is_one_place() -> None:
    at = replace(SAME, path="common.sh", line=3)
    scripts = [replace(_alike(number), findings=(at,)) for number in range(1, 6)]
    assert "  at         common.sh:3\n" in text(make.report(*scripts))


def test_advice_that_differs_is_left_out_where_a_finding_is_said_once() -> None:
    scripts = [_alike(number, replace(SAME, help=f"use {number}")) for number in range(1, 6)]
    assert "use 1" not in text(make.report(*scripts))
    assert "use 5" in text(make.report(*scripts), verbose=True)


def test_claims_left_open_for_one_reason_stand_on_one_line() -> None:
    """A run without settings leaves forty open for the same reason."""
    report = make.report(make.good())
    evidence = report.scripts[0].evidence
    assert evidence is not None
    because = "TensorBoard records no configuration."
    open_ = replace(
        evidence.claims[0], verdict="inconclusive", observed=None, claimed="x", reason=because
    )
    names = ["a.b", "c", "d", "e"]
    claims = [replace(open_, claim=name) for name in names]
    seen = replace(open_, claim="seen", observed="y")
    odd = replace(open_, claim="odd", reason="Another reason.")

    def lines(*claims: Claim, verbose: bool = False) -> list[str]:
        found = replace(evidence, claims=claims)
        shown = text(make.report(replace(report.scripts[0], evidence=found)), verbose=verbose)
        return [line.split("inconclusive")[1].strip() for line in shown.splitlines()
                if line.startswith("             inconclusive")]  # fmt: skip

    assert lines(claims[0], odd, *claims[1:], seen) == [
        f"4 claims (a.b, c, d, e): {because}",
        f"odd claimed x ({open_.source}): Another reason.",
        f"seen claimed x, observed y ({open_.source}): {because}",
    ]
    assert len(lines(*claims, verbose=True)) == 4
    assert len(lines(*claims[:3])) == 3


def test_wide_characters_and_tabs(snapshot: SnapshotAssertion) -> None:
    path = "7b/中文.sh"
    source = (
        "批量=45 # 试过 44√\n\tdata.path='数据' \\\nname=\u202e'x'\u00a0y\n" + "a=1 " * 60 + "b=2"
    )
    script = replace(
        make.bad(path),
        findings=(
            make.finding("too large", severity="error", path=path, line=1, columns=(4, 6)),
            make.finding("名称不对", path=path, line=2, columns=(12, 16), help="改成 data"),
            make.finding("bidirectional", path=path, line=3, columns=(6, 7)),
            make.finding("far right", path=path, line=4, columns=(241, 244)),
            make.finding("past the end", path=path, line=99, columns=(1, 2)),
        ),
        evidence=None,
        row=None,
    )
    assert text(make.report(script), sources={path: source}) == snapshot


def test_a_finding_over_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    found = replace(make.finding(path="a.sh", line=1, columns=(3, 2)), end_line=3)
    script = replace(make.good("a.sh"), findings=(found,), evidence=None, row=None)
    shown = text(make.report(script), sources={"a.sh": "x 'ab\ncd\n'"})
    assert "     │ x 'ab\n     │   ^^^\n" in shown


def test_colour_is_only_added() -> None:
    report = make.report(make.good(), make.bad(), make.unknown())
    sources = {make.LARGE: SOURCE}
    plain = text(report, sources=sources, verbose=True)
    painted = text(report, sources=sources, verbose=True, color=True)
    assert "\x1b" not in plain
    assert "\x1b[31;1merror" in painted
    assert ANSI.sub("", painted) == plain


@settings(max_examples=scaled(40))
@given(texts=st.lists(hostile, min_size=3, max_size=7), source=hostile, color=st.booleans())
def test_nothing_reaches_the_terminal_unseen(texts: list[str], source: str, color: bool) -> None:
    report = make.big(3, 12, tuple(texts))
    sources = {script.path: source for script in report.scripts}
    shown = text(report, sources=sources, color=color, verbose=True)
    lines = (ANSI.sub("", shown) if color else shown).split("\n")
    assert all(line.isprintable() for line in lines)
    assert "\u2800" not in shown
    shown.encode()
