from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf
from tests.rules.helpers import marked, quiet

SLUG = "option-conflict"


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(),
        openrlhf("--train.partial_rollout_enable", "--train.async_enable"),
        openrlhf("--train.async_enable", "--vllm.enable_sleep", without=("--train.colocate_all",)),
        openrlhf("--eval.dataset a", "--reward.remote_url http://127.0.0.1:5000"),
        openrlhf("--eval.dataset a", "--train.agent_func_path agent.py"),
        openrlhf("--ds.packing_samples"),
        openrlhf("--ds.packing_samples", "--vllm.num_engines $ENGINES"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        openrlhf("--train.partial_rollout_enable"),
        openrlhf("--train.async_enable", "--vllm.enable_sleep"),
        openrlhf("--eval.dataset a", "--algo.dynamic_filtering_enable"),
        openrlhf("--ds.packing_samples", "--vllm.num_engines 0"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
