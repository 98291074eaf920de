from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "engine-length"
ROLLOUT = "actor_rollout_ref.rollout"
LENGTH = f"{ROLLOUT}.max_model_len"
TOKENS = f"{ROLLOUT}.max_num_batched_tokens"
LENGTHS = ("data.max_prompt_length=2048", "data.max_response_length=8192")
MATH = "actor_rollout_ref.model.path=Qwen/Qwen2.5-Math-7B"
SIX = "# verl: 0.6.1"


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS),
        verl(*LENGTHS, f"{LENGTH}=10240"),
        verl(*LENGTHS, f"{LENGTH}=null"),
        verl(*LENGTHS, f"{LENGTH}=$LENGTH"),
        verl("data.max_response_length=$LONG", f"{LENGTH}=16"),
        verl(*LENGTHS, f"{LENGTH}=4096").replace("verl.trainer.main_ppo", "recipe.mine.main"),
        # verl overwrites the length, or does not compare the budget.
        verl(*LENGTHS, f"{LENGTH}=4096", before="# verl: 0.7.0"),
        verl(*LENGTHS, f"{LENGTH}=4096", f"{ROLLOUT}.mode=async", f"{TOKENS}=12288", before=SIX),
        verl(*LENGTHS, f"{TOKENS}=1024"),
        verl(*LENGTHS, before="# verl: 0.7.1"),
        verl(*LENGTHS, before="# verl: 0.2"),
        verl(*LENGTHS, f"{ROLLOUT}.mode=async", before=SIX),
        verl(*LENGTHS, f"{ROLLOUT}.enable_chunked_prefill=False", before=SIX),
        verl(*LENGTHS, f"{TOKENS}=10240", before=SIX),
        verl(MATH, "data.max_prompt_length=1024", "data.max_response_length=3072"),
        verl(MATH.replace("Qwen/", "$HOME/models/"), *LENGTHS),
        verl(MATH.replace("Qwen/", ""), *LENGTHS),
        verl("actor_rollout_ref.model.path=Qwen/Qwen3-8B", *LENGTHS),
        verl("actor_rollout_ref.model.path=gpt2-math", *LENGTHS),
        verl(MATH, *LENGTHS, "+actor_rollout_ref.model.override_config.rope_theta=1000000"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*LENGTHS, f"{LENGTH}=4096"),
        verl(*LENGTHS, f"{LENGTH}=$((1024 * 2))"),
        verl(*LENGTHS, f"{LENGTH}=9000", f"{TOKENS}=9000", before=SIX),
        verl(*LENGTHS, f"{LENGTH}=9000", f"{ROLLOUT}.name=sglang", before=SIX),
        verl(*LENGTHS, before=SIX),
        verl(*LENGTHS, f"{TOKENS}=9216", before="# verl: 0.4.1"),
        verl(MATH, *LENGTHS, f"{TOKENS}=10240", before="# verl: 0.5.0"),
        verl(MATH, *LENGTHS),
        verl("actor_rollout_ref.model.path=allenai/OLMo-2-1124-7B", *LENGTHS),
    ],
)
def test_says_what_does_not_fit(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
