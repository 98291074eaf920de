from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "validation-temperature"
SAMPLE = "actor_rollout_ref.rollout.val_kwargs.do_sample"
TEMPERATURE = "actor_rollout_ref.rollout.temperature"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{SAMPLE}=True"),
        verl(f"{SAMPLE}=True", f"{TEMPERATURE}=0.6"),
        verl(f"{SAMPLE}=False", f"{TEMPERATURE}=0"),
        verl(f"{SAMPLE}=True", f"{TEMPERATURE}=$T"),
        verl(f"{SAMPLE}=True", "actor_rollout_ref.rollout.val_kwargs.temperature=0"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize("zero", ["0", "0.0"])
def test_sampling_at_zero(zero: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{SAMPLE}=True", f"{TEMPERATURE}={zero}")) == snapshot
