"""Runs made on one card, of which everything is known, against what the command prints of them."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from statistics import mean

import pytest

from tests.memory.judge import OWN, Judged, judge_row, rows_of

ROWS = {str(row["id"]): row for row in rows_of(OWN)}


@cache
def judged(name: str) -> Judged:
    """The row of this id, with what is printed of its script."""
    return judge_row(OWN, ROWS[name])


def test_rows_and_scripts_are_those_that_ran() -> None:
    digest = sha256((OWN / "rows.json").read_bytes())
    scripts = sorted((OWN / "scripts").iterdir())
    for path in scripts:
        digest.update(path.name.encode() + path.read_bytes())
    assert {path.stem for path in scripts} == set(ROWS)
    assert digest.hexdigest() == (
        "5c4fe786c6e29e247e34ffd24dd9eee8092960d18dbdca82452dd3639ca50e09"
    )


@pytest.mark.parametrize("name", ROWS)
def test_what_torch_allocated_is_met(name: str) -> None:
    """Each of these terms would be missed by more: 2 bytes a logit are 12 % of the 7B's peak."""
    one = judged(name)
    assert one.error is not None
    assert abs(one.error) < 0.035
    assert one.cover is not None
    assert one.cover >= 1


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_errors_are_small_on_the_whole(framework: str) -> None:
    errors = [
        abs(one.error)
        for one in map(judged, ROWS)
        if one.error is not None and one.row["framework"].startswith(framework)
    ]
    assert len(errors) >= 16
    assert mean(errors) < 0.012


@pytest.mark.parametrize(
    ("measured", "stage", "place"),
    [
        ("old", "log-prob", 0),
        ("ref", "log-prob", 1),
        ("optimizer", "optimizer", 0),
        ("generate", "rollout", 0),
    ],
)
def test_so_are_the_passes_without_gradient_and_the_steps(
    measured: str, stage: str, place: int
) -> None:
    beside = {"contexts", "sleeping engine", "allocator"}
    met = []
    for one in map(judged, ROWS):
        peak = one.row.get("peaks_gib", {}).get(measured)
        stages = [s for s in one.estimate["stages"] if s["stage"] == stage]
        if peak is None or len(stages) <= place:
            continue
        parts = stages[place]["components"].items()
        met.append(sum(amount for name, amount in parts if name not in beside) / peak)
    assert len(met) >= 4
    assert all(0.92 < one < 1.1 for one in met)
    assert mean(abs(one - 1) for one in met) < 0.02
