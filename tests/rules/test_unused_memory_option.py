from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf, verl
from tests.rules.helpers import marked, quiet

SLUG = "unused-memory-option"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
FSDP = "actor_rollout_ref.actor.fsdp_config"
ON = (
    f"{FSDP}.param_offload=True",
    f"{FSDP}.optimizer_offload=True",
    "actor_rollout_ref.model.enable_activation_offload=True",
    "actor_rollout_ref.model.use_fused_kernels=True",
)


@pytest.mark.parametrize(
    "script",
    [
        verl(),  # no tag
        verl(before=RECOMMENDED),
        verl(*ON, before=MIN),
        verl(*ON[1:], f"{FSDP}.param_offload=$OFFLOAD", before=MIN),
        verl(*ON[2:], f"{FSDP}.offload_policy=True", before=MIN),
        verl(*ON, "model_engine=megatron", before=MIN),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*ON[1:], before=MIN),
        verl(before=MIN),
        verl("actor_rollout_ref.model.lora_rank=32", f"{FSDP}.model_dtype=bf16", before=MIN),
        openrlhf("--ds.zero_stage 2", "--ref.offload", before=MIN),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
