from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "experiment-name"
KEY = "trainer.experiment_name"
MODEL = "actor_rollout_ref.model.path"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=qwen2.5_7b_grpo"),
        verl(f"{KEY}=first_try"),
        verl(f"{KEY}=from_3b_to_7b"),
        verl(f"{KEY}=deepseek_llm_1b3_rm", f"{MODEL}=deepseek-ai/deepseek-coder-1.3b-instruct"),
        verl(f"{KEY}=qwen2_5_0b5_rm", f"{MODEL}=Qwen/Qwen2.5-0.5B"),
        verl(f"{KEY}=qwen3_06b_rm", f"{MODEL}=Qwen/Qwen3-0.6B"),
        verl(f"{KEY}=qwen3_on_910b"),
        verl(f"{KEY}=70b", f"{MODEL}=Qwen/Qwen2.5-72B"),
        verl(f"{KEY}=3b_active", f"{MODEL}=Qwen/Qwen3-30B-A3B"),
        verl(f"{KEY}=ppo_baseline"),
        verl(f"{KEY}=grpo_vs_rloo", "algorithm.adv_estimator=gae"),
        verl(f"{KEY}=qwen_3b_$DATE"),
        verl(f"{KEY}=qwen_3b", f"{MODEL}=$MODEL"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=qwen2.5_3b_grpo"),
        verl(f"{KEY}=$name", before="name=qwen2.5-32b"),
        verl(f"{KEY}=grpo_gsm8k", "algorithm.adv_estimator=gae"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
