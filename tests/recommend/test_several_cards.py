"""Questions about several cards, each with its own number: alone, and in one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.base.errors import UserError
from bot.base.messages import sentence_of
from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, ScriptFile
from bot.recommend.question import parse_question
from tests.command import rlbot


def _groups(words: str) -> list[str]:
    return [f"{one.gpus}x{one.device.token}" for one in parse_question([words]).groups]


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ("4x A100 40GB and 4x A100 80GB, grpo qwen2.5 7b", "8xa100-40 4xa100-40 4xa100"),
        ("8\u5f20A100 40G\u548c8\u5f20A100 80G\u6df7\u5408 14b", "16xa100-40 8xa100-40 8xa100"),
        ("node 1: 4x A100 40GB, node 2: 4x A100 80GB; 14b", "8xa100-40 4xa100-40 4xa100"),
        ("one node with 8xA100-80GB and one with 8xA100-40GB", "16xa100-40 8xa100 8xa100-40"),
        ("4 A100s (two 40GB and two 80GB) qwen3-8b", "4xa100-40 2xa100-40 2xa100"),
        ("a 3090 and a 4090, what can I train?", "2xrtx4090 1xrtx3090 1xrtx4090"),
        ("\u4e00\u5f203090\u52a0\u4e00\u5f204090 8b", "2xrtx4090 1xrtx3090 1xrtx4090"),
        ("3090 + 4090 qwen3-8b lora grpo", "2xrtx4090 1xrtx3090 1xrtx4090"),
        ("4090+3090 qwen3-8b lora", "2xrtx4090 1xrtx4090 1xrtx3090"),
        ("4090 + 2x3090 qwen3 8b grpo lora", "3xrtx4090 1xrtx4090 2xrtx3090"),
        ("1 3090 + 1 4060 qwen3 4b lora sft", "2xrtx4060 1xrtx3090 1xrtx4060"),
        ("rtx3090*1, rtx 3060 12G *2", "3xrtx3060 1xrtx3090 2xrtx3060"),
        ("4060 8gb + 3060 12gb qwen3 1.7b", "2xrtx4060 1xrtx4060 1xrtx3060"),
        ("4070 Ti Super and 4060 Ti 16GB 8b", "2xrtx4060ti 1xrtx4070tisuper 1xrtx4060ti"),
        ("two 24GB cards and one 48GB card, 14b", "3xrtx4090 2xrtx4090 1xrtx6000ada"),
        ("RTX 3090 FE + RTX 3060 12GB: 7b?", "2xrtx3060 1xrtx3090 1xrtx3060"),
        ("I've 3 GPUs: 4090, 3090, 3060 12gb", "3xrtx3060 1xrtx4090 1xrtx3090 1xrtx3060"),
        ("V100 16GB x 8 and T4 x 4, 7b lora", "12xt4 8xv100-16 4xt4"),
        (
            "2\u53f0\u673a\u5668,\u4e00\u53f08\u5361A100 80G,\u4e00\u53f08\u5361A100 40G",
            "16xa100-40 8xa100 8xa100-40",
        ),
        ("RTX A6000 x4 and RTX 3090 x2, dpo 8b", "6xrtx3090 4xa6000 2xrtx3090"),
        ("my 4090, plus a friend's 3090, 4b", "2xrtx4090 1xrtx4090 1xrtx3090"),
        ("3 A100s and an H100, dpo 70b lora", "4xh100 3xa100 1xh100"),
        (
            "GPU 0: RTX 3090 (UUID: GPU-8f-1) GPU 1: RTX 3090 (UUID: GPU-8f-2) GPU 2: RTX 4090 8b",
            "3xrtx4090 2xrtx3090 1xrtx4090",
        ),
    ],
)
def test_cards_in_one_run_are_as_many_of_the_smallest(words: str, groups: str) -> None:
    assert _groups(words) == groups.split()


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ("can 2 x 4090 or 1 x A100 train 7B?", "2xrtx4090 1xa100"),
        ("what's better for grpo 8b: 4x 3090 or 2x A6000", "4xrtx3090 2xa6000"),
        ("8x 4090 or 4x L40S or 2x H100 32b", "8xrtx4090 4xl40s 2xh100"),
        ("is 2xA100 80G or 4xA100 40G better for 8b", "2xa100 4xa100-40"),
        ("A100 vs 2x4090 for 7b?", "1xa100 2xrtx4090"),
        ("two 3090s or a single 5090 for 14b", "2xrtx3090 1xrtx5090"),
        ("should I sell my 2 3090s and buy one RTX 6000 Ada", "2xrtx3090 1xrtx6000ada"),
        ("up to 4 4090s or up to 2 A100s, 14b", "4xrtx4090 2xa100"),
        ("\u67092\u5f204090\u6216\u80051\u5f20A100\uff0c7B\u9009\u54ea\u4e2a", "2xrtx4090 1xa100"),
        ("trois 3090 ou deux 4090, LoRA 14B", "3xrtx3090 2xrtx4090"),
        ("zwei 4090 oder eine A6000 f\u00fcr 14b lora", "2xrtx4090 1xa6000"),
        ("dos 4090 o una A6000 para 14b", "2xrtx4090 1xa6000"),
        ("g5.12xlarge vs p4d.24xlarge for 14b", "4xa10g 8xa100-40"),
        ("single node of 8xA100 or two nodes of 8xH100", "8xa100 16xh100"),
        ("do I need 4 or 8 H100 for 14b", "4xh100 8xh100"),
        ("4/8 L40S", "4xl40s 8xl40s"),
        ("is 1, 2 or 4 4090s needed for 8b", "1xrtx4090 2xrtx4090 4xrtx4090"),
        ("8xA100 or H100 for 8b", "8xa100 8xh100"),
        ("3x3090, 4090 or 5090", "3xrtx3090 3xrtx4090 3xrtx5090"),
        (
            "4\u53614090\u548c8\u53614090\u8bad\u7ec314B\u6709\u4ec0\u4e48\u533a\u522b",
            "4xrtx4090 8xrtx4090",
        ),
        ("J'h\u00e9site entre deux 4090 et une A6000, 14B", "2xrtx4090 1xa6000"),
        ("8 gpus: A100 or 4090, 8b", "8xa100 8xrtx4090"),
        ("between 2 and 4 A100s for 14b dpo", "2xa100 4xa100"),
        ("1 or 2 nodes of 8xH100 for 72b", "8xh100 16xh100"),
        ("A100 40GB or 80GB for 8b grpo", "Nonexa100 Nonexa100-40"),
        ("4x A100 40GB/80GB, 8b grpo", "4xa100 4xa100-40"),
        ("3090 or 4090, 2 gpus, 8b", "2xrtx3090 2xrtx4090"),
        ("5060 Ti 16GB vs 3060 12GB for 7b", "Nonexrtx3060 Nonexrtx5060ti"),
        ("is 48GB enough or do I need 80GB for 8b", "1xh100 1xrtx6000ada"),
        ("12 or 16 GB card for qlora 7b", "1xrtx3060 1xrtx4060ti"),
    ],
)
def test_other_cards_are_answered_for_alone(words: str, groups: str) -> None:
    assert sorted(_groups(words)) == sorted(groups.split())


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ("4 H100 for training and 4 H100 for vllm, 32b", "8xh100"),
        ("H100 8 gpus, 8xH100, 14b", "8xh100"),
        ("I have a 4090 and another 4090, 8b", "2xrtx4090"),
        ("a rig with 4x4090, 4090 qwen3-8b", "4xrtx4090"),
        ("48GB VRAM (2x 24GB), 70b qlora", "2xrtx4090"),
        ("Two DGX A100 (8x40GB each), 70b lora", "16xa100-40"),
        ("DGX H100, 32b", "8xh100"),
        ("half of an 8xH100 node, 14b", "4xh100"),
        ("Is 24GB enough for LoRA on a 13B model?", "1xrtx4090"),
        ("how many 80GB cards for 70b", "Nonexh100"),
        ("Just bought a second 3090 (NVLink). 3B?", "2xrtx3090"),
        ("1x5090 now, could add a second 5090 later. 14b", "1xrtx5090 2xrtx5090"),
        ("on 2 p4de nodes, ppo llama 3 8b", "16xa100"),
        ("3090 and 24GB of it are free, 8b", "Nonexrtx3090"),
    ],
)
def test_what_is_said_twice_is_one(words: str, groups: str) -> None:
    assert _groups(words) == groups.split()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("8 gpus 4xL40S 8b", "4, 8 are several numbers of GPUs: name one, or each with its card."),
        ("4090 (24GB) and 64GB 8b", "The question names 24 GB, 64 GB"),
        ("zwei 3090 mit 128 GB, 14B", "There is no RTX3090 with 128 GB here: it has 24 GB."),
        ("batch 128 or 256, 8b grpo 8xA100", "The question names 128, 256: one of them"),
        ("2 gpus 4 gpus 8b", "2, 4 are several numbers of GPUs"),
    ],
)
def test_a_number_of_no_card_is_asked_back(words: str, sentence: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_question([words])
    assert sentence in sentence_of(raised.value)


def _answer(words: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(rlbot("recommend", words, "--format", "json").out)
    return answer


@pytest.mark.slow
def test_each_card_keeps_its_number_in_the_answer() -> None:
    methods = _answer("can 2 x 4090 or 1 x A100 train 7B with lora?")["methods"]
    assert [(one["device"], one["asked_gpus"]) for one in methods] == [("RTX4090", 2), ("A100", 1)]
    said = rlbot("recommend", "can 2 x 4090 or 1 x A100 train 7B with lora?").out
    assert "fewest" not in said
    for row in ("2 \u00d7 RTX4090  LoRA", "1 \u00d7 A100     LoRA"):
        assert row in said


@pytest.mark.slow
def test_unequal_cards_in_one_run_take_what_the_smallest_does(tmp_path: Path) -> None:
    """Also `rlbot estimate` says so of the script that is written."""
    words = "4x A100 40GB and 4x A100 80GB, grpo qwen2.5 7b full"
    result = rlbot("recommend", words, "--choice", "2", "--write", f"{tmp_path}/")
    said = " ".join(result.out.split())
    assert "In one run 4 \u00d7 A100-40 + 4 \u00d7 A100 train as 8 \u00d7 A100-40" in said
    answer = _answer(words)
    one = next(one for one in answer["methods"] if one["together"])
    alone = next(one for one in _answer("8x A100 40GB grpo qwen2.5 7b full")["methods"])
    assert (one["peak_gib"], one["verdict"]) == (alone["peak_gib"], alone["verdict"])
    (script,) = tmp_path.rglob("*_8_a100-40_*.sh")
    read = ScriptFile(path=script.name, data=script.read_bytes())
    made = estimate_script(read, CheckOptions()).estimate
    assert made is not None
    assert made.peak_gib == pytest.approx(one["peak_gib"], abs=0.011)


def test_cards_of_two_makers_train_in_no_run_together() -> None:
    question = parse_question(["4 MI300X and 4 H100 grpo 8b"])
    assert [one.together for one in question.groups] == [(), ()]
    assert "train in no run together" in " ".join(question.asides)


def test_a_card_without_scripts_is_said_beside_the_others() -> None:
    result = rlbot("recommend", "4 V100s or 1 A100 for grpo 7b lora")
    said = " ".join(result.out.split())
    assert result.status == 0
    assert "rank 32, no scripts for V100." in said
    assert "The V100 has no bf16" in said
    assert "LoRA fits on 1 \u00d7 A100" in said
    refused = rlbot("recommend", "4 V100s or 2 T4 for grpo 7b lora")
    assert refused.status == 2


@pytest.mark.slow
def test_cards_alone_get_a_table_each() -> None:
    said = rlbot("recommend", "a 3090 and a 4090, what can I train?").out
    for head in ("2 \u00d7 RTX4090 (", "1 \u00d7 RTX3090 (", "1 \u00d7 RTX4090 ("):
        assert said.count(head) == 1
    markdown = rlbot("recommend", "a 3090 and a 4090", "--format", "markdown").out
    assert markdown.count("| model |") == 3
    refused = rlbot("recommend", "a 3090 and a 4090", "--format", "json")
    assert "JSON is of one kind of card" in refused.err


@pytest.mark.slow
def test_a_number_without_a_card_says_which_cards_do() -> None:
    said = rlbot("recommend", "4 GPUs, qwen3-8b grpo, which card?").out
    assert "Whether 4 GPUs of each card do, by method." in said
    assert "fewest" not in said


def test_an_option_beside_numbers_of_each_card_is_refused() -> None:
    refused = rlbot("recommend", "2x4090 or 1xA100, 7b", "--gpus", "4")
    assert "says 2xrtx4090, 1xa100 and an option 4" in refused.err


def test_the_next_step_is_for_a_card_that_fits() -> None:
    said = rlbot("recommend", "8x 4090 or 4x L40S for qwen3-32b lora grpo").out
    assert "Next: rlbot recommend 4xl40s qwen3-32b lora grpo --write" in said


_WORDS = (
    *("and", "or", "vs", "+", "2", "8", "x2", "3090", "2x4090", "a100", "mi300x", "40GB", "80GB"),
    *(
        "2x24gb",
        "2 nodes",
        "gpus",
        "a",
        "better",
        "48GB total",
        "laptop",
        "dgx",
        "qwen3-8b",
        "lora",
    ),
)


@given(st.lists(st.sampled_from(_WORDS), max_size=9))
def test_any_words_of_cards_are_answered_or_refused(words: list[str]) -> None:
    try:
        question = parse_question([" ".join(words)])
    except UserError:
        return
    assert len(question.numbers) in (0, len(question.cards))
    assert not question.numbers or question.gpus is None
