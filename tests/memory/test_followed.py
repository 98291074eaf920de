"""What is printed of programs whose allocations were followed without a GPU, stage by stage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.command import rlbot

FOLDER = Path(__file__).parent / "followed"
ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in json.loads((FOLDER / "rows.json").read_bytes())
}
_BESIDE = {"contexts", "sleeping engine", "allocator"}
_WITHIN = {"update": 0.1, "log-prob": 0.02, "optimizer": 0.14, "critic": 0.02}
_KNOWN = {
    ("openrlhf-sft-lora-z2", "update"): 0.15,
    ("verl-padded", "update"): 0.12,
}
"""Further off. OpenRLHF's logits have a name until the next pass, so that they are there when the
bucket is full, which the model has no term for; 4 bytes each, where the head's moment has 16."""


@cache
def _errors(name: str) -> Mapping[str, float]:
    """How far off each stage of a row is, as a share of what was followed."""
    row = ROWS[name]
    result = rlbot(
        *("estimate", f"scripts/{row.get('script', row['id'])}.sh"),
        *("--root", ".", "--format", "json"),
        *("--framework", row["framework"], "--device", "h100", *row["options"]),
        cwd=FOLDER,
    )
    made = json.loads(result.out)["scripts"][0]["estimate"]
    most: dict[str, float] = {}
    for stage in made["stages"]:
        parts = stage["components"].items()
        taken = sum(amount for name, amount in parts if name not in _BESIDE)
        most[stage["stage"]] = max(most.get(stage["stage"], 0.0), taken)
    return {stage: most[stage] / found - 1 for stage, found in row["stages"].items()}


def _updates(names: Iterable[str]) -> list[float]:
    """The errors of these rows' passes with gradient, without their signs."""
    return [abs(_errors(name)["update"]) for name in names]


@pytest.mark.parametrize("name", ROWS)
def test_each_stage_takes_what_was_followed(name: str) -> None:
    for stage, error in _errors(name).items():
        assert abs(error) <= _KNOWN.get((name, stage), _WITHIN[stage]), (stage, error)


def test_zero_3_is_met_within_a_percent() -> None:
    found = _updates(name for name in ROWS if "-z3" in name)
    assert len(found) == 3
    assert max(found) < 0.01


@pytest.mark.slow
def test_trl_is_met_within_percents() -> None:
    """In full, LoRA, QLoRA and DoRA, with and without checkpointing, dropout and named matrices."""
    found = _updates(name for name in ROWS if name.startswith("trl-"))
    assert len(found) == 34
    assert mean(found) < 0.02
    assert max(found) < 0.07


@pytest.mark.slow
def test_verl_0_8_is_met_within_percents() -> None:
    """Its engine under FSDP2: rows, budgets, bf16, an entropy, padding, LoRA."""
    found = _updates(name for name, row in ROWS.items() if row["framework"] == "verl@0.8.0")
    assert len(found) == 9
    assert max(found) < 0.04


@pytest.mark.slow
def test_passes_with_gradient_are_met_on_the_whole() -> None:
    assert mean(_updates(ROWS)) < 0.05
