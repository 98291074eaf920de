from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf
from tests.rules.helpers import marked, quiet

SLUG = "consumer-card"
PATH = "examples/tuning/8b/llama3.1-8b_grpo-lora_8_rtx4090_deepspeed_vllm.sh"
LORA = "--ds.lora.rank 64"


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(LORA, "--ds.zero_stage 2"),
        openrlhf(LORA, "--ds.zero_stage $STAGE"),
        openrlhf("--ds.zero_stage 3"),  # full fine-tuning needs it
        openrlhf(LORA, "--ds.zero_stage 3", "--actor.model_name_or_path meta-llama/Llama-3.1-70B"),
        openrlhf("--data.max_len 4096"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script, PATH)


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(LORA, "--ds.zero_stage 3"),
        openrlhf("--data.max_len 8192"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script, PATH) == snapshot


def test_larger_cards_and_names_without_one_are_left_alone() -> None:
    script = openrlhf(LORA, "--ds.zero_stage 3", "--data.max_len 8192")
    for name in ("llama3.1-8b_grpo-lora_8_h100_deepspeed_vllm.sh", "train.sh"):
        assert quiet(SLUG, script, f"examples/tuning/8b/{name}")
