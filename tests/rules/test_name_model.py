from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "name-model"


def path(model: str) -> str:
    return f"examples/tuning/7b/{model}_grpo_8_h100_fsdp_vllm.sh"


@pytest.mark.parametrize(
    ("model", "used"),
    [
        ("qwen2.5-7b", "Qwen/Qwen2.5-7B"),
        ("qwen2.5-7b", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen2.5-7b-instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen2.5-7b-instruct", "Qwen/Qwen2.5-7B"),
        ("qwen2.5-7b", "/mnt/models/Qwen2.5-7B-Instruct/"),
        ("qwen2.5-coder-14b", "Qwen/Qwen2.5-Coder-14B-Instruct"),
        ("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B-Instruct-2507"),
        ("qwen3-30b", "Qwen/Qwen3-30B-A3B"),
        ("llama3.1-8b", "meta-llama/Llama-3.1-8B-Instruct"),
        ("llama3-8b", "meta-llama/Meta-Llama-3-8B"),
        ("llama2-7b", "meta-llama/Llama-2-7b-hf"),
        ("deepseek-7b", "deepseek-ai/deepseek-llm-7b-chat"),
        ("qwen-7b", "Qwen/Qwen2.5-7B"),
        ("gemma2-9b", "google/gemma-2-9b-it"),
        ("qwen2.5", "Qwen/Qwen2.5-7B"),
        ("qwen2.5-05b", "Qwen/Qwen2.5-0.5B-Instruct"),
        ("qwen25-7b", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen35-9b", "Qwen/Qwen3.5-9B"),
        ("qwen2-7b", "$MODEL_PATH"),
        ("qwen2-7b", "/checkpoints/step_200/actor"),
        ("qwen2-7b", "my-org/sft-of-mine-7b"),
        ("qwen2-7b", "model"),
    ],
)
def test_stays_silent(model: str, used: str) -> None:
    assert quiet(SLUG, verl(f"actor_rollout_ref.model.path={used}"), path(model))


@pytest.mark.parametrize(
    ("model", "used"),
    [
        ("qwen2-7b", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen2.5-7b", "Qwen/Qwen2-7B-Instruct"),
        ("qwen2-70b", "Qwen/Qwen2-72B-Instruct"),
        ("qwen2.5-7b", "Qwen/Qwen2.5-14B"),
        ("qwen2.5-7b", "Qwen/Qwen2.5-Coder-7B-Instruct"),
        ("qwen2.5-7b", "Qwen/Qwen2.5-VL-7B-Instruct"),
        ("llama3-8b", "meta-llama/Llama-3.1-8B"),
        ("qwen2.5-7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
    ],
)
def test_names_both_models(model: str, used: str, snapshot: SnapshotAssertion) -> None:
    script = verl("actor_rollout_ref.model.path=$MODEL", before=f"MODEL={used}")
    assert marked(SLUG, script, path(model)) == snapshot
