"""A run overrules what was predicted of it, and only such a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.check.estimate import measured, overruled
from bot.evidence.facts import Facts, MetricSeries
from bot.report import Claim, ClaimVerdict, Evidence, Finding


def finding(rule: str) -> Finding:
    return Finding(
        id=rule, slug="x", severity="warning", message="", path="x.sh", line=1, column=1,
        end_line=1, end_column=2,
    )  # fmt: skip


FOUND = (finding("RLB020"), finding("RLB110"), finding("RLB111"), finding("RLB112"))
RAN = Evidence(source="", verdict="consistent", steps=60, peak_gib=71.2)
FACTS = Facts(source="a run")


@pytest.mark.parametrize(
    ("evidence", "facts"),
    [
        (None, None),
        (replace(RAN, verdict="inconsistent"), FACTS),  # another run
        (replace(RAN, steps=0), FACTS),
        (RAN, replace(FACTS, out_of_memory="torch.OutOfMemoryError")),
    ],
)
def test_predictions_stay(evidence: Evidence | None, facts: Facts | None) -> None:
    assert overruled(FOUND, evidence, facts) == FOUND


@pytest.mark.parametrize("verdict", ["consistent", "inconclusive"])
def test_a_run_that_ran_is_stronger(verdict: ClaimVerdict) -> None:
    left = overruled(FOUND, replace(RAN, verdict=verdict), FACTS)
    assert [found.id for found in left] == ["RLB020"]


@pytest.mark.parametrize(("verdict", "left"), [("consistent", ["RLB113"]), ("inconclusive", [])])
def test_a_model_that_missed_the_peak_offers_no_fewer_gpus(
    verdict: ClaimVerdict, left: list[str]
) -> None:
    against = Claim(
        claim="peak against the estimate", claimed=None, observed=None, source="", verdict=verdict,
        reason="",
    )  # fmt: skip
    evidence = replace(RAN, claims=(against,))
    kept = overruled((*FOUND[1:], finding("RLB113")), evidence, FACTS)
    assert [found.id for found in kept] == left


def test_lengths_of_a_run() -> None:
    series = MetricSeries(
        key="response_length/mean", rows=3, maximum=271.0, at_step=2, last=250.0, monotone=False
    )
    found = measured(replace(FACTS, history={series.key: series}))
    assert found is not None
    assert (found.response_mean, found.prompt_mean) == (271.0, None)
    assert measured(FACTS) is None
