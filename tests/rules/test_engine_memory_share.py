from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "engine-memory-share"
A = "actor_rollout_ref.actor"
R = "actor_rollout_ref.rollout"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = f"{R}.gpu_memory_utilization"
FSDP = f"{A}.fsdp_config"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=0.7"),
        verl(f"{KEY}=$SHARE"),
        verl(f"{KEY}=0.4"),
        verl(f"{KEY}=0.9", f"{FSDP}.param_offload=True", f"{FSDP}.optimizer_offload=True"),
        verl(f"{KEY}=0.9", "actor_rollout_ref.model.lora_rank=32"),
        verl(f"{KEY}=0.8", f"{R}.name=sglang"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=0.9"),
        verl(f"{KEY}=0.8", f"{FSDP}.param_offload=True"),
        verl(f"{KEY}=0.9", f"{R}.name=sglang"),
        verl(f"{KEY}=0.3", before=RECOMMENDED),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
