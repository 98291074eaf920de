from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules._support.names import family, model_label, same_family


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("Qwen/Qwen2.5-Coder-14B-Instruct", "qwen2.5-coder-14b"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("meta-llama/Meta-Llama-3-8B", "llama-3-8b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("/data/models/Qwen2.5-0.5B/", "qwen2.5-0.5b"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
        ("ck/Qwen3-4B-RA-SFT/global_step_372/actor/huggingface", "qwen3-4b-ra-sft"),
        ("out/checkpoint-500", None),
        ("/", None),
        ("deepseek-ai/DeepSeek-V3", None),
        ("model_path", None),
        ("out/step_7b", None),
        ("", None),
    ],
)
def test_labels(path: str, label: str | None) -> None:
    assert model_label(path) == label


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("qwen2.5-7b", "qwen2.5"),
        ("qwen2.5-7b-instruct", "qwen2.5"),
        ("qwen3-30b-a3b", "qwen3"),
        ("llama-3.1-8b", "llama3.1"),
        ("llama3.1-8b", "llama3.1"),
        ("qwen2.5-coder-14b", "qwen2.5coder"),
        ("deepseek-llm-7b", "deepseekllm"),
    ],
)
def test_families(label: str, expected: str) -> None:
    assert family(label) == expected


@given(st.sampled_from(["qwen", "qwen2", "qwen2.5", "qwen2.5coder", "llama3", "llama3.1"]))
def test_a_family_is_its_own(name: str) -> None:
    assert same_family(name, name)


@pytest.mark.parametrize(
    ("named", "used", "same"),
    [
        ("qwen2", "qwen2.5", False),
        ("qwen2.5", "qwen2", False),
        ("qwen", "qwen2.5", True),
        ("qwen2.5", "qwen", False),
        ("qwen2.5", "qwen2.5coder", False),
        ("qwen2.5coder", "qwen2.5", False),
        ("deepseek", "deepseekllm", True),
        ("qwen2.5", "llama3.1", False),
    ],
)
def test_same_family(named: str, used: str, same: bool) -> None:
    assert same_family(named, used) is same
