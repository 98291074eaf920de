"""Names of scripts by the profile `tuning`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.naming import model_size, read_name, same_size


def test_a_good_name_says_everything() -> None:
    name = read_name("examples/tuning/7b/qwen2.5-7b_grpo-lora_8_h100_fsdp_vllm.sh")
    assert name.valid
    assert (name.model, name.task, name.gpus) == ("qwen2.5-7b", "grpo-lora", 8)
    assert (name.device, name.train, name.infer) == ("h100", "fsdp", "vllm")
    assert (name.algorithm, name.adapter, name.folder) == ("grpo", "lora", "7b")


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("7b/qwen2-7b_grpo_8_h100_fsdp_vllm.bash", 'does not end in ".sh"'),
        ("7b/Qwen2-7B_grpo_8_h100_fsdp_vllm.sh", "upper-case"),
        ("7b/qwen2_7b_grpo_8_h100_fsdp_vllm.sh", "7 parts"),
        ("7b/qwen2-7b_grpo_8_h100_fsdp.sh", "5 parts"),
        ("7b/qwen2-7b_grpo_many_h100_fsdp_vllm.sh", "[gpunums] is 'many'"),
        ("7b/qwen2-7b_grpo_0_h100_fsdp_vllm.sh", "[gpunums] is '0'"),
        ("7b/qwen2-7b_grpo_²_h100_fsdp_vllm.sh", "[gpunums] is '²'"),
        ("7b/qwen2-7b_grpo_8_h100_fsdp_.sh", "[infer] is ''"),
        ("7b/qwеn2-7b_grpo_8_h100_fsdp_vllm.sh", "[model]"),  # a Cyrillic letter
    ],
)
def test_a_bad_name_says_what_is_wrong(path: str, problem: str) -> None:
    assert any(problem in text for text in read_name(path).problems)


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "7b"),
        ("/models/Qwen2.5-0.5B/", "0.5b"),
        ("Qwen/Qwen3-30B-A3B", "30b"),
        ("meta-llama/Llama-3.1-8B", "8b"),
        ("moonshotai/Kimi-K2-1T", "1t"),
        ("deepseek-ai/DeepSeek-V3", None),
        ("gemma-3n-e2b", None),
        ("7B/model", None),
        ("", None),
    ],
)
def test_the_size_of_a_model(model: str, size: str | None) -> None:
    assert model_size(model) == size


@given(st.text(max_size=60))
def test_no_name_breaks_the_reading(path: str) -> None:
    name = read_name(path)
    assert name.valid == (not name.problems)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("7b", "7b", True),
        ("7b", "7.0B", True),
        ("70b", "72b", True),
        ("30b", "32b", False),
        ("7b", "8b", False),
        ("1.5b", "1.7b", False),
        ("1t", "1b", False),
        ("large", "7b", False),
    ],
)
def test_sizes_of_one_class(one: str, other: str, same: bool) -> None:
    assert same_size(one, other) is same_size(other, one) is same
