"""`rlbot recommend` asked in words, as a user sees it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.memory.shapes.models import find
from bot.render.columns import width_of
from tests.command import RLBOT, ROOT, Result, rlbot
from tests.schemas import holds_to
from tools.schemas import cards_schema, recommend_schema

CONFIG = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 1536,
    "intermediate_size": 8960,
    "num_attention_heads": 12,
    "num_hidden_layers": 28,
    "num_key_value_heads": 2,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}


def _ask(words: str, *more: str, cwd: Path = ROOT) -> Result:
    return rlbot("recommend", *words.split(), *more, cwd=cwd)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "language"), [("2x4090", "en"), ("2x4090", "zh"), ("8 h100 lora 1k+7k", "en")]
)
def test_cards_alone(words: str, language: str, snapshot: SnapshotAssertion) -> None:
    result = _ask(words, "--lang", language)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot
    assert all(width_of(line) <= 80 for line in result.out.splitlines() if "://" not in line)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_cards_and_a_model(language: str, snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    result = _ask("Qwen3-8B 2x4090", "--lang", language, cwd=tmp_path)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot
    assert all(width_of(line) <= 80 for line in result.out.splitlines() if "://" not in line)


@pytest.mark.slow
def test_a_model_alone(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    result = _ask("Qwen3-8B", cwd=tmp_path)
    assert result.status == 0
    assert result.out == snapshot


@pytest.mark.slow
def test_as_markdown_too(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    for words in ("2x4090", "2x4090 Qwen3-8B"):
        result = _ask(words, "--format", "markdown", cwd=tmp_path)
        assert result.status == 0
        assert result.out == snapshot


@pytest.mark.slow
def test_the_json_of_cards_follows_its_schema() -> None:
    content = json.loads(_ask("2x4090", "--format", "json").out)
    holds_to(cards_schema(), content)
    assert content["question"]["gpus"] == 2
    for one in content["models"]:
        if one["verdict"] != "may fit":  # It may fit at the lengths of the question alone.
            assert (one["verdict"] == "no") == (one["longest"] is None or one["margin_gib"] < 0)


def test_the_json_of_a_model_has_each_method() -> None:
    content = json.loads(_ask("2x4090 Qwen3-8B", "--format", "json").out)
    holds_to(recommend_schema(), content)
    full, lora = content["methods"]
    assert (full["method"], full["verdict"]) == ("full", "no")
    assert full["more_gpus"] > 2
    assert (lora["method"], lora["verdict"]) == ("lora", "fits")
    (first,) = content["predicted"]
    assert (first["peak_gib"], first["margin_gib"]) == (lora["peak_gib"], lora["margin_gib"])
    assert "lengths 1024+1024" in content["defaults"]


@pytest.mark.slow
def test_the_next_command_works_as_it_is(tmp_path: Path) -> None:
    for words in ("2x4090", "dpo 4xa100 Qwen3-8B 4k batch=64"):
        answer = json.loads(_ask(words, "--format", "json").out)
        _, _, command = answer["next"].partition("rlbot ")
        result = rlbot(*command.replace("scripts/", f"{tmp_path}/").split())
        assert result.status == 0, result.err
    scripts = sorted(tmp_path.glob("8b/*.sh"))
    assert len(scripts) == 2
    for script in scripts:
        result = rlbot("lint", str(script))
        assert result.status == 0
        assert "warning" not in result.out


def test_the_gpus_that_are_there_are_written(tmp_path: Path) -> None:
    assert _ask("4xa100 Qwen3-8B lora", "--write", f"{tmp_path}/new/scripts/").status == 0
    (script,) = (tmp_path / "new" / "scripts" / "8b").iterdir()
    assert script.name == "qwen3-8b_grpo-lora_4_a100_fsdp_vllm.sh"
    assert "MODEL_PATH=${MODEL_PATH:-Qwen/Qwen3-8B}" in script.read_text()


@pytest.mark.parametrize(("gpus", "some"), [(3, 2), (5, 4), (7, 4)])
def test_some_of_the_gpus_may_do_what_all_cannot(gpus: int, some: int, tmp_path: Path) -> None:
    """No model has heads for 7: it is not said to need 8 where 4 do."""
    result = _ask(f"{gpus}x4090 Qwen3-8B lora", cwd=tmp_path)
    assert result.status == 0
    assert f"LoRA fits on {some} \u00d7 RTX4090, margin" in result.out
    assert f"Next: rlbot recommend {some}xrtx4090 Qwen3-8B lora" in result.out


@pytest.mark.slow
def test_of_each_model_the_gpus_that_may_do_are_said() -> None:
    content = json.loads(_ask("3x4090", "--format", "json").out)
    lora = [(one["model"], one["gpus"]) for one in content["models"] if one["method"] == "lora"]
    assert ("Qwen3-4B", 3) in lora
    assert ("Qwen3-8B", 2) in lora
    assert "  fits on 2 " in _ask("3x4090").out


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = _ask("4xa100 Qwen3-8B lora", "--write", f"{tmp_path}/file/scripts/")
    assert (result.status, result.out) == (2, "")
    assert "cannot be made" in result.err


def test_a_page_without_a_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.rst").write_text("Tuning\n======\n\nSoon.\n")
    result = _ask("4xa100 Qwen3-8B", "--page", "page.rst", cwd=tmp_path)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("rlbot: page.rst holds no table of rows")


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").write_text(json.dumps(CONFIG))
    own = json.loads(_ask("mine 2x4090", "--format", "json", cwd=tmp_path).out)
    hub = json.loads(_ask("Qwen2.5-1.5B 2x4090", "--format", "json", cwd=tmp_path).out)
    assert find("Qwen2.5-1.5B") is not None
    assert own["question"]["model"] == "mine"
    assert [one["peak_gib"] for one in own["methods"]] == [
        one["peak_gib"] for one in hub["methods"]
    ]
    for question in ("mine/config.json 2x4090", "--model mine/config.json --device 4090"):
        answer = _ask(question, "--format", "json", cwd=tmp_path)
        assert json.loads(answer.out)["question"]["model"] == "mine"
    (tmp_path / "mine" / "config.json").write_text("{}")
    refused = _ask("mine 2x4090", cwd=tmp_path)
    assert refused.status == 2
    assert "The config.json of mine cannot be used" in refused.err
    (tmp_path / "mine" / "config.json").unlink()
    refused = _ask("--model mine --device 4090", cwd=tmp_path)
    assert refused.err == "rlbot: The folder mine holds no config.json.\n"


@pytest.mark.parametrize(
    ("kind", "line"),
    [("models", "Qwen3-8B"), ("devices", "rtx4090"), ("tasks", "grpo")],
)
def test_what_is_known_is_listed(kind: str, line: str) -> None:
    result = rlbot("recommend", "--list", kind)
    assert result.status == 0
    assert any(shown.startswith(line) for shown in result.out.splitlines())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "Name cards, a model, or both"),
        ("grpo", "Name cards, a model, or both"),
        ("2x4091", 'did you mean "RTX4090"?'),
        ("2x4090 a100 --format json", "JSON is of one kind of card, not RTX4090, A100"),
        ("6xh100 batch=128", "cannot be shared out over 6 GPUs; batch=129 can be."),
        ("v100 Qwen3-8B grpo", "The V100 has no bf16: scripts for it are made with trl alone"),
        ("4x RTX 2080 Ti qwen3-4b ppo", "in fp16, for one of sft, dpo, rm."),
        ("g4dn.12xlarge Qwen3-8B sft verl", "The T4 has no bf16"),
        ("8x910b Qwen3-8B openrlhf", "For a 910B scripts are made with verl alone"),
        ("8x910b Qwen3-8B dpo", "full or lora, and one of grpo, ppo"),
        ("8x910b Qwen3-8B dora", "For a 910B scripts are made with verl alone"),
        ("2xh100 --write x", "name it, such as Qwen3-8B"),
        ("Qwen3-8B --model Qwen/Qwen3-4B", "says Qwen3-8B and an option Qwen/Qwen3-4B"),
        ("2xh100 Qwen3-8B --budget-gpus 4", "says 2 and an option 4"),
        ("h100 Qwen3-8B batch=0", "The batch is 0"),
        ("ppo dora h100 Qwen3-8B", "No script is made for PPO with DoRA"),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(words: str, sentence: str) -> None:
    result = _ask(words)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err


@pytest.mark.parametrize(
    ("words", "dtype"),
    [
        ("2xt4 Qwen2.5-1.5B lora", None),
        ("colab t4 Qwen3-4B qlora sft fp16", "float16"),
        ("quadro rtx 8000 x2 dpo qwen2.5-3b lora", None),
        ("kaggle 2 x T4 16GB rm qwen3-0.6b", None),
    ],
)
def test_a_card_without_bf16_trains_in_fp16(words: str, dtype: str | None, tmp_path: Path) -> None:
    assert _ask(f"{words} --choice 1 --write {tmp_path}").status == 0
    (path,) = tmp_path.rglob("*.sh")
    text = path.read_text(encoding="utf-8")
    assert "--mixed_precision fp16" in text
    assert "--bf16 False --fp16 True" in text
    assert ("--dtype float16" in text) is (dtype is not None)
    assert "bfloat16" not in text
    result = rlbot("lint", "-", "--stdin-filename", path.name, stdin=path.read_bytes())
    assert (result.status, result.out) == (0, "1 script: nothing found.\n")


@pytest.mark.process
def test_without_a_question_a_terminal_is_asked(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"2x4090 Qwen3-0.6B\n")
        ran = subprocess.run(
            [RLBOT, "recommend"],
            stdin=theirs,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert ran.returncode == 0
    assert "Which cards, which model?" in ran.stderr
    assert "Qwen3-0.6B" in ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "command"),
    [
        # A published row is of LoRA, and so is what is predicted.
        ("7b 8xh100", "8xh100 Qwen2.5-7B lora --write scripts/"),
        # What may fit is written where it is chosen alone.
        ("Qwen3-8B lora rank=256 2x4090", "2xrtx4090 Qwen3-8B lora rank=256 --choice 1 --write s"),
        ("Qwen3-0.6B rtx3050", "4xrtx3050 Qwen3-0.6B full --choice 1 --write scripts/"),
    ],
)
def test_the_next_command_writes_what_was_answered(
    words: str, command: str, tmp_path: Path
) -> None:
    answer = json.loads(_ask(words, "--format", "json", cwd=tmp_path).out)
    assert answer["next"].startswith(f"rlbot recommend {command}")
    done = rlbot(*answer["next"].split()[1:], cwd=tmp_path)
    assert done.status == 0
    (script,) = (tmp_path / "scripts").rglob("*.sh")
    assert answer["question"]["method"] in ("full", *script.name.split("_")[1].split("-"))
    assert script.name in {each["file_name"] for each in answer["predicted"]}


@pytest.mark.slow
def test_where_nothing_fits_the_answer_says_what_would(tmp_path: Path) -> None:
    result = _ask("Qwen3-8B lora 1x4090", "--write", "scripts/", cwd=tmp_path)
    assert (result.status, list(tmp_path.iterdir())) == (1, [])
    assert "LoRA needs 2 × RTX4090." in result.out
    assert result.err == "rlbot: nothing fits, so no script was written\n"
