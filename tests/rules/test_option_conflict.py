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
        openrlhf("--rollout.vllm_generate_batch_size 64", "--rollout.batch_size 64"),
        openrlhf(
            *("--rollout.vllm_generate_batch_size 128", "--rollout.batch_size 64"),
            "--train.async_enable",
        ),
        "deepspeed --module openrlhf.cli.train_sft --ds.ring_attn_size 2 --ds.packing_samples",
        "deepspeed --module openrlhf.cli.train_sft --ds.ring_attn_size $RING",
        "deepspeed --module openrlhf.cli.train_sft --data.multiturn --data.apply_chat_template",
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


@pytest.mark.parametrize(
    "script",
    [
        openrlhf("--rollout.vllm_generate_batch_size 128", "--rollout.batch_size 64"),
        openrlhf(
            *("--algo.dynamic_filtering_enable", "--reward.remote_url http://127.0.0.1:5000"),
            *("--rollout.n_samples_per_prompt 1", "--algo.advantage.estimator reinforce"),
        ),
        openrlhf("--data.max_images_per_prompt 2", "--ds.packing_samples"),
        "deepspeed --module openrlhf.cli.train_dpo --ds.ring_attn_size 2",
        "deepspeed --module openrlhf.cli.train_sft --data.multiturn",
    ],
)
def test_batches_images_and_samples(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
