from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "name-device"
FOLDER = "examples/tuning/7b"


@pytest.mark.parametrize(
    "name",
    [
        "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh",
        "qwen2.5-7b_grpo_8_a100-40_fsdp_vllm.sh",
        "qwen2.5-7b_grpo_8_910b_fsdp_vllm.sh",
        "run_qwen2_5_7b_fsdp.sh",
        "qwen2.5_7b_grpo_8_h1000_fsdp_vllm.sh",  # the parts cannot be told apart
        "start.sh",
        "turn_ppo_1_5b_prompt_seed2.sh",  # JonP07/agent-hgae: 1.5b
    ],
)
def test_stays_silent(name: str) -> None:
    assert quiet(SLUG, verl(), f"{FOLDER}/{name}")


@pytest.mark.parametrize("device", ["h1000", "gpu", "8xh100"])
def test_names_the_nearest(device: str, snapshot: SnapshotAssertion) -> None:
    path = f"{FOLDER}/qwen2.5-7b_grpo_8_{device}_fsdp_vllm.sh"
    assert marked(SLUG, verl(), path) == snapshot
