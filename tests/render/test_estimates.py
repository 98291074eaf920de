"""The memory estimate as people see it: terminal, comment, drawing, both languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bot.base.messages import Language
from bot.render.estimates import bar, drawing, estimates, headline
from bot.report import (
    Claim,
    ClaimVerdict,
    Estimate,
    EstimateOption,
    EstimateStage,
    Evidence,
    Report,
    ScriptReport,
    Tool,
)
from bot.report.claims import SourceName, SourcePart, claim_source

STAGES = (
    EstimateStage(
        stage="update",
        pool="all roles",
        floor_gib=48.9,
        expected_gib=61.2,
        conservative_gib=70.3,
        components={"weights": 14.2, "logits": 20.0, "<b>&": 27.0},
    ),
    EstimateStage(
        stage="optimizer",
        pool="all roles",
        floor_gib=70.9,
        expected_gib=71.4,
        conservative_gib=72.0,
        components={"weights": 14.2, "optimizer": 57.2},
    ),
)
MADE = Estimate(
    outcome="tight",
    model="Qwen2.5-7B",
    device="H800",
    gpus=2,
    memory_gib=79.65,
    usable_gib=79.3,
    binding="optimizer",
    peak_gib=71.4,
    stages=STAGES,
    options=(EstimateOption(setting="a.model_dtype=bf16", saves_gib=14.2),),
    applied=("a.param_offload=True",),
    host_gib=127.7,
    assumptions=("mean response 512 tokens (no run given)",),
)
NONE = Estimate(outcome="no prediction", reason="The shape of the model | x is not known.")


def report(estimate: Estimate, language: Language = "en") -> Report:
    script = ScriptReport(path="a/qwen_|_x.sh", sha256="", verdict="pass", estimate=estimate)
    return Report(
        schema="report-v1",
        tool=Tool(name="rlbot", version="0"),
        verdict="pass",
        scripts=(script,),
        language=language,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("made", [MADE, NONE], ids=["made", "none"])
def test_the_estimate(
    made: Estimate, form: str, language: Language, snapshot: SnapshotAssertion
) -> None:
    assert estimates(report(made, language), form) == snapshot


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize(
    ("paths", "shown"),
    [(("a/x.sh", "b/y.sh"), ["x.sh", "y.sh"]), (("a/x.sh", "b/x.sh"), ["a/x.sh", "b/x.sh"])],
)
def test_two_scripts_of_one_name_are_told_apart(
    paths: tuple[str, str], shown: list[str], form: str
) -> None:
    """tehranixyz/Search-R1 has a train_grpo.sh at its root, and another one of Search-R1's."""
    one = report(NONE)
    both = tuple(replace(one.scripts[0], path=path) for path in paths)
    blocks = estimates(replace(one, scripts=both), form).split("\n\n")
    assert [block.partition(":")[0] for block in blocks] == shown


def test_the_drawing_is_whole_and_holds_no_markup_of_others() -> None:
    text = drawing("a/<x>&.sh", MADE)
    tree = ElementTree.fromstring(text)  # noqa: S314 - our own output
    space = "{http://www.w3.org/2000/svg}"
    bars = [r for r in tree.iter(f"{space}rect") if r.find(f"{space}title") is not None]
    assert len(bars) == 5
    widths = {r.findtext(f"{space}title"): float(r.attrib["width"]) for r in bars}
    assert widths["optimizer 57.2 GiB"] == pytest.approx(widths["weights 14.2 GiB"] * 4.03, 0.01)
    assert {child.tag.removeprefix(space) for child in tree.iter()} <= {
        "svg", "title", "text", "rect", "line",
    }  # fmt: skip


@given(st.floats(0, 200), st.floats(0.1, 200), st.integers(1, 60))
def test_a_bar_has_its_width_and_grows(part: float, whole: float, width: int) -> None:
    drawn = bar(part, whole, width)
    assert len(drawn) == width
    assert drawn.count("█") <= bar(part * 1.5, whole, width).count("█")
    assert (drawn == "█" * width) == (round(min(1.0, part / whole) * width * 8) == width * 8)


def ran(peak: float | None, source: str, verdict: ClaimVerdict, **more: Any) -> Evidence:
    """A run of sixty steps with what is claimed of its peak."""
    claim = Claim(
        claim="peak memory", claimed=None, observed=None, source=source, verdict=verdict, reason=""
    )
    given = {"verdict": verdict, "steps": 60, "peak_gib": peak, "claims": (claim,), **more}
    return Evidence(source="a run", **given)


PHYSICAL = claim_source(SourceName.SYSTEM_STREAM, SourcePart(None, "GPU 0"))
ALLOCATOR = claim_source(SourcePart(SourceName.HISTORY, "perf/max_memory_allocated_gb (allocated)"))


@pytest.mark.parametrize(
    ("evidence", "end"),
    [
        (None, "tight, 71.4 GiB expected"),
        (ran(74.4, PHYSICAL, "consistent", steps=0), "tight, 71.4 GiB expected"),
        (ran(74.4, PHYSICAL, "inconsistent"), "tight, 71.4 GiB expected"),
        (ran(74.4, PHYSICAL, "consistent"), "71.4 GiB expected, 74.4 GiB measured"),
        (
            ran(61.0, ALLOCATOR, "consistent"),
            "71.4 GiB expected, 61.0 GiB measured by the allocator of one rank",
        ),
        # More than the card has, and none at all: no figure to stand beside the prediction.
        (
            ran(112.9, ALLOCATOR, "inconclusive"),
            "71.4 GiB expected, and the run completed 60 steps",
        ),
        (ran(None, "history", "inconclusive"), "71.4 GiB expected, and the run completed 60 steps"),
    ],
)
def test_a_prediction_is_no_verdict_on_what_was_seen(evidence: Evidence | None, end: str) -> None:
    assert headline(MADE, evidence) == f"2 × H800 (79.3 GiB usable): {end}"


@pytest.mark.parametrize(("most", "named"), [(99.9, False), (100.0, True)])
def test_a_level_far_above_what_is_expected_is_named_beside_it(most: float, *, named: bool) -> None:
    stage = replace(STAGES[0], conservative_gib=most)
    wide = replace(MADE, stages=(stage, STAGES[1]))
    start = "2 × H800 (79.3 GiB usable): tight, 71.4 GiB expected"
    assert headline(wide) == (f"{start}, up to 100.0 GiB" if named else start)
    # The lengths of a run leave less open.
    assert headline(replace(wide, measured_lengths=True)) == start
