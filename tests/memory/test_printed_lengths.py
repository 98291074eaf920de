"""How full the passes of a run become, by the logits that `rlbot estimate` prints."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

from bot.memory.constants import CAUSAL_LOSS, PACKED
from tests.memory.printed import component, printed, stage
from tests.memory.test_printed import GIB, VOCAB, verl

_A = "actor_rollout_ref.actor"
LONG = ("data.max_prompt_length=1024", "data.max_response_length=8192")
LONGEST = 1024 + 8192
GSM8K = "data.train_files=$HOME/data/gsm8k/train.parquet"


def tokens(*settings: str) -> int:
    """Tokens of an update's pass."""
    made = verl(f"{_A}.entropy_coeff=0.001", *settings, release="0.7.0")
    return round(component(made, "update", "logits") * GIB / VOCAB / PACKED)


def micro(each: int, responses: int = 8) -> tuple[str, ...]:
    """Passes of so many, in no order of length."""
    return (
        "trainer.balance_batch=False",
        "data.train_batch_size=512",
        f"{_A}.ppo_mini_batch_size=512",
        f"{_A}.ppo_micro_batch_size_per_gpu={each}",
        f"actor_rollout_ref.rollout.n={responses}",
    )


@pytest.mark.parametrize(("each", "responses"), [(4, 8), (16, 8), (16, 1), (32, 16)])
def test_the_fullest_pass_lies_four_deviations_above_the_mean(each: int, responses: int) -> None:
    alike = min(each, responses)
    mean = LONGEST / 4.5
    varies = 0.9 * sqrt((1 + (alike - 1) / 2) / each)
    wanted = max(each * mean + LONGEST - mean, each * mean * (1 + 3.9 * varies))
    assert tokens(*LONG, *micro(each, responses)) == pytest.approx(wanted, rel=0.01)


def test_it_holds_no_more_than_there_can_be() -> None:
    assert tokens(*LONG, *micro(1)) == pytest.approx(LONGEST, rel=0.01)
    assert LONGEST < tokens(*LONG, *micro(2, 32)) <= 2 * LONGEST


def test_responses_to_one_prompt_are_alike() -> None:
    assert tokens(*LONG, *micro(8, 8)) > 1.2 * tokens(*LONG, *micro(8, 1))


@pytest.mark.parametrize(
    ("data", "mean"),
    [
        (GSM8K, 341),
        ("data.train_files=\"['a/gsm8k/train.parquet']\"", 341),
        ("data.train_files=data/math/train.parquet", None),
        ("data.train_files='[data/gsm8k/train.parquet, data/math/train.parquet]'", None),
        ("data.train_files=data/dapo-math-17k.parquet", None),
        ("data.train_files=data/train.parquet", None),
    ],
)
def test_known_data_say_the_lengths(data: str, mean: int | None) -> None:
    many = tokens(*micro(64), data)
    if mean is None:
        assert many == tokens(*micro(64))
    else:
        assert many == pytest.approx(64 * mean + 1536 - mean, rel=0.01)


def test_longer_limits_are_of_models_that_think() -> None:
    assert tokens(*LONG, *micro(8), GSM8K) == tokens(*LONG, *micro(8))


def explained(*settings: str) -> Any:
    return " ".join(verl(*settings)["assumptions"])


def test_it_says_whose_lengths_they_are() -> None:
    assert "as in public runs on GSM8K" in explained(GSM8K)
    assert "22 % of the maxima" in explained()


def test_passes_at_a_limit_of_tokens_are_full() -> None:
    dynamic = (f"{_A}.use_dynamic_bsz=True", f"{_A}.ppo_max_token_len_per_gpu=16384")
    # Of equal work, so that the fullest has more tokens.
    assert tokens(*LONG, *dynamic, *micro(1)) == pytest.approx(1.04 * 16384, rel=0.01)
    # As far as a mini batch has so many tokens.
    few = (*dynamic, *micro(1, 1), f"{_A}.ppo_mini_batch_size=8")
    assert tokens(*LONG, *few) == pytest.approx(LONGEST, rel=0.01)


def test_known_lengths_are_balanced_over_passes() -> None:
    dynamic = (f"{_A}.use_dynamic_bsz=True", f"{_A}.ppo_max_token_len_per_gpu=16384")
    there = 512 * 341 + 1536 - 341  # Responses of a mini batch on each GPU.
    passes = -(-there // 16384)
    made = tokens(*dynamic, *micro(1, 8), GSM8K)
    assert made == pytest.approx(there / passes, rel=0.01)


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("data/gsm8k/train.parquet", True),
        ("data/openai-gsm8k_train.parquet", True),
        ("data/MATH-lighteval/train.parquet", True),
        ("data/dapo-math-17k/train.parquet", False),
        ("data/openr1-math/train.parquet", False),
        ("data/math500.parquet", False),
        ("data/gsm8k_hard/train.parquet", False),
        ("data/gsm8k/math/train.parquet", False),
    ],
)
def test_only_the_set_itself_has_its_lengths(path: str, known: bool) -> None:
    limits = ("data.max_prompt_length=512", "data.max_response_length=512")
    assert ("as in public runs on" in explained(f"data.train_files={path}", *limits)) is known


@pytest.mark.parametrize(
    ("each", "most", "longest"),
    [(1, 8192, 8192), (4, 8192, 4096), (32, 1536, 1024), (64, 512, 512)],
)
def test_a_batch_of_collected_samples_is_seldom_padded_to_the_limit(
    each: int, most: int, longest: int
) -> None:
    made = printed(
        "accelerate launch --num_processes 1 -m trl.scripts.sft --bf16 true --dtype bfloat16"
        f" --model_name_or_path Qwen/Qwen2.5-7B --gradient_checkpointing true --max_length {most}"
        f" --per_device_train_batch_size {each} --gradient_accumulation_steps 2",
        *("--device", "h200", "--framework", "trl@1.0.0"),
    )
    of_logits = component(made, "update", "logits") * GIB / VOCAB / CAUSAL_LOSS
    assert of_logits == pytest.approx(each * longest, rel=0.01)
    levels = next(s for s in made["stages"] if s["stage"] == "update")
    # As long as allowed, it is the conservative level.
    assert (levels["conservative_gib"] > 1.3 * levels["expected_gib"]) is (longest < most)


def test_a_mini_batch_has_no_more_sequences_than_a_step() -> None:
    """512 rows of 577 tokens have three passes of 98,304, and 4,096 of them had been counted."""
    launch = (
        "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=32 "
        "data.max_prompt_length=4096 data.max_response_length=256 trainer.n_gpus_per_node=1 "
        "actor_rollout_ref.model.path=Qwen/Qwen2.5-3B-Instruct actor_rollout_ref.rollout.n=16 "
        "actor_rollout_ref.rollout.name=vllm actor_rollout_ref.actor.use_dynamic_bsz=True "
        "actor_rollout_ref.rollout.tensor_model_parallel_size=1 "
        "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=98304 "
        "actor_rollout_ref.actor.ppo_mini_batch_size="
    )
    asked = ("--device", "a100", "--gpus", "1", "--framework", "verl@0.9.0")
    lengths = ("--prompt-tokens", "321", "--response-tokens", "256")
    made = [printed(f"{launch}{mini}", *asked, *lengths) for mini in (256, 32)]
    assert made[0]["stages"] == made[1]["stages"]
    fewer = printed(f"{launch}16", *asked, *lengths)
    assert component(fewer, "update", "logits") != component(made[0], "update", "logits")


SEARCH = (
    "data.max_prompt_length=4096",
    "data.max_response_length=500",
    "+data.max_start_length=2048",
    "+data.max_obs_length=500",
    "+max_turns=4",
)


@pytest.mark.parametrize(
    ("settings", "prompt", "response"),
    [
        (
            (),
            2048,
            4096,
        ),  # Four turns of 1,000 tokens and an answer are cut at the dialogue's limit.
        (("+max_turns=2",), 2048, 2 * 1000 + 500),
        (("+do_search=False",), 4096, 500),
        (("+data.max_start_length=null",), 4096, 500),
    ],
)
def test_a_dialogue_with_a_search_is_a_response(
    settings: tuple[str, ...], prompt: int, response: int
) -> None:
    """Search-R1: `max_response_length` limits one turn, which was taken for all (-40 to -56 %)."""
    dialogue = verl(*SEARCH, *settings, *micro(1, 1), release="0.7.0")
    lengths = (f"data.max_prompt_length={prompt}", f"data.max_response_length={response}")
    plain = verl(*lengths, *micro(1, 1), release="0.7.0")
    assert stage(dialogue, "update") == stage(plain, "update")
    assert stage(dialogue, "log-prob") == stage(plain, "log-prob")


def test_a_mean_of_a_dialogue_is_not_cut_at_a_turn() -> None:
    row = ("data.train_batch_size=512", f"{_A}.ppo_micro_batch_size_per_gpu=1", *SEARCH)
    options = ("--prompt-tokens", "150", "--response-tokens", "1200", "--longest-tokens", "3195")
    made = verl(*row, given=options, release="0.7.0")
    assert not any("the longest allowed" in one for one in made["assumptions"])
