"""Questions that ask for several answers: numbers of GPUs, tasks, methods; and refitted cards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.base.errors import UserError
from bot.base.messages import sentence_of
from bot.recommend.card_clauses import MEMORIES, NUMBERS, CardForm
from bot.recommend.defaults import taken
from bot.recommend.question import parse_question, parse_questions
from tests.command import rlbot


def _groups(words: str) -> list[str]:
    question = parse_question([words])
    return [f"{one.gpus}x{one.device.token}" for one in question.groups if not one.together]


def _answer(words: str, *more: str) -> str:
    """The answer as one line."""
    result = rlbot("recommend", "--offline", words, *more)
    assert result.status in (0, 1), result.err
    return " ".join(result.out.split())


@pytest.mark.parametrize("form", [*NUMBERS, *MEMORIES], ids=lambda one: one.written)
def test_every_form_does_what_its_example_shows(form: CardForm) -> None:
    assert sorted(_groups(form.written)) == sorted(form.means.split())


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ("one 8xH100 node or two? qwen3 32b grpo", "8xh100 16xh100"),
        ("is 1 node of 8 A100 enough or do I need 2? 14b", "8xa100 16xa100"),
        ("is one node enough, or two? 8xH100 each, 32b", "8xh100 16xh100"),
        ("one or two 8xH100 nodes for 32b", "8xh100 16xh100"),
        ("1 or 2 nodes of 4xA100, 32b", "4xa100 8xa100"),
        ("an 8xH100 node or two for 70b?", "8xh100 16xh100"),
        ("8xH100 or do I need two nodes, 72b", "8xh100 16xh100"),
        ("one node of 8 H100 or 4 GPUs, 14b", "8xh100 4xh100"),
        ("8 GPUs or 2 nodes of H100 for 70b", "8xh100 16xh100"),
        ("Will one 8xH200 node do for DeepSeek-V3 LoRA or do I need four?", "8xh200 32xh200"),
        ("Is 2 GPUs enough or do I need 4 for 8B DPO? A100 80GB", "2xa100 4xa100"),
        ("Is a 3090 enough for 14B QLoRA, or do I need 2 3090s?", "1xrtx3090 2xrtx3090"),
        (
            "\u4e00\u53f08\u5361H100\u591f\u5417\u8fd8\u662f\u8981\u4e24\u53f0 72B",
            "8xh100 16xh100",
        ),
        ("2 boxes: one with 8xA100 and one with 8xH100, 32b", "8xa100 8xh100"),
    ],
)
def test_each_number_is_answered(words: str, groups: str) -> None:
    assert _groups(words) == groups.split()


def test_numbers_without_a_card_are_answered_for_each_card() -> None:
    for words, choice in (
        ("4 or 8 GPUs? qwen3-14b", (4, 8)),
        ("do I need 2, 4 or 8 gpus for 8b", (2, 4, 8)),
        ("4\u5361\u8fd8\u662f8\u5361 qwen3-14b", (4, 8)),
    ):
        question = parse_question([words])
        assert (question.cards, question.choice, question.gpus) == ((), choice, None)
    refused = rlbot("recommend", "4 or 8 GPUs? qwen3-14b", "--gpus", "4")
    assert "says 4, 8 and an option 4" in refused.err


def test_which_number_is_enough(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    result = rlbot("recommend", "does 7B GRPO fit on 1, 2 or 4 A100-80GB", cwd=tmp_path)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("1 or 2 4090 for qwen3 4b lora", "LoRA: 1 × RTX4090 is enough."),
        ("1 or 2 4090 for qwen3 32b lora", "LoRA: 2 × RTX4090 are too few."),
        ("1 or 2 2080 Ti for qwen3 4b lora", "LoRA: 1 × RTX2080TI may be enough."),
    ],
)
def test_how_much_is_enough_is_said(words: str, sentence: str) -> None:
    assert sentence in _answer(words)


@pytest.mark.slow
def test_numbers_of_any_card_are_columns(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    words = "4 or 8 GPUs? qwen3-14b grpo"
    for more in ((), ("--format", "markdown"), ("--lang", "zh")):
        result = rlbot("recommend", words, *more, cwd=tmp_path)
        assert result.status == 0
        assert result.out == snapshot
    methods = json.loads(rlbot("recommend", words, "--format", "json").out)["methods"]
    assert {one["asked_gpus"] for one in methods} == {4, 8}
    with_card = json.loads(rlbot("recommend", words, "--device", "h100", "--format", "json").out)
    assert [one["asked_gpus"] for one in with_card["methods"]] == [4, 8, 4, 8]


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        ("SFT then GRPO of 7B on 4x A100", ("sft", "grpo")),
        ("PPO or GRPO for 7B on 4xA6000, which one fits?", ("ppo", "grpo")),
        ("grpo/ppo qwen3-8b", ("grpo", "ppo")),
        ("For SFT, DPO and PPO of an 8B, do I need 8xA100?", ("sft", "dpo", "ppo")),
        ("\u5148SFT\u518dGRPO\uff0cQwen2.5-7B\uff0c4\u5f20A100", ("sft", "grpo")),
    ],
)
def test_several_tasks(words: str, tasks: tuple[str, ...]) -> None:
    question = parse_question([words])
    assert (question.task, question.tasks, question.left_out) == (None, tasks, ())
    assert tuple(one.task for one in question.of_each_task) == tasks


def test_each_task_is_answered(tmp_path: Path) -> None:
    words = "SFT then GRPO of 7B on 4x A100"
    result = rlbot("recommend", words, cwd=tmp_path)
    each = [rlbot("recommend", f"{one} 7B 4x A100", cwd=tmp_path).out for one in ("SFT", "GRPO")]
    assert (result.status, result.out) == (0, "\n".join(each))
    for more in (("--format", "json"), ("--write", f"{tmp_path}/")):
        refused = rlbot("recommend", words, *more)
        assert "names sft, grpo: a script and JSON are of one" in refused.err
    refused = rlbot("recommend", words, "--task", "sft")
    assert "says sft, grpo and an option sft" in refused.err


@pytest.mark.slow
def test_cards_alone_are_answered_for_each_task() -> None:
    said = rlbot("recommend", "sft or dpo on a 3060", "--format", "markdown").out
    assert said.count("| model |") == 2
    for task in ("sft with verl", "dpo with openrlhf"):
        assert task in said


@pytest.mark.parametrize(
    ("words", "method", "methods"),
    [
        ("LoRA or QLoRA for 8B on a 4090", None, ("lora", "qlora")),
        ("qlora vs lora vs full, llama 3.1 8b, 3090", None, ("full", "lora", "qlora")),
        ("DoRA or LoRA on 24GB for 7B?", None, ("lora", "dora")),
        ("LoRA or full of 8B on a 4090", None, ()),
        ("4bit lora 8b 4090", "qlora", ()),
    ],
)
def test_several_methods(words: str, method: str | None, methods: tuple[str, ...]) -> None:
    question = parse_question([words])
    assert (question.method, question.methods) == (method, methods)


def test_each_method_has_its_row() -> None:
    answer: dict[str, Any] = json.loads(
        _answer("LoRA or QLoRA for 8B on a 4090", "--format", "json")
    )
    assert [one["method"] for one in answer["methods"]] == ["lora", "qlora"]
    assert answer["question"]["task"] == "sft"
    said = _answer("LoRA or QLoRA for GRPO of 8B on 2x4090")
    assert "LoRA fits on 2 × RTX4090" in said
    assert "No script is made for grpo with QLoRA" in said


@pytest.mark.parametrize(
    ("words", "groups", "clause"),
    [
        ("2x 2080 Ti 22GB, 4b", "2xrtx2080ti-22", "RTX2080TI with 22 GB instead of 11"),
        ("RTX 4090 48GB 8b", "Nonexrtx4090-48", "RTX4090 with 48 GB instead of 24"),
        ("3090 48G 8b", "Nonexrtx3090-48", "RTX3090 with 48 GB instead of 24"),
        ("two modded 4090s with 48GB each, 8b", "2xrtx4090-48", "RTX4090 with 48 GB instead of 24"),
        ("4x RTX 4090D 48GB 14b", "4xrtx4090d-48", "RTX4090D with 48 GB instead of 24"),
        ("a 4080 Super 32GB, 8b", "1xrtx4080super-32", "RTX4080SUPER with 32 GB instead of 16"),
        ("3060 8GB 1.7b", "Nonexrtx3060-8", "RTX3060 with 8 GB instead of 12"),
        (
            "\u9b54\u65393080 20G \u4e24\u5f20 7b",
            "2xrtx3080-20",
            "RTX3080 with 20 GB instead of 10",
        ),
        ("2xrtx3090-48 8b", "2xrtx3090-48", "RTX3090 with 48 GB instead of 24"),
        ("2x 3090 48GB 8b", "2xrtx3090", None),  # Of both together.
    ],
)
def test_the_memory_beside_a_refitted_card_is_its_own(
    words: str, groups: str, clause: str | None
) -> None:
    assert _groups(words) == groups.split()
    said = [one for one in taken(parse_question([words]), method=None) if "instead of" in one]
    assert said == ([clause] if clause else [])


@pytest.mark.parametrize("words", ["3090 with 32GB", "3090 128GB", "4070 16GB", "h100 160GB"])
def test_a_memory_that_no_workshop_gives_a_card_is_asked_back(words: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_question([f"{words} 8b"])
    assert sentence_of(raised.value).startswith("There is no ")


def test_the_script_for_a_refitted_card_is_estimated_with_its_memory(tmp_path: Path) -> None:
    said = _answer("3090 48G qwen3-8b lora sft", "--write", str(tmp_path))
    assert "LoRA fits on 1 × RTX3090-48" in said
    (script,) = tmp_path.iterdir()
    assert "_1_rtx3090-48_" in script.name
    assert rlbot("lint", str(script)).status == 0
    assert "RTX3090-48 (47.7 GiB usable): fits" in rlbot("estimate", str(script)).out


@pytest.mark.parametrize(
    ("words", "groups", "why"),
    [
        ("Can a Mac M4 Max 128GB or a 4090 fine-tune an 8B?", "1xrtx4090", "a Mac share one"),
        ("Tesla P40 x4 or one 3090, 7b lora", "1xrtx3090", "The P40 has no bf16"),
        ("2 dgx spark or 1 4090 7b qlora", "1xrtx4090", "a DGX Spark (GB10) share one"),
        ("gaudi2 x8 or 8xA100 7b", "8xa100", "Gaudi takes other software"),
    ],
)
def test_a_card_without_scripts_keeps_its_number_and_memory(
    words: str, groups: str, why: str
) -> None:
    question = parse_question([words])
    assert _groups(words) == groups.split()
    assert question.left_out == ()
    assert why in " ".join(question.asides)


def test_a_maximum_behind_its_number_is_a_length() -> None:
    question = parse_question(["7B GRPO 8xH100 32k max response length"])
    assert (question.response, question.asks_longest) == (32768, False)
    assert not parse_question(["8xh100 max seq length 512 sft"]).asks_longest


def test_of_a_choice_the_fewest_gpus_that_fit_come_first() -> None:
    result = rlbot("recommend", "one 8xH100 node or two for 70B grpo full?", "--format", "json")
    listed = [one["gpus"] for one in json.loads(result.out)["predicted"]]
    assert listed == [8, 16]


@pytest.mark.parametrize(
    ("words", "differ"),
    [
        (
            "2x4090 qwen3-8b or llama-3.1-8b lora grpo?",
            [{"model": "qwen3-8b"}, {"model": "llama-3.1-8b"}],
        ),
        (
            "8xh100 qwen3-32b vs deepseek r1 distill qwen 32b grpo",
            [{"model": "qwen3-32b"}, {"model": "DeepSeek-R1-Distill-Qwen-32B"}],
        ),
        ("8xh100 7b or 14b grpo", [{"model": "Qwen2.5-7B"}, {"model": "Qwen3-14B"}]),
        (
            "verl or openrlhf or trl for grpo qwen3-8b on 8xA100",
            [{"framework": "verl"}, {"framework": "openrlhf"}, {"framework": "trl"}],
        ),
        ("4k or 16k responses, qwen3-14b 8xh100", [{"response": 4096}, {"response": 16384}]),
        (
            "1k+2k or 2k+8k qwen3-8b 8xh100",
            [{"prompt": 1024, "response": 2048}, {"prompt": 2048, "response": 8192}],
        ),
        ("qwen3-8b 8xh100 or 4xh200", [{"model": "qwen3-8b", "numbers": (8, 4)}]),
        (
            "mistral small 3.2 24b instruct 2506 vs qwen3-32b, 4xL40S, lora sft",
            [{"model": "mistral-small-3.2-24b-instruct-2506"}, {"model": "qwen3-32b"}],
        ),
        (
            "qwen3-8b or llama-3.1-8b on 8xA100, which needs less?",
            [{"model": "qwen3-8b"}, {"model": "llama-3.1-8b"}],
        ),
    ],
)
def test_each_of_what_there_is_to_choose_from_is_answered(
    words: str, differ: list[dict[str, object]]
) -> None:
    questions = parse_questions([words], lambda _path: False)
    found = [{name: getattr(one, name) for name in differ[0]} for one in questions]
    assert found == differ
    assert {word for one in questions for word in one.left_out} <= {"less"}


def test_two_models_are_answered_one_after_another() -> None:
    said = rlbot("recommend", "2x4090 qwen3-8b or llama-3.1-8b lora grpo?").out
    assert said.count("grpo-lora of Qwen3-8B with verl") == 1
    assert said.index("of Qwen3-8B") < said.index("of Llama-3.1-8B")
    refused = rlbot("recommend", "2x4090 qwen3-8b or llama-3.1-8b lora", "--format", "json")
    assert refused.status == 2
    assert "names qwen3-8b, llama-3.1-8b: a script and JSON are of one" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        "qwen3-8b llama-3.1-8b 2x4090",  # No choice is said.
        "0.6b or 1.7b or 4b or 8b or 14b or 32b or 70b on 8xh100",  # Too many.
    ],
)
def test_what_is_no_choice_of_a_few_is_refused(words: str) -> None:
    with pytest.raises(UserError):
        parse_questions([words], lambda _path: False)
