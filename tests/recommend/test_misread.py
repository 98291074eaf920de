"""Words of a question that were once taken for something else, or dropped without a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.base.errors import UserError
from bot.base.messages import sentence_of
from bot.memory.shapes.models import find
from bot.recommend.hub import hub_path
from bot.recommend.question import ParsedQuestion, parse_question
from tests.command import rlbot


def _refusal(words: str) -> str:
    with pytest.raises(UserError) as raised:
        parse_question([words])
    return sentence_of(raised.value)


def _cards(question: ParsedQuestion) -> tuple[str, ...]:
    return tuple(card.token for card in question.cards)


@pytest.mark.parametrize(
    "words",
    [
        *("W7900", "RTX 6000", "quadro rtx 6000", "RTX 3060 Ti", "3070ti", "2x3070ti", "8xMI210"),
        *("radeon 7900 xtx", "7900xtx", "radeon pro w7900"),
        *(
            "MI210",
            "B100",
            "A16",
            "RTX 5880 ada",
            "RX 7900 XTX",
            "RTX A2000 12gb",
            "gtx 1660",
            "1660 super",
        ),
    ],
)
def test_a_card_that_is_not_known_is_no_part_of_a_name(words: str) -> None:
    for question in (words, f"{words} qwen3 8b", f"8xh100 {words} qwen3 8b"):
        assert "is not known here" in _refusal(question)
        assert _refusal(question).startswith("The card ")


def test_a_folder_of_the_hub_s_cache_is_called_after_its_model() -> None:
    folder = "/root/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B/snapshots/7b5e0a"
    result = rlbot("recommend", "--offline", folder, "2xa100")
    assert result.out.startswith("grpo-lora of Qwen2.5-7B with verl")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("llama 4xa100", "of that family are known: Llama-3.1-8B, "),
        ("qwen3 4xa100", "of that family are known: Qwen3-8B, "),
        ("MiniCPM-V 4xa100", "of that family are known: MiniCPM4-8B, "),
        ("qwen4-8b 8xh100", 'did you mean "Qwen3-8B"?'),
        ("t5-large 1x4090", 'did you mean "gpt2-large"?'),
        ("gpt-5 8xh100", "rlbot recommend --list models, devices or tasks shows"),
    ],
)
def test_a_family_alone_names_some_of_its_models(words: str, hint: str) -> None:
    """ "did you mean qwen?", and qwen was not known either."""
    assert hint in _refusal(words)


def test_cards_near_to_an_unknown_one_are_named() -> None:
    assert "near ones are RTXPRO6000, RTX6000ADA" in _refusal("2x rtx 6000")
    assert "near ones are MI250X" in _refusal("MI210")
    assert "rlbot recommend --list devices" in _refusal("W7900")


@pytest.mark.parametrize(
    "words",
    [
        *("2x rtx 6000 pro", "2xrtx6000pro", "2x pro 6000", "2 x RTX PRO 6000 Blackwell Max-Q"),
        *("2 RTX 6000 Pro Workstation Edition", "rtxpro6000 x2"),
    ],
)
def test_each_order_of_rtx_pro_6000(words: str) -> None:
    for question in (words, f"{words} qwen3-8b"):
        parsed = parse_question([question])
        assert (_cards(parsed), parsed.gpus, parsed.left_out) == (("rtxpro6000",), 2, ())


@pytest.mark.parametrize("words", ["hunyuan a13b", "granite 3.0 1b a400m", "llama-4 scout"])
def test_parts_of_names_are_no_cards(words: str) -> None:
    assert parse_question([words]).model is not None


@pytest.mark.parametrize(
    ("words", "hub"),
    [
        ("qwen3 30b a3b instruct 2507", "Qwen/Qwen3-30B-A3B-Instruct-2507"),
        ("qwen3 4b thinking 2507", "Qwen/Qwen3-4B-Thinking-2507"),
        ("mistral small 3.2 24b 2506", "mistral-small-3.2-24b-2506"),
        ("olmo 2 1124 7b", "allenai/OLMo-2-1124-7B"),
        ("deepseek r1 0528", "deepseek-ai/DeepSeek-R1-0528"),
        ("kimi k2 0905", "moonshotai/Kimi-K2-0905"),
        ("glm 4 9b 0414", "GLM-4-9B-0414"),
        ("qwen2.5 coder 32b", "Qwen/Qwen2.5-Coder-32B"),
        ("qwen2.5 math 7b", "Qwen/Qwen2.5-Math-7B"),
        ("qwen3 coder 30b a3b instruct", "Qwen/Qwen3-Coder-30B-A3B-Instruct"),
        ("Qwen2.5-7B-Instruct-1M", "Qwen/Qwen2.5-7B-Instruct-1M"),
        ("qwen 2.5 7b instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("phi 3 mini 4k", "microsoft/Phi-3-mini-4k-instruct"),
        ("phi 3 mini", "microsoft/Phi-3-mini-128k-instruct"),
        ("llama 3 8b instruct", "meta-llama/Meta-Llama-3-8B-Instruct"),
        ("mistral 7b instruct v0.3", "mistralai/Mistral-7B-Instruct-v0.3"),
        ("deepseek coder 33b instruct", "deepseek-ai/deepseek-coder-33b-instruct"),
        ("llama-2 13b chat", "meta-llama/Llama-2-13b-chat-hf"),
        ("gemma 2 9b it", "google/gemma-2-9b-it"),
        ("gemma 3 4b", "google/gemma-3-4b-it"),
        ("gemma-3-4b-it", "google/gemma-3-4b-it"),
    ],
)
def test_the_model_that_was_asked_for_is_named(words: str, hub: str) -> None:
    question = parse_question([f"8xh100 {words} sft"])
    assert (question.gpus, question.response, question.left_out) == (8, None, ())
    name = question.model or ""
    known = find(name)
    assert hub_path(name, known.name if known else name) == hub


@pytest.mark.parametrize(
    ("words", "base"),
    [
        ("qwen3 30b a3b instruct 2507", "Qwen3-30B-A3B"),
        ("deepseek r1 0528", "DeepSeek-R1"),
        ("qwen2.5 coder 32b", None),
        ("qwen3 8b instruct", None),
    ],
)
def test_whose_shape_another_model_has_is_said(words: str, base: str | None) -> None:
    assert parse_question([words]).base == base


@pytest.mark.parametrize(
    ("words", "response"),
    [
        ("sft 1024 tokens", 1024),
        ("sft 512", 512),
        ("grpo 512", 512),
        ("Qwen3-8B 1024", 1024),
        ("sft 2,048 tokens", 2048),
        ("64 tokens sft", 64),
        ("context 4096", 3072),
        ("context 4096 sft", 4096),
        ("4k context qlora", 4096),
        ("max seq length 512 sft", 512),
        ("1M context", 1024**2 - 1024),
        ("sft 1m", 1024**2),
        ("phi 3 mini 4k sft 2k", 2048),
        ("8 steps, 1k+2k tokens", 2048),
    ],
)
def test_a_length_is_no_number_of_gpus(words: str, response: int) -> None:
    question = parse_question([f"8xh100 {words}"])
    assert (question.gpus, question.response, question.left_out) == (8, response, ())


@pytest.mark.parametrize("words", ["512 h100", "h100 512", "512xh100", "h100, 512 gpus"])
def test_a_number_beside_a_card_counts_it(words: str) -> None:
    question = parse_question([words])
    assert (question.gpus, question.response) == (512, None)


def test_millions_as_an_option() -> None:
    answer = rlbot("recommend", "8xh100", "qwen3-8b", "sft", "--lengths", "11m")
    assert answer.err == (
        "rlbot: The response is 11534336; a number from 1 to 10000000 belongs there.\n"
    )


@pytest.mark.parametrize(
    ("words", "task", "method", "left_out"),
    [
        ("without lora", None, "full", ()),
        ("no-lora", None, "full", ()),
        ("w/o lora", None, "full", ()),
        ("\u4e0d\u7528lora", None, "full", ()),
        ("can't use lora", None, "full", ()),
        ("I don't want to use LoRA", None, "full", ()),
        ("full instead of lora", None, "full", ()),
        ("avoid lora", None, "full", ()),
        ("\u4e0d\u505alora", None, "full", ()),
        ("no qlora sft", "sft", None, ()),
        ("without full fine-tuning", "sft", "lora", ()),
        ("without offload", None, None, ()),
        ("no nvlink", None, None, ()),
    ],
)
def test_what_is_not_wanted_is_not_taken(
    words: str, task: str | None, method: str | None, left_out: tuple[str, ...]
) -> None:
    question = parse_question([f"4xh100 Qwen3-8B {words}"])
    assert (question.task, question.method, question.left_out) == (task, method, left_out)


@pytest.mark.parametrize("words", ["not 2x4090", "without grpo", "no qwen3-8b"])
def test_what_is_known_and_not_wanted_is_asked_back(words: str) -> None:
    assert "says what is not wanted" in _refusal(f"8xh100 {words}")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("kto", "There is no prediction for KTO; the tasks are grpo, ppo"),
        ("orpo", "There is no prediction for ORPO"),
        ("pretrain", "There is no prediction for pretraining"),
        ("sglang", "SGLang cannot be asked for: scripts are for verl"),
        ("fp16", "No script here trains in fp16"),
        ("mistal 7b", 'did you mean "mistral"?'),
        ("lama 3 8b", 'did you mean "llama"?'),
        ("llama4", 'did you mean "Llama-4-Scout-17B-16E"?'),
        ("1000b", "give the folder with the config.json of a model of that size."),
        ("llama 8b qwen 8b", "The question names llama 8b, qwen 8b: one of them, please."),
    ],
)
def test_what_is_not_covered_is_refused(words: str, sentence: str) -> None:
    assert sentence in _refusal(f"8xh100 {words}")


@pytest.mark.parametrize("words", ["distill", "inference", "deepspeed", "no-lora", "tp=4", "Max-Q"])
def test_a_word_is_not_near_to_one_that_shares_few_letters(words: str) -> None:
    assert "did you mean" not in rlbot("recommend", f"8xh100 {words} Qwen3-8B nonsense0").err


@pytest.mark.parametrize("words", ["3090 laptop", "laptop with an RTX 3090"])
def test_a_laptop_has_another_card_of_that_name(words: str) -> None:
    assert "The RTX3090 of a laptop has less memory" in _refusal(f"{words} qwen3-0.6b")


def test_a_laptop_that_is_known_or_has_no_such_card() -> None:
    assert _cards(parse_question(["rtx 3050 laptop"])) == ("rtx3050laptop",)
    assert _cards(parse_question(["from my laptop to 8xh100"])) == ("h100",)
    for words, token in (
        *(("4090 laptop", "rtx4090laptop"), ("my laptop has a 4060 with 8GB", "rtx4060laptop")),
        *(("3050 laptop 6gb", "rtx3050laptop-6"), ("RTX 5070 Ti Laptop GPU", "rtx5070tilaptop")),
    ):
        question = parse_question([words])
        assert (_cards(question), question.is_card_taken) == ((token,), False)
    for words, gib in (("3090 laptop 16gb", 16), ("my laptop has a 4060 ti with 8GB", 8)):
        question = parse_question([words])
        assert question.is_card_taken
        assert [round(card.memory_gib) for card in question.cards] == [gib]


@pytest.mark.parametrize(
    ("words", "cards"),
    [
        ("A100 40GB or 4090 for 7b", ("a100-40", "rtx4090")),
        ("3090 or A100 80GB", ("a100", "rtx3090")),
        ("4090 48GB, a6000, l40s", ("a6000", "l40s", "rtx4090-48")),
    ],
)
def test_a_memory_is_that_of_the_card_that_has_it(words: str, cards: tuple[str, ...]) -> None:
    assert _cards(parse_question([words])) == cards


@pytest.mark.parametrize(
    ("words", "task"),
    [
        ("qwen3-14b on 4 L40S full finetune rlhf", None),
        ("lora fine-tuning of a 7b with RL", None),
        ("fine-tune qwen3-8b by reinforcement learning", None),
        ("rlhf of a 7b, dpo", "dpo"),
        ("finetune qwen3-8b lora", "sft"),
        ("RLHF PPO llama3 8b reward model 8b 4xA100", "ppo"),
    ],
)
def test_reinforcement_learning_is_no_fine_tuning(words: str, task: str | None) -> None:
    assert parse_question([words]).task == task


def test_a_plus_joins_words_of_their_own() -> None:
    read = parse_question(["GRPO+LoRA Qwen2.5-14B-Instruct-1M on 4xA40, 1k+2k"])
    assert (read.task, read.method, read.gpus, read.response) == ("grpo", "lora", 4, 2048)


@pytest.mark.parametrize(
    "words", ["batch 1 4xh100", "rank 1 4xh100 lora", "8B llama 3.1 4xH100", "a single 4xh100"]
)
def test_a_one_before_cards_may_be_of_something_else(words: str) -> None:
    assert parse_question([f"{words} sft"]).gpus == 4


def test_a_sign_may_be_of_a_name() -> None:
    assert '"command-r+"' in _refusal("command-r+ dpo 8xh100")
    model = parse_question(["hardware for code llama 34b sft lora 2xa6000"]).model
    assert model is not None
    assert "CodeLlama" in model


def test_a_rank_may_be_written_with_its_letter() -> None:
    assert parse_question(["2x5090 qwen3-8b grpo lora r64"]).rank == 64
    assert parse_question(["deepseek-r1-distill-qwen-7b lora"]).rank is None
    assert parse_question(["deepseek r1 8xh200"]).rank is None


@pytest.mark.parametrize(
    "words",
    [
        *("8xH100 qwen3-8b grpo", "grpo qwen3-8b on a single 8xH100 node, enough?"),
        *("single node 8xH100, qwen3-8b grpo", "qwen3-8b grpo, one node with 8 H100"),
        *(
            "lora_alpha=64 8xh100 qwen3-8b grpo lr 1e-6",
            "8xh100 qwen3-8b grpo temperature=0.7 epochs: 3",
        ),
    ],
)
def test_what_changes_no_memory_is_passed_over(words: str) -> None:
    read = parse_question([words])
    assert (_cards(read), read.gpus, read.task, read.left_out) == (("h100",), 8, "grpo", ())


def test_what_a_model_is_to_learn_is_no_part_of_its_name() -> None:
    for words in (
        "llama-3.2-1b for math",
        "llama-3.2-1b on gsm8k for tool calling",
        "multi-node multi-turn llama-3.2-1b fsdp2",
    ):
        read = parse_question([f"{words} grpo 4090"])
        assert read.model is not None
        assert (_cards(read), read.task, read.left_out) == (("rtx4090",), "grpo", ())
    assert parse_question(["qwen2.5-math-7b grpo"]).left_out == ()


def test_prompts_are_counted_and_a_prompt_has_tokens() -> None:
    assert parse_question(["qwen3-8b 8xh100 512 prompts, 16k responses"]).batch == 512
    assert parse_question(["qwen3-8b 8xh100 512 prompt + 16k response"]).prompt == 512
    told = parse_question(["qwen3-8b 8xh100 prompts of 512 tokens and answers of 8k"])
    assert (told.prompt, told.response, told.batch) == (512, 8192, None)
    told = parse_question(["qwen3-8b 8xh100 1024 prompts and 2048 responses"])
    assert (told.prompt, told.response, told.batch) == (1024, 2048, None)


def test_full_parameters_may_be_cut_short() -> None:
    for words in (
        "full-param ppo llama 3.1 70b",
        "ppo full param llama-3.1-70b",
        "full weights 7b",
    ):
        assert parse_question([f"{words} 8xh800"]).method == "full"


def test_generations_are_no_number_of_gpus() -> None:
    for words in (
        "grpo with 8 generations 7B on one H200",
        "grpo, group of 16, 2x3090",
        "grpo n=8 rollouts",
    ):
        question = parse_question([words])
        assert question.gpus in (None, 1, 2)
        assert "How many responses a prompt gets" in "".join(question.asides)


def test_a_processor_of_apple_s_is_a_mac() -> None:
    for words in ("M3 max 64gb", "m2-ultra qwen3-8b", "M5 Pro"):
        assert "a Mac share one memory" in _refusal(words)
    assert parse_question(["MiniMax-M2 8xh200"]).model is not None


def test_a_number_of_gpus_that_is_far_too_large_is_called_one() -> None:
    assert _refusal("1000000xh100 Qwen3-8B") == "1000000 is no number of GPUs from 1 to 1024."


@pytest.mark.parametrize(
    ("words", "gpus"),
    [
        ("8\u5361*2\u8282\u70b9 H100", 16),
        ("2\u8282\u70b9 8\u5361H100", 16),
        ("256\u5361H100", 256),
        ("8 gpus x 2 nodes h100", 16),
        ("8xh100 2 epochs", 8),
        ("2 machines with 8 h100", 16),
    ],
)
def test_gpus_of_nodes(words: str, gpus: int) -> None:
    assert parse_question([words]).gpus == gpus


@pytest.mark.parametrize("words", ["batch size of 64", "64 batch size", "batch 64", "bs=64"])
def test_a_batch(words: str) -> None:
    question = parse_question([f"8xh100 bf16 Qwen3-8B {words}, grpo"])
    assert (question.batch, question.gpus, question.model) == (64, 8, "Qwen3-8B")
    assert (question.response, question.left_out) == (None, ())


def test_a_rank_is_of_an_adapter() -> None:
    for words in ("rank=64", "lora r 64", "lora_rank 64", "r=64"):
        question = parse_question([f"4xh100 Qwen3-8B {words}"])
        assert (question.method, question.rank) == ("lora", 64)


def _next(*arguments: str) -> list[str]:
    _, _, command = " ".join(rlbot("recommend", *arguments).out.split()).partition("Next: rlbot ")
    return command.partition(" --write")[0].split()


@pytest.mark.slow
@pytest.mark.parametrize("words", ["4xh100 Qwen3-8B rank=64", "8xh100 Qwen3-8B sft 1k"])
def test_the_next_command_is_understood(words: str, tmp_path: Path) -> None:
    command = _next(words)
    assert command
    assert rlbot(*command, "--write", str(tmp_path / "next.sh")).status == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("8xh100 llama-3-8b 4k+16k", "Meta-Llama-3-8B was made for 8192 tokens, and prompt and"),
        ("8xh100 pythia-1b sft 4k", "pythia-1b was made for 2048 tokens, and samples of 4096"),
        ("8xh100 Qwen3-8B-Base sft 40k", "Qwen3-8B-Base was made for 32768 tokens"),
    ],
)
def test_lengths_that_a_model_was_not_made_for_are_noted(words: str, sentence: str) -> None:
    assert sentence in " ".join(rlbot("recommend", words).out.split())


@pytest.mark.parametrize(
    "words",
    [
        "8xh100 llama-3-8b 4k+4k",
        "8xh100 llama-3.1-8b sft 16k",
        "8xh100 qwen3 4b instruct 2507 sft 64k",
    ],
)
def test_lengths_that_a_model_was_made_for_are_not(words: str) -> None:
    assert "was made for" not in rlbot("recommend", words).out


def test_learned_positions_cannot_be_exceeded() -> None:
    for words, longest in (("gpt2 1k+8k", 1024), ("opt-6.7b grpo 1k+8k", 2048)):
        refused = rlbot("recommend", f"8xh100 {words}")
        assert (refused.status, refused.out) == (2, "")
        assert f"has {longest} learned positions, and 9216 tokens are asked for" in refused.err
    assert "512 + 512 tokens" in rlbot("recommend", "8xh100 gpt2").out


def test_options_name_a_model_and_a_rank_as_words_do(tmp_path: Path) -> None:
    written = tmp_path / "m.sh"
    options = ("--model", "qwen-3-8b", "--device", "h100", "--lora-rank", "64")
    answer = rlbot("recommend", *options, "--write", str(written))
    assert answer.out.startswith("grpo-lora of Qwen3-8B")
    text = written.read_text(encoding="utf-8")
    assert ":-Qwen/Qwen3-8B}" in text
    assert "lora_rank=64" in text


def test_an_option_names_a_card_in_words() -> None:
    known = rlbot("recommend", "--model", "Qwen3-8B", "--device", "rtx 6000 pro")
    assert "RTXPRO6000" in known.out
    unknown = rlbot("recommend", "--model", "Qwen3-8B", "--device", "W7900")
    assert unknown.err.startswith('rlbot: --device: The card "w7900" is not known here')


def test_every_task_is_named_where_one_is_not_known() -> None:
    answer = rlbot("recommend", "--model", "Qwen3-8B", "--task", "foo", "--device", "h100")
    assert "dpo, rm" in answer.err


def test_a_method_that_is_not_wanted_is_not_answered_for() -> None:
    def methods(words: str) -> set[str]:
        answer = json.loads(rlbot("recommend", *words.split(), "--format", "json").out)
        return {each["method"] for each in answer["methods"]}

    assert methods("7b 8xa100") == methods("full 7b 8xa100") == {"full", "lora"}
    assert methods("without dora 7b 8xa100") == {"full", "lora"}
    assert methods("without lora 7b 8xa100") == {"full"}
    assert methods("no full 7b 8xa100") == {"lora"}
    for words in ("lora without lora", "no full no lora", "qlora without qlora sft"):
        assert "says what is not wanted; a question says what is." in _refusal(f"{words} 7b a100")


@pytest.mark.parametrize(
    ("words", "ram"),
    [
        ("2x4090 24GB 8B", None),
        ("2x4090 24GB 8B with 64GB RAM", 64),
        ("2x4090 8B, 128 GB of system ram", 128),
        ("2x4090 8B host memory 512GB", 512),
        ("RAM: 64 GB 2x4090 8B", 64),
        ("2x4090 8B with 2TB of RAM", 2048),
        ("2x4090 128G\u5185\u5b58 8B", 128),
    ],
)
def test_the_host_s_memory_is_no_card_s(words: str, ram: int | None) -> None:
    """A card of 64 GB was looked for."""
    question = parse_question([words])
    assert (_cards(question), question.gpus, question.ram) == (("rtx4090",), 2, ram)
    assert question.left_out == ()


def test_a_host_with_too_little_memory_is_said() -> None:
    def notes(words: str) -> str:
        return " ".join(rlbot("recommend", *words.split()).out.split())

    assert "of each host" not in notes("Qwen3-8B 4xh100")
    assert "of each host" not in notes("Qwen3-8B 4xh100 256GB RAM")
    # The engine's weights are shared out, so that less of them passes through the host.
    assert "rollout.tensor_model_parallel_size=2" in notes("Qwen3-8B 4xh100 64GB RAM")
    said = "Full training on 4 × H100 needs 46 GiB of each host, which has 32."
    assert said in notes("Qwen3-8B 4xh100 32GB RAM")
    assert "each host needs 45.8 GiB for what waits there, and has 32" in notes(
        "Qwen3-8B 4xh100 32GB RAM full"
    )


def test_nothing_waits_on_a_host_that_has_too_little_memory() -> None:
    words = "64 GB system memory, 2x 4090, full sft 7b"
    answer = " ".join(rlbot("recommend", words).out.split())
    assert "2 × RTX4090 full 72.9 23.6 -49.2 optimizer no" in answer
    assert (
        "full would fit on 2 × RTX4090 with 113 GiB on each host, more than the 64 GB that the "
        "question names." in answer
    )
    assert "113.5" in rlbot("recommend", words.replace("64", "256")).out


def test_of_cards_alone_a_host_is_asked_for_what_it_has() -> None:
    small, large = (rlbot("recommend", f"2x4090 sft {ram}GB RAM").out for ram in (32, 512))
    assert "left out" not in small + large
    assert small != large


def test_a_question_in_chinese_is_answered_in_chinese() -> None:
    words = "2\u5f204090 Qwen3-8B lora"
    chinese = rlbot("recommend", words).out
    assert chinese == rlbot("recommend", words, "--lang", "zh").out
    assert "LoRA fits on 2" in rlbot("recommend", words, "--lang", "en").out


def test_fewer_cards_are_tried_where_a_script_shares_out_nothing() -> None:
    answer = rlbot("recommend", "mistral large 123b qlora 4xA100").out
    assert "QLoRA may fit on 1 × A100" in answer
    assert "QLoRA would leave" not in answer


def test_the_next_step_is_of_the_method_that_is_named() -> None:
    answer = rlbot("recommend", "how many H100s for full fine-tuning Llama 405B?").out
    assert "Llama-3.1-405B full sft --choice 1 --write scripts/" in " ".join(answer.split())
