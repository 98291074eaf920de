"""What a question says beside what it asks, and what it asks that has no answer here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.recommend.question import parse_question
from tests.command import rlbot


@pytest.mark.parametrize(
    "words",
    [
        "qwen3-4b grpo no offload 2x4090 1k+1k",
        "qwen3-4b grpo \u4e0d\u8981offload 2\u5f204090",
        "2x4090 Qwen3-4B grpo can't offload",
        "8xa100 qwen3-14b grpo full no cpu offload",
        "16xh100 qwen3-32b grpo full without offloading",
    ],
)
def test_what_may_not_wait_on_the_host_does_not(words: str) -> None:
    question = parse_question([words])
    assert not question.may_offload
    assert not question.left_out
    answer = json.loads(rlbot("recommend", words, "--format", "json").out)
    settings = [option["setting"] for one in answer["predicted"] for option in one["options"]]
    assert settings
    assert not any("offload" in setting for setting in settings)
    assert answer["next"] is None or "no offload" in answer["next"]


def test_the_largest_model_without_offload_is_smaller() -> None:
    """It was a 70B with 1,577 GiB on the host."""
    said = rlbot("recommend", "can't use lora, cant offload. 8x 80GB A100. biggest model for grpo?")
    assert "Next: rlbot recommend 8xa100 Qwen3-14B full grpo no offload" in said.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("what is cheaper, 8xA100 or 4xH100 for qwen3-14b grpo?", "Prices are not known here"),
        ("how much does an A100 cost per hour", "Prices are not known here"),
        ("price of 8xh100 qwen3-8b", "Prices are not known here"),
        ("\u4ef7\u683c 8xh100 qwen3-8b", "\u8fd9\u91cc\u4e0d\u77e5\u9053\u4ef7\u683c"),
        (
            "\u79dfA100\u4e00\u5c0f\u65f6\u591a\u5c11\u94b1",
            "\u8fd9\u91cc\u4e0d\u77e5\u9053\u4ef7\u683c",
        ),
        ("how long does GRPO of a 7B take on 8 h100", "How long a run takes is not known here"),
        ("which is faster 8xa100 or 8xh100 for qwen3-8b grpo", "How long a run takes"),
        (
            "8xh100 qwen3-8b grpo \u8981\u8bad\u7ec3\u591a\u957f\u65f6\u95f4",
            "\u8fd9\u91cc\u4e0d\u77e5\u9053\u8bad\u7ec3\u8981\u591a\u4e45",
        ),
        ("RLOO mistral 7b on 2xA100 without NVLink", "NVLink changes no memory."),
        ("8xh100 PPO with critic 14b", "The critic is counted, as large as the policy"),
        ("qwen3-8b 8xh100 grpo num_generations=16", "How many responses a prompt gets"),
        ("qwen3-8b 8xh100 grpo num_generations 16", "How many responses a prompt gets"),
        ("qwen3-8b 8xh100 grpo rollout.n=16", "How many responses a prompt gets"),
        (
            "\u6bcf\u4e2aprompt 8\u4e2a\u91c7\u6837 8\u5f20L20 qwen3-8b",
            "\u8bf7\u5728\u5199\u51fa\u7684\u811a\u672c\u4e2d\u4fee\u6539",
        ),
        ("ppo_micro_batch_size_per_gpu=1 qwen3-8b 8xh100", "Micro and mini batches are chosen"),
    ],
)
def test_what_changes_no_answer_is_said(words: str, sentence: str) -> None:
    said = " ".join(rlbot("recommend", words).out.split())
    assert sentence.replace(" ", "") in said.replace(" ", "")
    assert not parse_question([words]).left_out or "hour" in words


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("gpt-oss-20b GRPO on a single 5090 no vLLM", "Responses are generated with vLLM"),
        ("PPO 32B actor with a 7B critic, 16 A100", "A critic of another size than the policy"),
        ("PPO deepseek-v3 critic 7B 256xH800", "A critic of another size than the policy"),
        ("distill qwen3-32b into qwen3-4b on 2x A100", "no prediction for distillation"),
        ("qwen2.5-7b-instuct 2xa100", "that of qwen2.5-7b-instruct is"),
        ("Lama-3.1-8b-instrct dora 24gigs", 'did you mean "Llama-3.1-8B"?'),
        ("Falcon-Hyper-900B full sft on 8xH100", "give the folder with its config.json."),
    ],
)
def test_why_there_is_no_answer_is_said(words: str, error: str) -> None:
    result = rlbot("recommend", words, "--offline")
    assert result.status == 2
    assert error in result.err


def test_a_card_is_the_same_with_its_number_before_it() -> None:
    for words in ("2xA6000 Ada qwen3-8b", "2x A6000 Ada, qwen3-8b", "A6000 Ada 2x qwen3-8b"):
        assert [card.token for card in parse_question([words]).cards] == ["rtx6000ada"]


def test_a_folder_may_be_named_by_a_relative_path(tmp_path: Path) -> None:
    config = {"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28}
    heads = {"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128}
    more = {"intermediate_size": 3072, "vocab_size": 151936, "tie_word_embeddings": True}
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.json").write_text(json.dumps({**config, **heads, **more}))
    (tmp_path / "below").mkdir()
    for name in ("./own", "./own/", "../own"):
        folder = tmp_path / "below" if name.startswith("..") else tmp_path
        assert rlbot("recommend", f"{name}", "8xh100", "grpo", cwd=folder).status == 0


def test_hosts_of_a_single_card_are_not_those_of_eight() -> None:
    """It was one card, with more than a terabyte on its host."""
    said = " ".join(rlbot("recommend", "how many 4090s for full finetuning of a 70b?").out.split())
    assert "Full training fits on 8 × RTX4090" in said
    assert "ram=1500" in rlbot("recommend", "1xrtx4090 70B full sft 1500gb ram").out


def test_what_is_compared_by_price_stands_in_no_run_together() -> None:
    """It was answered for 12 cards at once."""
    question = parse_question(["is 8xA100 cheaper than buying 4xH200 for 32b?"])
    assert not question.is_mixed
    assert question.numbers == (8, 4)


def test_a_context_in_chinese_holds_prompt_and_response() -> None:
    question = parse_question(["\u4e24\u5f204090 qwen3-4b lora \u4e0a\u4e0b\u65878k"])
    assert (question.prompt, question.response) == (1024, 7168)


@pytest.mark.parametrize(
    ("words", "gpus", "node"),
    [
        ("2 nodes of 4 H100, GRPO Qwen3-32B full", 8, 4),
        ("3 nodes with 4x GH200 each, grpo qwen3-14b lora", 12, 4),
        ("--nodes=2 --gres=gpu:h100:4 qwen3-8b grpo", 8, 4),
        ("2 nodes 8xH100 qwen3-8b", 16, 8),
        ("8xH100 qwen3-8b", 8, 8),
        ("a pair of DGX H100 qwen3-32b", 16, 8),
        ("DGX H100 x2 qwen3-32b", 16, 8),
        ("2 HGX H200 qwen3-32b", 16, 8),
    ],
)
def test_nodes_have_the_gpus_that_they_are_said_to_have(words: str, gpus: int, node: int) -> None:
    question = parse_question([words])
    assert (question.gpus, question.node) == (gpus, node)


def test_a_script_is_for_the_nodes_of_the_question(tmp_path: Path) -> None:
    words = "3 nodes with 4x GH200 each, grpo qwen3-14b lora"
    result = rlbot("recommend", words, "--write", "own.sh", cwd=tmp_path)
    assert result.status == 0
    script = (tmp_path / "own.sh").read_text()
    assert "trainer.n_gpus_per_node=4" in script
    assert "trainer.nnodes=3" in script
    said = " ".join(rlbot("recommend", words).out.split())
    assert "Next: rlbot recommend 3 nodes 4xgh200 qwen3-14b lora grpo" in said


def test_hosts_of_smaller_nodes_hold_less() -> None:
    """488 GiB on each of two hosts were 976 on one."""
    words = "2 nodes of 4 H100, GRPO Qwen3-32B full, 512GB RAM each"
    answer = json.loads(rlbot("recommend", words, "--format", "json").out)
    full = next(one for one in answer["methods"] if one["method"] == "full")
    assert full["verdict"] == "fits"
    assert full["host_gib"] == pytest.approx(488, abs=1)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("qwen3-8b 8xh100 responses of sixteen thousand tokens", {"response": 16000}),
        ("one hundred H100, llama 405b grpo full", {"gpus": 100}),
        ("half a dozen 3090s, 14b lora dpo", {"gpus": 6}),
        ("8xh100 qwen3-32b full --mem=200G", {"ram": 200}),
        ("8xh100 qwen3-32b full 0.5TB RAM", {"ram": 512}),
        ("\u5185\u5b58 1TB 8xh100 qwen3-32b full", {"ram": 1024}),
        ("thinking about adding a 5090. qwen3 8b grpo lora", {"model": "Qwen3-8B"}),
        ("4 A6000 14b \u5168\u53c2 DPO\uff0c\u4e0d\u80fdoffload", {"may_offload": False}),
        ("4 A6000 14b \u5168\u53c2 DPO\uff0c\u7981\u6b62 offload", {"may_offload": False}),
        ("upgrade from 2x3090 to 2x5090, qwen3-8b lora", {"is_mixed": False}),
        (
            "\u5341\u516d\u5f20 H20 \u548c\u4e09\u5341\u4e8c\u5f20 H20 7b \u5404\u81ea\u591f\u5417",
            {"is_mixed": False},
        ),
    ],
)
def test_what_was_misread_is_read(words: str, meant: dict[str, object]) -> None:
    question = parse_question([words])
    assert {name: getattr(question, name) for name in meant} == meant


def test_a_critic_that_is_not_wanted_is_told_what_has_none() -> None:
    for words in ("PPO without a critic on 8x H100, 32B", "critic-free PPO 32B 8xH100"):
        result = rlbot("recommend", words)
        assert result.status == 2
        assert "PPO trains a critic here: ask about grpo or rloo" in result.err
    assert rlbot("recommend", "grpo critic-free 8xH100 8b").status == 0


def test_tokens_of_images_are_counted_and_said() -> None:
    """They were taken for the tokens of a response."""
    by_words = rlbot("recommend", "qwen2.5-vl-7b full grpo 4xa100 1200 image tokens", "--offline")
    assert "2224 + 1024 (1200 of images) tokens" in " ".join(by_words.out.split())
    assert "full grpo images=1200 --write" in " ".join(by_words.out.split())
    by_option = rlbot(
        *("recommend", "qwen2.5-vl-7b full grpo 4xa100", "--image-tokens", "1200"),
        *("--format", "json", "--offline"),
    )
    answer, without = (
        json.loads(said)["predicted"][0]["peak_gib"]
        for said in (
            by_option.out,
            rlbot(
                *("recommend", "qwen2.5-vl-7b full grpo 4xa100 2224+1024"),
                *("--format", "json", "--offline"),
            ).out,
        )
    )
    assert answer > without + 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("qwen3-8b 8xh100 1200 image tokens", "Qwen3-8B reads no images"),
        ("4xa100 1200 image tokens", "Tokens of images are of one model"),
        ("qwen2.5-vl-7b 4xa100 1k+1k 4096 image tokens", "Images of 4096 tokens have no place"),
    ],
)
def test_images_that_have_no_place_are_refused(words: str, sentence: str) -> None:
    refused = rlbot("recommend", words, "--offline")
    assert (refused.status, refused.out) == (2, "")
    assert sentence in refused.err
