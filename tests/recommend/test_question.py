"""The question of `rlbot recommend`: in any order and part, and a sentence for what is unknown."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.base.csv_file import read_table
from bot.base.device_words import card
from bot.base.devices import devices, original
from bot.base.errors import UserError
from bot.base.messages import sentence_of
from bot.memory.shapes.models import find, pinned
from bot.recommend import model_names
from bot.recommend.cards import known_devices, usual_devices
from bot.recommend.defaults import sizes_of, taken
from bot.recommend.hub import hub_path
from bot.recommend.question import ParsedQuestion, parse_question
from bot.recommend.question_words import words_of
from bot.recommend.request import TASKS
from bot.recommend.spellings import SPELLINGS
from bot.recommend.spellings.spelling import Spelling
from tests.command import rlbot


def _cards(question: ParsedQuestion) -> tuple[str, ...]:
    return tuple(card.token for card in question.cards)


@pytest.mark.parametrize(
    ("words", "cards", "gpus"),
    [
        ("2x4090", ("rtx4090",), 2),
        ("RTX 4090 x2", ("rtx4090",), 2),
        ("I have 2 × RTX 4090, what can I train?", ("rtx4090",), 2),
        ("4090 x 2", ("rtx4090",), 2),
        ("8xH20", ("h20",), 8),
        ("h20-141 *4", ("h20-141",), 4),
        ("4 a100-40", ("a100-40",), 4),
        ("4 A100 40GB", ("a100-40",), 4),
        ("A100-SXM4-80GB", ("a100",), None),
        ("A100 40G*8", ("a100-40",), 8),
        ("2 * RTX 4090 or 2 * A100", ("a100", "rtx4090"), 2),
        ("80GB", ("h100",), 1),
        ("2x24GB", ("rtx4090",), 2),
        ("one 48GB gpu", ("rtx6000ada",), 1),
        ("6 H/A100-80G", ("a100", "h100"), 6),
        ("NVIDIA H100 NVL 94 GB", ("h100nvl",), None),
        ("2 nodes of 8 h100", ("h100",), 16),
        ("4 nodes of 8 x H100", ("h100",), 32),
        ("two nodes of eight H100", ("h100",), 16),
        ("sixteen H100", ("h100",), 16),
        ("Thirty-two H100", ("h100",), 32),
        ("six-GPU A6000", ("a6000",), 6),
        ("can a 3090 do it?", ("rtx3090",), 1),
        ("on an A100 80GB", ("a100",), 1),
        ("an A100 cluster", ("a100",), None),
        ("a model for 2 3090", ("rtx3090",), 2),
        ("GH200 480GB", ("gh200",), None),
        ("a pair of 4090", ("rtx4090",), 2),
        ("dual 4090", ("rtx4090",), 2),
        ("4 nodes of 8xH100", ("h100",), 32),
        ("2 x 8 H100", ("h100",), 16),
        ("2x8xH100", ("h100",), 16),
        ("8 L40S 48GB", ("l40s",), 8),
        ("RTX 4090 D x2", ("rtx4090d",), 2),
        ("2x4090-D", ("rtx4090d",), 2),
        ("4 x 4090 48G", ("rtx4090-48",), 4),
        ("2x4090-48gb", ("rtx4090-48",), 2),
        ("2x4090 24gb", ("rtx4090",), 2),
        ("4 RTX 6000 Ada", ("rtx6000ada",), 4),
        ("2x A6000 Ada Generation", ("rtx6000ada",), 2),
        ("2 x a6000", ("a6000",), 2),
        ("8xA40", ("a40",), 8),
        ("minimum requirement for grpo on h20", ("h20",), None),
        ("h100s", ("h100",), None),
        ("rtx pro 6000", ("rtxpro6000",), None),
        ("a100 4090", ("a100", "rtx4090"), None),
        ("4 910b", ("910b",), 4),
        ("8xAscend910B", ("910b",), 8),
        ("2 nodes 8xH100", ("h100",), 16),
        ("2 nodes, 16 h100", ("h100",), 16),
        ("3 nodes of a100", ("a100",), 24),
        ("two 4090s", ("rtx4090",), 2),
        ("a single 3090", ("rtx3090",), 1),
        ("2 x RTX A6000", ("a6000",), 2),
        ("an 8-GPU H100 node", ("h100",), 8),
        ("one 24gb 4090", ("rtx4090",), 1),
        ("I only have three 3090s.", ("rtx3090",), 3),
        ("rtx-a4000", ("a4000",), None),
        ("4060 ti x2", ("rtx4060ti",), 2),
        ("GeForce RTX 4070 Ti SUPER", ("rtx4070tisuper",), None),
        ("4080 super", ("rtx4080super",), None),
        ("4090 D", ("rtx4090d",), None),
        ("rtx 5000 ada", ("rtx5000ada",), None),
        ("rtx 6000 ada generation", ("rtx6000ada",), None),
        ("\u4e24\u5f204090", ("rtx4090",), 2),
        ("2 \u5f20 4090 \u8bad\u7ec3", ("rtx4090",), 2),
        ("\u4e24\u53f08\u5361H100", ("h100",), 16),
        ("\u5355\u5361 a100", ("a100",), 1),
    ],
)
def test_cards(words: str, cards: tuple[str, ...], gpus: int | None) -> None:
    for arguments in ([words], words.split()):
        question = parse_question(arguments)
        assert (_cards(question), question.gpus) == (cards, gpus)
        assert question.model is None


def test_memory_chooses_between_cards_of_one_name() -> None:
    (nvl,) = parse_question(["H100", "94GB"]).cards
    (plain,) = parse_question(["H100", "80GB"]).cards
    assert (round(nvl.memory_gib), round(plain.memory_gib)) == (94, 80)


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("Qwen/Qwen3-8B", "Qwen3-8B"),
        ("what for Qwen3-8B?", "Qwen3-8B"),
        ("qwen3 8b", "Qwen3-8B"),
        ("qwen3_8b", "Qwen3-8B"),
        ("Qwen 2.5 7B", "Qwen2.5-7B"),
        ("8b llama-3.1", "Llama-3.1-8B"),
        ("llama 3 8b", "Llama-3-8B"),
        ("mixtral-8x7b", "Mixtral-8x7B-v0.1"),
        ("Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
    ],
)
def test_models(words: str, model: str) -> None:
    found = find(parse_question(words.split()).model or "")
    wanted = find(model)
    assert found is not None
    assert wanted is not None
    assert found.shape == wanted.shape


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("32B", "Qwen3-32B"),
        ("a 7b model", "Qwen2.5-7B"),
        ("how many H100s for llama 70b", "Llama-3.1-70B"),
        ("gemma 27b", "Gemma-2-27b"),
        ("deepseek r1 distill 32b", "DeepSeek-R1-Distill-Qwen-32B"),
        ("qwen 72b", "Qwen2.5-72B"),
        ("30b 8xh100", "Qwen3-30B-A3B"),
        ("405b", "Llama-3.1-405B"),
        ("qwen3-235b", "Qwen3-235B-A22B"),
    ],
)
def test_a_size_means_the_likeliest_model(words: str, model: str) -> None:
    question = parse_question(words.split())
    assert (question.model, question.is_model_taken) == (model, True)
    assert find(model) is not None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("gemma 9 31b", '"gemma-9" is no card'),
        ("qwen3-9b", '"qwen3-9b" is no card'),
        ("GLM-4 77b 4xA100", '"GLM-4" is no card'),
        ("qwen3-8b a100 MIG 3g.40gb", "A slice of a card (MIG) is not estimated"),
        ("7b 32b", "The question names 7b, 32b"),
        ("7B/8B on h100", "The question names 7B, 8B"),
        ("8 gpus 4xL40S", "4, 8 are several numbers of GPUs"),
        ("Enigmata-32B", "give the folder with its config.json, or ask about its size alone: 32B."),
        ("qlora 70b 24GB 48GB", "The question names 24 GB, 48 GB: one of them, please."),
        ("3x3090 with 96 GB", "There is no RTX3090 with 96 GB here"),
        ("2 nodes 3 nodes h100", "16, 24 are several numbers of GPUs"),
        ("4x RTX 2080 qwen3-4b", "The RTX 2080 has no bf16"),
        ("8xP40", "The P40 has no bf16"),
        ("p100 16gb", "The P100 has no bf16"),
        ("sft qwen3-8b 8xh100 fp16", "No script here trains in fp16"),
        ("dgx spark qwen3-8b", "a DGX Spark (GB10) share one memory"),
        ("mac studio m3 ultra", "a Mac share one memory"),
        ("gaudi 3 qwen3-8b", "Gaudi takes other software"),
        ("tpu v5e-8", "TPU takes other software"),
        ("ascend 950", '"ascend950" is no card'),
    ],
)
def test_what_has_no_answer_gets_a_sentence(words: str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        parse_question([words])
    assert sentence in sentence_of(error.value)


@pytest.mark.parametrize(
    ("words", "cards", "gpus"),
    [
        ("p5.48xlarge qwen3-32b grpo", ("h100",), 8),
        ("2x p5.48xlarge", ("h100",), 16),
        ("2 p5en.48xlarge", ("h200",), 16),
        ("p5.48xlarge x4", ("h100",), 32),
        ("2 nodes of p4d.24xlarge", ("a100-40",), 16),
        ("ml.p4de.24xlarge", ("a100",), 8),
        ("I rent one g5.12xlarge. What can it train?", ("a10g",), 4),
        ("two g5.48xlarge", ("a10g",), 16),
        ("g5.12xlarge", ("a10g",), 4),
        ("8xH100 on a p5.48xlarge", ("h100",), 8),
        ("a3-highgpu-8g", ("h100",), 8),
        ("Standard_ND96amsr_A100_v4", ("a100",), 8),
        ("NC40ads_H100_v5", ("h100nvl",), 1),
        ("BM.GPU.H100.8", ("h100",), 8),
        ("gpu_8x_a100", ("a100-40",), 8),
    ],
)
def test_a_cloud_instance_is_its_cards(words: str, cards: tuple[str, ...], gpus: int) -> None:
    question = parse_question([words])
    assert (_cards(question), question.gpus) == (cards, gpus)


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (
            "Is using GRPO to train Qwen32B on 8xA800-80GB GPUs sufficient?",
            ("Qwen3-32B", "grpo", None, ("a800",), 8),
        ),
        (
            "what's the minimum computing resource needed to train a 3B model",
            ("Qwen2.5-3B", None, None, (), None),
        ),
        (
            "What is the minimum number of GPUs to train deepseek 671B with GRPO? And using LoRA?",
            ("DeepSeek-R1", "grpo", "lora", (), None),
        ),
        (
            "Is it possible to run PPO on 7B models with 4 40G A100 (full fine-tuning/LoRA)?",
            ("Qwen2.5-7B", "ppo", None, ("a100-40",), 4),
        ),
        (
            "Reinforcement learning of a 7B model? Is 96GB (4x NVIDIA GeForce RTX 3090) enough?",
            ("Qwen2.5-7B", None, None, ("rtx3090",), 4),
        ),
        (
            "How many A100 GPUs (40GB) required to tune 13B model ( full parameter )?",
            ("Llama-2-13b", None, "full", ("a100-40",), None),
        ),
        ("How large model can be trained with 1 node 8*A100?", (None, None, None, ("a100",), 8)),
        ("mistral large 8xh100", ("Mistral-Large", None, None, ("h100",), 8)),
        ("I ran train_ppo.sh with a 7B model on 8 H100", ("Qwen2.5-7B", None, None, ("h100",), 8)),
        ("grpo of 60k samples for 7b", ("Qwen2.5-7B", "grpo", None, (), None)),
        (
            "7b\u6a21\u578b \u5927\u698260k\u7684\u6570\u636e grpo",
            ("Qwen2.5-7B", "grpo", None, (), None),
        ),
    ],
)
def test_questions_as_people_asked_them(
    words: str, known: tuple[str | None, str | None, str | None, tuple[str, ...], int | None]
) -> None:
    """Of issues that ask for hardware: TencentARC/TimeLens#15, verl-tool#34, ColossalAI#6219."""
    question = parse_question([words])
    assert (question.model, question.task, question.method) == known[:3]
    assert (_cards(question), question.gpus, question.response) == (*known[3:], None)


@pytest.mark.parametrize(
    ("words", "model", "base"),
    [
        ("DeepSeek-R1-0528-Qwen3-8B", "DeepSeek-R1-0528-Qwen3-8B", "Qwen3-8B"),
        ("Skywork/Skywork-OR1-7B grpo", "Skywork/Skywork-OR1-7B", "DeepSeek-R1-Distill-Qwen-7B"),
        ("Mistral Small 3.2 24B", "Mistral-Small-3.2-24B", "Mistral-Small-3.1-24B"),
        ("NousResearch/Hermes-4-14B", "NousResearch/Hermes-4-14B", "Qwen3-14B"),
        ("Olmo 3 7B", "Olmo-3-1025-7B", None),
        ("Qwen3-8B-Base", "Qwen3-8B-Base", None),
    ],
)
def test_a_further_training_has_the_shape_of_its_base(
    words: str, model: str, base: str | None
) -> None:
    question = parse_question([words])
    assert (question.model, question.base, question.is_model_taken) == (model, base, False)


def test_a_card_that_is_taken_for_its_memory_is_named() -> None:
    assert "card RTX4090" in taken(parse_question(["7B on 24GB"]), method=None)
    assert not [one for one in taken(parse_question(["7B 4090"]), method=None) if "card" in one]


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("llama 4 scout", "Llama-4-Scout-17B-16E"),
        ("TinyLlama", "TinyLlama-1.1B"),
        ("granite 4.0 tiny 8xh100", "granite-4.0-h-tiny"),
    ],
)
def test_a_beginning_that_one_model_has_means_it(words: str, model: str) -> None:
    question = parse_question([words])
    assert (question.model, question.is_model_taken) == (model, True)


@pytest.mark.parametrize("words", ["kimi 8xh100", "qwen 8xh100", "mixtral"])
def test_a_beginning_that_several_models_have_is_asked_back(words: str) -> None:
    with pytest.raises(UserError, match="is no card"):
        parse_question([words])


def test_the_script_of_a_further_training_names_no_owner_that_is_not_known(tmp_path: Path) -> None:
    written = tmp_path / "m.sh"
    answer = rlbot("recommend", "8xh100 Skywork-OR1-7B grpo full", "--write", str(written))
    assert "the shape of Skywork-OR1-7B from DeepSeek-R1-Distill-Qwen-7B" in " ".join(
        answer.out.split()
    )
    assert ":-Skywork-OR1-7B}" in written.read_text(encoding="utf-8")


def test_every_reported_name_means_its_card() -> None:
    for device in devices():
        if device.reported_name:
            (card,) = parse_question([f"4x {device.reported_name} qwen3-8b"]).cards
            # They report the name of the common card.
            assert card.memory_bytes == device.memory_bytes or original(device), device


def test_a_card_of_the_nvlink_pair_is_told_from_the_other_one() -> None:
    for words in ("h100 nvl", "2x H100-NVL", "NVIDIA H100 NVL x2"):
        (card,) = parse_question([words]).cards
        assert card.usable_gib == 93.1, words


def test_every_cloud_instance_has_a_known_card() -> None:
    rows = read_table(Path(model_names.__file__).parent / "instances.csv")
    for row in rows:
        for name in row["names"].split():
            written = f"{row['gpus']}x{row['card']}"
            assert words_of(f"a {name}.") == ["a", written], name
            assert card(row["card"]), name


def test_a_name_that_holds_an_instance_is_no_instance() -> None:
    assert words_of("my-p5.48xlarge p5.48xlarge-old g5.12xlarges") == [
        "my-p5.48xlarge",
        "p5.48xlarge-old",
        "g5.12xlarges",
    ]


def test_chinese_words_for_methods_and_tasks() -> None:
    full = parse_question(["2xa100 \u5168\u53c2 Qwen3-8B"])
    reward = parse_question(["\u5956\u52b1\u6a21\u578b Qwen3-8B"])
    assert (full.method, reward.task) == ("full", "rm")


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("\u5343\u95ee3-32B", "Qwen3-32B"),
        ("\u901a\u4e49\u5343\u95ee2.5-7B", "Qwen2.5-7B"),
        ("\u5343\u95ee 3 8B", "Qwen3-8B"),
        ("\u6df1\u5ea6\u6c42\u7d22R1", "DeepSeek-R1"),
        ("\u6df7\u51437B", "Hunyuan-7B"),
    ],
)
def test_chinese_names_of_models(words: str, model: str) -> None:
    question = parse_question([f"8\u5361A800 {words}"])
    assert (question.model, question.is_model_taken) == (model, False)


def test_everything_at_once() -> None:
    words = "8xH20 Qwen3-8B grpo-lora 1k+2k batch 256 rank=64 openrlhf"
    question = parse_question([words])
    assert _cards(question) == ("h20",)
    assert (question.gpus, question.model) == (8, "Qwen3-8B")
    assert (question.task, question.method, question.framework) == ("grpo", "lora", "openrlhf")
    assert (question.prompt, question.response) == (1024, 2048)
    assert (question.batch, question.rank) == (256, 64)


def test_cards_of_another_maker_are_answered_for_and_not_listed() -> None:
    for words in ("8xC550", "8 metax c550", "8 \u5361 \u6c90\u66e6 C550"):
        question = parse_question([words])
        assert (_cards(question), question.gpus) == (("c550",), 8)
    assert "c550" not in {device.token for device in usual_devices()}
    assert "c550" in {device.token for device in known_devices()}


@pytest.mark.parametrize(
    "page",
    [
        "https://huggingface.co/Qwen/Qwen3-8B",
        "https://huggingface.co/Qwen/Qwen3-8B/tree/main",
        "http://hf-mirror.com/Qwen/Qwen3-8B/",
        "https://www.modelscope.cn/models/Qwen/Qwen3-8B/summary",
    ],
)
def test_the_page_of_a_model_names_it(page: str) -> None:
    question = parse_question(["2x4090", page])
    assert (_cards(question), question.model) == (("rtx4090",), "Qwen/Qwen3-8B")


@pytest.mark.parametrize("task", ["dapo", "GSPO", "cispo", "ReMax", "REINFORCE++"])
def test_tasks_like_grpo(task: str) -> None:
    known = parse_question([task]).task or ""
    assert known in TASKS["verl"]
    assert known.startswith(task.lower().rstrip("+"))


@pytest.mark.parametrize("words", ["8192 sft", "8k sft", "sft 8K"])
def test_a_single_length(words: str) -> None:
    question = parse_question(words.split())
    assert (question.prompt, question.response, question.gpus) == (None, 8192, None)


@pytest.mark.parametrize(
    ("words", "lengths"),
    [
        ("4k prompts and 8k responses", (4096, 8192)),
        ("2k prompt 14k response", (2048, 14336)),
        ("max prompt 512 max response 1024", (512, 1024)),
        ("max_prompt_length=2048 max_response_length=8192", (2048, 8192)),
        ("prompts: 512 tokens, completions of 1k", (512, 1024)),
        ("20k response length", (None, 20480)),
        ("response length 2048 on 8 h100", (None, 2048)),
        ("512 tokens prompt", (512, None)),
        ("phi 3.5 mini", (None, None)),
        ("llama 3.2 1b 1k", (None, 1024)),
        ("1k+2k", (1024, 2048)),
        ("1.5k+2.5k", (1536, 2560)),
        ("0.5k + 1k", (512, 1024)),
        ("1024/2048", (1024, 2048)),
        ("1k/2k", (1024, 2048)),
        ("\u6700\u5927\u56de\u590d\u957f\u5ea6 8192 \u63d0\u793a\u957f\u5ea6 1024", (1024, 8192)),
    ],
)
def test_lengths_by_their_names(words: str, lengths: tuple[int | None, int | None]) -> None:
    question = parse_question([words])
    assert (question.prompt, question.response) == lengths
    assert question.gpus in (None, 8)


@pytest.mark.parametrize(
    ("words", "task", "method"),
    [
        ("full fine-tuning of Llama-3.1-8B", "sft", "full"),
        ("which model can I finetune with QLoRA?", "sft", "qlora"),
        ("finetune Qwen3-8B with GRPO", "grpo", None),
        ("full-parameter fine-tuning of Qwen3-8B by dpo", "dpo", "full"),
        ("Qwen3-8B full parameters", None, "full"),
        ("\u5fae\u8c03 Qwen3-8B", "sft", None),
    ],
)
def test_fine_tuning_is_a_task_where_none_is_named(
    words: str, task: str | None, method: str | None
) -> None:
    question = parse_question([words])
    assert (question.task, question.method) == (task, method)


@pytest.mark.parametrize(
    ("words", "model", "left_out"),
    [
        ("qwen3 8b nvlink 8 h100 grpo", "Qwen3-8B", ()),
        ("Can a 4x3090 workstation do RLHF on Llama 3 8B?", "Llama-3-8B", ("workstation",)),
        ("rtx pro 6000 blackwell 96gb qwen3-14b", "Qwen3-14B", ()),
        ("macbook for editing, 8xh100 for qwen3-14b", "Qwen3-14B", ("editing",)),
        ("deepseek-v3 671b grpo how many h800", "DeepSeek-V3", ()),
        ("need to dpo llama3.1-70b w/ 4xH100, r=16", "Llama-3.1-70B", ()),
    ],
)
def test_plain_words_are_left_out_and_said(
    words: str, model: str, left_out: tuple[str, ...]
) -> None:
    question = parse_question([words])
    found, wanted = find(question.model or ""), find(model)
    assert found is not None
    assert wanted is not None
    assert found.shape == wanted.shape
    assert question.left_out == left_out
    if left_out:
        said = " ".join(rlbot("recommend", words).out.split())
        assert f"not understood and left out: {' '.join(left_out)}." in said


@pytest.mark.parametrize("words", ["deepseek-v3 70b 8xh100", "sglang"])
def test_what_may_mean_something_is_not_left_out(words: str) -> None:
    with pytest.raises(UserError):
        parse_question([words])


def test_a_prompt_alone_leaves_the_response_open() -> None:
    question = parse_question(["Qwen3-8B 8xh100 prompt=512"])
    sizes = sizes_of(question)
    assert (sizes.prompt, sizes.response) == (512, 1024)
    result = rlbot("recommend", "Qwen3-8B", "8xh100", "prompt=512")
    assert "512 + 1024 tokens" in result.out
    assert "Next: rlbot recommend 8xh100 Qwen3-8B full prompt=512" in " ".join(result.out.split())


def test_a_folder_with_a_configuration_is_a_model() -> None:
    question = parse_question(["2xh100", "models/my 4090"], lambda path: path == "models/my 4090")
    assert (question.model, _cards(question)) == ("models/my 4090", ("h100",))


_COUNTED = st.sampled_from(
    ["{n}x{card}", "{n} {card}", "{card} x{n}", "{card}x{n}", "{n} × {card}"]
)
_CARDS = st.sampled_from(["4090", "RTX 4090", "h100", "A100-40GB", "H20", "l40s", "rtx3090"])
_PHRASES = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["Qwen/Qwen3-8B", "qwen3-4b", "Llama-3.1-70B", "DeepSeek-V3"]),
        "task": st.sampled_from(sorted(TASKS["trl"])),
        "method": st.sampled_from(["full", "lora", "dora"]),
        "framework": st.sampled_from(sorted(TASKS)),
        "lengths": st.sampled_from(["1k+2k", "512 + 1024", "8192", "32k"]),
        "batch": st.integers(1, 4096).map("batch={}".format),
        "rank": st.integers(1, 512).map("rank={}".format),
        "fillers": st.sampled_from(["what can I train", "on", "GPUs"]),
    },
)


@given(_PHRASES, _COUNTED, _CARDS, st.integers(1, 1024), st.randoms(use_true_random=False))
def test_the_order_does_not_matter(
    phrases: dict[str, str], form: str, card: str, gpus: int, chance: object
) -> None:
    parts = [*phrases.values(), form.format(n=gpus, card=card)]
    first = parse_question(parts)
    assert first.gpus == gpus
    assert len(first.cards) == 1
    assert (first.model is None) == ("model" not in phrases)
    chance.shuffle(parts)  # type: ignore[attr-defined]
    assert parse_question(parts) == first


@given(st.sampled_from(sorted({device.token for device in devices()})), st.integers(1, 1024))
def test_every_device_is_known_by_its_token(token: str, gpus: int) -> None:
    question = parse_question([f"{gpus}x{token}"])
    assert (_cards(question), question.gpus) == ((token,), gpus)


@given(st.sampled_from(sorted(pinned())))
def test_every_model_is_known_by_its_name(name: str) -> None:
    if find(name) is not None:
        assert parse_question([name]).model == name


@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_text_is_read_or_gets_a_sentence(words: list[str]) -> None:
    with contextlib.suppress(UserError):
        question = parse_question(words)
        assert question.gpus is None or 1 <= question.gpus <= 1024


def test_many_unknown_words_are_not_tried_in_every_order(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    monkeypatch.setattr(model_names, "find", tried.append)
    with pytest.raises(UserError):
        parse_question([f"{letter}0{letter}!" for letter in "jklqwz"] + ["2p3", "4p5"])
    assert len(tried) < 500


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("qwn3-8b", 'did you mean "Qwen3-8B"?'),
        ("2x4091", 'did you mean "RTX4090"?'),
        ("h1000", 'The card "h1000" is not known here; near ones are H100'),
        ("grppo Qwen3-8B", 'did you mean "grpo"?'),
        ("xyzzy", "--list models, devices or tasks"),
        ("Qwen3-8B Qwen3-4B", "one of them, please"),
        ("2 4 h100", "2, 4 are several numbers of GPUs"),
        ("0 h100", "0 is no number of GPUs"),
        ("100000x4090", "100000 is no number of GPUs from 1 to 1024"),
        ("h100 40GB", "There is no H100 with 40 GB here: it has 80, 94 GB"),
        (
            "0.6B on my laptop 5gb",
            "the nearest are RTX3060LAPTOP, RTX4050LAPTOP, RTX3050LAPTOP-6, with 6 GB",
        ),
        ("x" * 1001, "too long"),
    ],
)
def test_what_is_unknown_or_doubled_gets_a_sentence(words: str, sentence: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_question(words.split(" "))
    assert sentence in sentence_of(raised.value)


def test_a_model_without_its_owner_gets_the_name_of_its_hub() -> None:
    for name in pinned():
        model = find(name)
        if model is not None:
            found = find(hub_path(name, name))
            assert found is not None, name
            assert found.shape == model.shape, name
    assert hub_path("qwen3-8b", "Qwen3-8B") == "Qwen/Qwen3-8B"
    assert hub_path("Qwen2.5-7B-Instruct", "Qwen2.5-7B") == "Qwen/Qwen2.5-7B-Instruct"
    assert hub_path("Llama-3-8B", "Llama-3-8B") == "meta-llama/Meta-Llama-3-8B"
    assert hub_path("Mistral-Large", "Mistral-Large") == "Mistral-Large"


def test_many_signs_are_no_cards_and_take_no_time() -> None:
    with pytest.raises(UserError):
        parse_question(["x".join("1" * 400)])


@pytest.mark.parametrize(
    ("words", "cards", "gpus"),
    [
        # A desktop's one machine says nothing of its cards.
        ("\u5355\u673a 4090", ("rtx4090",), None),
        ("\u5355\u5f204090", ("rtx4090",), 1),
        ("\u53cc\u5361 4090", ("rtx4090",), 2),
        ("\u5341\u516d\u5f20H100", ("h100",), 16),
        ("\u4e09\u5341\u4e8c\u5361 A100", ("a100",), 32),
        ("\u4e00\u767e\u4e8c\u5341\u516b\u5f20H800", ("h800",), 128),
        ("\u4e24\u4e2a\u8282\u70b9 8\u5361 H100", ("h100",), 16),
        ("\u56db\u673a \u6bcf\u673a8\u5361 H100", ("h100",), 32),
        ("4\u673a32\u5361H100", ("h100",), 32),
        ("2\u53f0 A100", ("a100",), 16),
        ("\u5355\u673a8\u5361A100", ("a100",), 8),
    ],
)
def test_numbers_in_chinese(words: str, cards: tuple[str, ...], gpus: int | None) -> None:
    """Sixteen cards were six, and thirty-two two."""
    question = parse_question([f"{words} 7B"])
    assert (_cards(question), question.gpus) == (cards, gpus)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda one: one.written)
def test_every_spelling_does_what_its_example_shows(spelling: Spelling) -> None:
    assert spelling.found.sub(spelling.becomes, spelling.written) == spelling.read
    assert words_of(spelling.written) == words_of(spelling.read)
