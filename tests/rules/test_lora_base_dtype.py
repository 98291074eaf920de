from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "lora-base-dtype"
A = "actor_rollout_ref.actor"
LORA = "actor_rollout_ref.model.lora_rank=32"
KEY = f"{A}.fsdp_config.model_dtype"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(LORA, f"{KEY}=bf16"),
        verl(LORA, f"{KEY}=$DTYPE"),
        verl(LORA, "model_engine=megatron"),
        verl(LORA, before="# verl: 0.5.0"),  # not a key then
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(LORA),
        verl(LORA, f"{KEY}=fp32", "actor_rollout_ref.model.path=acme/unsized"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
