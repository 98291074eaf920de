"""From which length on a launch is likely to fail, as `rlbot estimate` says it."""

from __future__ import annotations

import pytest

from tests.command import rlbot
from tests.memory.printed import printed

ON = ("--device", "a100", "--gpus", "8", "--framework", "verl@0.7.1")


def grpo(*settings: str, micro: int = 4, response: int = 8192) -> str:
    return " ".join(
        (
            "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo",
            "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct trainer.n_gpus_per_node=8",
            "trainer.nnodes=1 data.train_batch_size=64 actor_rollout_ref.rollout.name=vllm",
            "actor_rollout_ref.actor.ppo_mini_batch_size=64",
            "actor_rollout_ref.model.use_remove_padding=True",
            f"actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu={micro}",
            f"actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu={micro}",
            f"data.max_prompt_length=1024 data.max_response_length={response}",
            *settings,
        )
    )


def sft(*options: str) -> str:
    return " ".join(
        ("trl sft --model_name_or_path Qwen/Qwen2.5-7B --bf16 --gradient_checkpointing", *options)
    )


def test_where_lengths_are_given_nothing_is_said_of_others() -> None:
    assert printed(grpo(), *ON, "--response-tokens", "500")["by_lengths"] is None


def test_what_is_impossible_is_so_whatever_the_lengths() -> None:
    made = printed(
        sft("--max_length 512 --per_device_train_batch_size 1"),
        *("--device", "h100", "--gpus", "1", "--framework", "trl@1.4.0"),
    )
    assert (made["outcome"], made["by_lengths"]) == ("impossible", None)


def test_short_sequences_cannot_fail() -> None:
    made = printed(grpo(micro=1, response=512), *ON)
    assert made["outcome"] in ("fits", "tight")
    assert made["by_lengths"] == {"oom": "none", "from_tokens": None}


def test_states_that_are_too_large_fail_at_any_length() -> None:
    made = printed(grpo(), "--device", "rtx4090", "--gpus", "8", "--framework", "verl@0.7.1")
    assert made["outcome"] == "likely OOM"
    assert made["by_lengths"] == {"oom": "any", "from_tokens": None}


@pytest.mark.parametrize("micro", [8, 32])
def test_at_the_length_that_is_said_the_verdict_turns(micro: int) -> None:
    said = printed(grpo(micro=micro), *ON)
    assert said["by_lengths"]["oom"] == "from"
    tokens = said["by_lengths"]["from_tokens"]
    outcomes = []
    for times in (0.9, 1.1):  # Prompts and responses share them as their maxima are.
        whole = times * tokens
        lengths = (
            "--prompt-tokens",
            f"{whole / 9:.0f}",
            "--response-tokens",
            f"{whole * 8 / 9:.0f}",
        )
        outcomes.append(printed(grpo(micro=micro), *ON, *lengths)["outcome"])
    assert outcomes[0] in ("fits", "tight")
    assert outcomes[1] == "likely OOM"


def test_samples_have_a_length_of_their_own() -> None:
    asked = ("--device", "a100", "--gpus", "1", "--framework", "trl@1.4.0")
    script = sft("--max_length 32768 --per_device_train_batch_size 4 --use_peft")
    said = printed(script, *asked)["by_lengths"]
    assert said["oom"] == "from"
    mean = said["from_tokens"]
    fits = printed(script, *asked, "--response-tokens", f"{0.8 * mean:.0f}")
    fails = printed(script, *asked, "--response-tokens", f"{1.2 * mean:.0f}")
    assert fits["outcome"] in ("fits", "tight")
    assert fails["outcome"] == "likely OOM"


def test_packed_samples_are_as_long_as_allowed_whatever_they_are() -> None:
    made = printed(
        sft("--max_length 16384 --per_device_train_batch_size 8 --use_peft --packing"),
        *("--device", "a100", "--gpus", "1", "--framework", "trl@1.4.0"),
    )
    assert made["outcome"] == "likely OOM"
    assert made["by_lengths"]["oom"] == "any"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (grpo(micro=16), "likely OOM where a sequence has "),
        (grpo(micro=1, response=512), "likely OOM at no length that the settings allow"),
    ],
)
def test_it_is_a_line_of_what_is_printed(script: str, line: str) -> None:
    made = rlbot("estimate", "-", "--stdin-filename", "x.sh", *ON, stdin=f"{script}\n".encode())
    assert line in made.out.splitlines()[-1], made.out
