"""What `rlbot recommend` says of cards and methods: one figure each, and the reason that is so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.recommend.options import counts
from tests.command import rlbot


def _answer(words: str, *more: str) -> str:
    """The answer as one line."""
    result = rlbot("recommend", *words.split(), *more)
    assert result.status in (0, 1), result.err
    return " ".join(result.out.split())


def _json(words: str) -> str:
    return rlbot("recommend", *words.split(), "--format", "json").out


def test_a_card_of_another_memory_has_a_name_of_its_own(tmp_path: Path) -> None:
    said = _answer("h100 nvl Qwen3-8B", "--write", str(tmp_path))
    assert "Full training fits on 4 × H100NVL, margin 10.9 GiB." in said
    (script,) = tmp_path.iterdir()
    assert "_4_h100nvl_" in script.name
    assert "(H100NVL)" in script.read_text()
    estimate = rlbot("estimate", str(script)).out
    assert "4 × H100NVL (93.1 GiB usable): fits, 82.2 GiB expected" in estimate
    assert "Next: rlbot recommend 4xh100nvl Qwen3-8B" in _answer("h100 nvl Qwen3-8B")


def test_the_common_card_keeps_its_name() -> None:
    said = _answer("4xh100 Qwen3-8B", "--device", "h100-nvl")
    assert "4 × H100 full" in said
    assert "4 × H100NVL full" in said
    assert "H100NVL" not in _answer("4xh100 Qwen3-8B")


@pytest.mark.parametrize(
    ("words", "less"),
    [
        ("5xl40s Gemma-3-27b ppo verl 1024+8192 lora", 4),
        ("5xh100 Llama-3.1-70B remax lora 1024+4096", 4),
        ("7xh100 Qwen3-30B-A3B ppo verl 1024+8192 lora", 4),
        ("9xl40s Qwen3-1.7B ppo openrlhf 1024+8192 lora", 8),
        ("22xa6000 Qwen3-30B-A3B remax verl 1024+8192 lora", 16),
    ],
)
def test_more_cards_do_what_fewer_do(words: str, less: int) -> None:
    """The open batch is one that the smaller number can share out too."""
    card = words.split()[0].partition("x")[2].upper()
    assert f"LoRA fits on {less} × {card}, margin" in _answer(words)


def test_cards_that_nodes_cannot_share_evenly_are_answer() -> None:
    note = "Nodes of at most 8 cannot have an even share of 9 GPUs; 8 are looked at."
    assert note in _answer("9xl40s Qwen3-1.7B lora")
    assert "even share" not in _answer("10xl40s Qwen3-1.7B lora")
    assert counts(9)[-1] == 8
    assert counts(10)[-1] == 10
    assert counts(17)[-1] == 16
    assert counts(256)[-1] == 256


def test_a_batch_that_all_cards_cannot_share_is_answered_for_fewer() -> None:
    said = _answer("6xh100 Qwen3-8B batch=128")
    assert "Full training fits on 4 × H100" in said
    assert "A batch of 128 with 8 responses each cannot be shared out over 6 GPUs" in said
    ppo = _answer("8xh100 Qwen3-8B ppo batch=127")
    assert "A batch of 127 cannot be shared out over 2, 4, 8 GPUs" in ppo
    assert "LoRA fits on 1 × H100" in ppo
    assert "cannot be shared out" not in _answer("6xh100 Qwen3-8B")


@pytest.mark.parametrize(
    ("words", "sentence", "note"),
    [
        (
            "2x4090 qwen3-8b lora 1k+2k trl",
            "LoRA needs 16 × RTX4090 to fit surely, and may fit on 8.",
            "More GPUs would do: 16 × RTX4090 (8 may fit); --budget-gpus 16",
        ),
        (
            "1xh100 Qwen3-14B dapo verl 1024+8192 full",
            "Full training needs 8 × H100 to fit surely, and may fit on 4.",
            "More GPUs would do: 8 × H100 (4 may fit); --budget-gpus 8",
        ),
        (
            "1xrtx4060ti Llama-3.1-8B rloo 1024+4096 full",
            "Full training may fit on 8 × RTX4060TI, and surely fits on none up to 64.",
            "More GPUs would do: 8 × RTX4060TI (may fit); --budget-gpus 8",
        ),
    ],
)
def test_what_surely_does_and_what_may_are_told_apart(words: str, sentence: str, note: str) -> None:
    said = _answer(words)
    assert sentence in said
    assert note in said


def test_the_most_that_do_not_do_are_answer() -> None:
    """Three to seven are not tried: a batch of 128 with 8 responses is for powers of two."""
    assert "Full training needs 8 × H200; 4 are too few." in _answer("1xh200 Qwen3-30B-A3B rloo")
    # Of two cards that are there nobody has to be told.
    assert "LoRA needs 4 × RTX4090." in _answer("2x4090 Qwen3-14B lora")


def test_more_cards_are_tried_with_the_default_batch() -> None:
    """A batch for seven cards leaves out eight and sixteen."""
    said = _answer("7xh100 Qwen3-32B ppo verl 1024+8192")
    assert "Full training needs 16 × H100; 8 are too few." in said


def test_where_none_does_the_most_that_were_tried_are_answer() -> None:
    words = "1xrtx4060ti Qwen3-235B-A22B ppo verl 1024+1024 full"
    assert "Full training does not fit on up to 64 × RTX4060TI by the ways" in _answer(words)
    assert "Full training does not fit on up to 1 × H100" in _answer(
        "8xh100 ppo Qwen3-8B batch=127"
    )


@pytest.mark.slow
def test_the_fewest_of_each_card_are_of_numbers_that_share_out_the_batch() -> None:
    assert "fewest GPUs of each card (of 1, 2, 4, 8 …), by method" in _answer("Qwen3-0.6B")
    assert "fewest GPUs of each card (of 1, 2, 3, 4, 6, 8 …), by" in _answer("Qwen3-0.6B batch=96")
    assert "fewest GPUs of each card, by method" in _answer("Qwen3-0.6B batch=840")


def test_an_engine_that_is_too_large_is_no_near_miss() -> None:
    words = "7xh100 Qwen3-30B-A3B ppo verl 1024+8192 lora batch=133"
    said = _answer(words)
    assert "7 × H100 LoRA 59.2 47.8 -11.4 rollout no" in said
    assert "The engine of LoRA needs 59.2 GiB of each of 7 × H100, its share is 47.8." in said
    assert "came so near" not in said
    (verdict,) = json.loads(_json(words))["methods"]
    assert (verdict["usable_gib"], verdict["share_gib"]) == (79.3, 47.79)


def test_a_stage_that_is_too_large_is_not_laid_to_the_engine() -> None:
    said = _answer("3xh100 Qwen3-30B-A3B ppo verl 1024+8192 lora batch=129")
    assert "3 × H100 LoRA 80.8 79.3 -1.5 weight sync no" in said
    assert "The engine of LoRA" not in said


def test_a_refused_qlora_names_lora_and_what_came_near() -> None:
    said = _answer("16x4090 Qwen3-32B qlora sft trl 2048")
    assert "The nearest is 1 × RTX4090: update would leave 0.8 GiB, and most runs that" in said
    assert "On 16 × RTX4090 would fit: LoRA (--method lora)." in said
    assert "The page has no row for sft-qlora of Qwen3-32B." in said
    assert "LoRA (--method lora)" not in _answer("1xrtx4060ti Qwen3-32B qlora sft trl")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        ("2x4090", "dpo and rm: rlbot recommend 2xrtx4090 qlora dpo."),
        ("1x4090 sft trl", "sft: rlbot recommend 1xrtx4090 qlora sft."),
        ("8x4090 sft trl", None),
        ("1x4060ti sft", None),
    ],
)
def test_qlora_is_named_where_it_fits_what_lora_does_not(words: str, tasks: str | None) -> None:
    said = _answer(words)
    assert ("QLoRA keeps the base in four bits" in said) == (tasks is not None)
    assert tasks is None or f"fits models that LoRA does not, for {tasks}" in said


def test_a_model_is_listed_once() -> None:
    lines = rlbot("recommend", "--list", "models").out.lower().splitlines()
    assert len(lines) == len({line.split()[0] for line in lines})
    assert any(line.startswith("phi-4 ") for line in lines)


def test_memory_of_the_host_is_said_where_machines_seldom_have_it() -> None:
    said = _answer("1xrtx4090 Llama-3.1-70B full sft")
    assert "Full training may fit on 1 × RTX4090: the expected margin is 9.4 GiB, host RAM" in said
    assert "host RAM 1 1 × RTX4090 may fit" in said
    known = _answer("1xrtx4090 Llama-3.1-70B full sft 1500gb ram")
    assert "Full training fits on 1 × RTX4090, margin 9.4 GiB, host RAM 1051 GiB." in known
    words = "weights wait on the host and are copied for every layer and pass; the optimizer steps"
    assert f"engine.offload_policy: {words} there" in said
    few = _answer("2x4090 Qwen3-8B lora")
    assert "LoRA fits on 2 × RTX4090, margin 2.2 GiB. Next" in few
    assert "param_offload: states wait on the host between updates" in few
    (verdict,) = json.loads(_json("2x4090 Qwen3-8B lora"))["methods"]
    assert verdict["host_gib"] == pytest.approx(31, abs=1)


@pytest.mark.slow
def test_memory_of_the_host_has_a_column_where_it_decides() -> None:
    said = _answer("1x4060ti sft")
    assert "up to host RAM what limits" in said
    assert "Qwen3-14B fits 8.3 4k fits 6.4 8k 220/57" in said
    assert "Qwen3-32B may fit 9.0 fits 6.2 4k 488/126" in said
    assert "host RAM: GiB of each host for what waits on it, by method." in said
    assert "host RAM" not in _answer("2x4090")


def test_options_alone_have_all_defaults_printed() -> None:
    said = _answer("--model Qwen/Qwen3-0.6B --device h100")
    taken = "task grpo, method full, verl, lengths 1024+1024, batch 128, rank 32."
    assert f"Taken where the question is open: {taken}" in said
    given = _answer("--model Qwen/Qwen3-0.6B --device h100 --task grpo --lengths 1k+1k")
    assert "Taken where" not in given
