"""Peaks that unsloth's notebooks print beside what is estimated of their programs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.command import rlbot
from tests.memory.judge_unsloth import FOLDER, judged
from tests.memory.printed import component, printed, stage

DIGEST = "43dcd8e372345429ab82b9f8ada6205a95924f53fe9d3a298f202d8fe22b75cd"
HEAD = "from unsloth import FastLanguageModel\nfrom trl import GRPOConfig, GRPOTrainer\n"


def test_nobody_changed_the_rows() -> None:
    digest = sha256((FOLDER / "rows.json").read_bytes())
    for path in sorted((FOLDER / "scripts").iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    assert digest.hexdigest() == DIGEST


def test_what_was_not_looked_at_is_as_far_off_as_the_page_says() -> None:
    found = list(judged(seen=False))
    assert len(found) == 30
    assert median(abs(one.error) for one in found) < 0.14
    assert sum(one.cover >= 1 for one in found) >= 25


GRPO = (
    "model, _ = FastLanguageModel.from_pretrained('Qwen/Qwen3-4B', fast_inference=True, "
    "gpu_memory_utilization=0.6, max_seq_length=2048)\n"
    "model = FastLanguageModel.get_peft_model(model)\n"
    "GRPOTrainer(model=model, args=GRPOConfig(num_generations=4, max_completion_length=512))\n"
)


def estimated(folder: Path, program: str, *more: str) -> dict[str, Any]:
    (folder / "train.py").write_text(HEAD + program)
    asked = ("--device", "l4", "--gpus", "1", "--format", "json", *more)
    result = rlbot("estimate", "train.py", *asked, cwd=folder)
    made: dict[str, Any] = json.loads(result.out)["scripts"][0]["estimate"]
    return made


def test_its_engine_has_the_weights_that_are_trained_on(tmp_path: Path) -> None:
    made = estimated(tmp_path, GRPO)
    update, rollout = component(made, "update", "engine weights"), stage(made, "rollout")
    assert 2.2 < update < 3.2  # Of 4B in four bits, once.
    assert component(made, "update", "weights") < 0.2
    engine = sum(v for name, v in rollout["components"].items() if name.startswith("engine"))
    assert abs(engine - 0.6 * made["memory_gib"]) < 0.1
    assert "sleep" not in json.dumps(made["options"])


def test_an_engine_that_stands_by_keeps_the_weights_alone(tmp_path: Path) -> None:
    asleep = "import os\nos.environ['UNSLOTH_VLLM_STANDBY'] = '1'\n" + GRPO
    made = estimated(tmp_path, asleep)
    assert component(made, "update", "engine weights") > 2.2
    assert component(made, "update", "engine cache") == 0.0
    assert stage(made, "rollout")["expected_gib"] > 0.8 * made["usable_gib"]


def test_a_whole_model_beside_its_engine_is_not_estimated(tmp_path: Path) -> None:
    whole = GRPO.replace("model = FastLanguageModel.get_peft_model(model)\n", "")
    made = estimated(tmp_path, whole.replace("fast_", "full_finetuning=True, fast_"))
    assert made["reason"] == "unsloth's engine (fast_inference=True) takes an adapter."


def test_a_gpu_that_is_asked_for_bf16_has_it(tmp_path: Path) -> None:
    asks = "bf16=is_bfloat16_supported(), fp16=not is_bfloat16_supported(), num_gen"
    made = estimated(tmp_path, GRPO.replace("num_gen", asks))
    assert made["peak_gib"] == estimated(tmp_path, GRPO)["peak_gib"]


def test_what_layers_keep_is_on_the_host(tmp_path: Path) -> None:
    shown = []
    for how in ("'unsloth'", "True"):
        load = (
            "model, _ = FastLanguageModel.from_pretrained('Qwen/Qwen3-8B', max_seq_length=32768)\n"
        )
        adapt = (
            f"model = FastLanguageModel.get_peft_model(model, use_gradient_checkpointing={how})\n"
        )
        train = "SFTTrainer(model=model, args=SFTConfig(packing=True))\n"
        head = "from unsloth import FastLanguageModel\nfrom trl import SFTConfig, SFTTrainer\n"
        (tmp_path / "train.py").write_text(head + load + adapt + train)
        result = rlbot("estimate", "train.py", "--device", "h100", "--gpus", "1", cwd=tmp_path)
        assert "layers and loss of unsloth" in result.out
        shown.append(float(result.out.split(" GiB expected")[0].rsplit(" ", 1)[1]))
    offloaded, kept = shown
    inputs = 36 * 4096 * 2 * 32768 * 8 / 2**30
    assert kept - offloaded > inputs / 2


def test_a_model_that_was_quantized_before_takes_four_bits() -> None:
    launch = "trl sft --use_peft --dtype bfloat16 --model_name_or_path "
    four = printed(launch + "unsloth/Qwen3-14B-unsloth-bnb-4bit", "--device", "l4", "--gpus", "1")
    same = launch + "Qwen/Qwen3-14B --load_in_4bit --use_bnb_nested_quant"
    assert four["stages"] == printed(same, "--device", "l4", "--gpus", "1")["stages"]
    tight = ("--device", "rtx3050", "--gpus", "1")
    again = f"{launch}unsloth/Qwen3-14B-bnb-4bit --load_in_4bit --use_bnb_nested_quant"
    assert printed(again, *tight) == printed(same, *tight)  # Said twice, and read.
    assert printed(launch + "Qwen/Qwen3-14B-AWQ", "--device", "l4", "--gpus", "1")["stages"] == []


SUPERVISED = (
    "from trl import SFTConfig, SFTTrainer\n"
    "model, _ = FastLanguageModel.from_pretrained('unsloth/gemma-3-270m-it')\n"
    "model = FastLanguageModel.get_peft_model(model)\n"
    "SFTTrainer(model=model, args=SFTConfig(packing=True, max_length={}))\n"
)
EACH = 8 * 262_144 * 2 / 2**30
"""GiB of what a token of each of its eight rows has in bf16."""


def supervised(folder: Path, asked: str, length: int = 2048, *more: str) -> dict[str, Any]:
    """Of eight packed rows on an L4, beside what asks for a release."""
    (folder / "requirements.txt").write_text(asked)
    return estimated(folder, SUPERVISED.format(length), *more)


@pytest.mark.parametrize(
    ("release", "logits"),
    [
        ("2024.8", 3 * 2048 * EACH),  # Whole, with a copy in fp32.
        ("2025.3.19", 3 * 1024 * EACH / 8),  # Those of at most 1024 tokens.
        ("2025.8.9", 1.0),
        ("2025.9.1", 2 * 2048 * EACH),  # Half of 21 GiB holds them.
        ("2026.6.7", 2 * 2048 * EACH),
        ("2026.7.1", 4.0),
        ("2026.9.2", 4.0),
        ("2026.9.3", 1.0),
        ("2026.10.9", 1.0),
    ],
)
def test_its_loss_cuts_logits_as_its_release_does(
    release: str, logits: float, tmp_path: Path
) -> None:
    made = supervised(tmp_path, f"unsloth=={release}\n")
    assert component(made, "update", "logits") == pytest.approx(logits, rel=0.01)
    (said,) = (one for one in made["assumptions"] if "layers and loss of unsloth" in one)
    assert f"(unsloth=={release} in requirements.txt)" in said


def test_logits_that_fill_a_card_are_cut_in_fours(tmp_path: Path) -> None:
    """Of more than what is free, as `get_chunk_size` of unsloth_zoo 2025.9.1 rounds it."""
    for length, parts in ((2048, 1), (3072, 4), (7168, 4), (9216, 8)):
        made = supervised(tmp_path, "unsloth==2025.9.1", length)
        expected = 2 * length * EACH / parts
        assert component(made, "update", "logits") == pytest.approx(expected, rel=0.01)
    wide = supervised(tmp_path, "unsloth==2025.9.1", 8192, "--device", "h200")
    assert component(wide, "update", "logits") == pytest.approx(2 * 8192 * EACH, rel=0.01)


def test_a_release_that_nothing_names_is_the_newest_and_may_be_another(tmp_path: Path) -> None:
    named, unknown = supervised(tmp_path, "unsloth==2026.10.9"), supervised(tmp_path, "unsloth\n")
    assert unknown["peak_gib"] == named["peak_gib"]
    assert "as since 2026.9.3 (nothing names its release)" in str(unknown["assumptions"])
    most = [one["conservative_gib"] for one in (stage(named, "update"), stage(unknown, "update"))]
    assert most[1] - most[0] > 0.9 * (2 * 2048 * EACH - 1)
    assert "a loss that fills the card" in str(unknown["assumptions"])
    assert "a loss that fills the card" not in str(named["assumptions"])


@pytest.mark.parametrize(
    ("name", "text", "since"),
    [
        ("pyproject.toml", "[project]\ndependencies = ['unsloth[cu124]<2026']\n", "2025.9.1"),
        ("uv.lock", '[[package]]\nname = "unsloth-zoo"\nversion = "2026.7.2"\n', "2026.7.1"),
        ("environment.yml", "dependencies:\n- pip:\n  - unsloth==2025.8.5\n", "2025.8.4"),
        ("requirements.txt", "unsloth>=2025.3\nunsloth_zoo==2025.3.17\n", "2024.11.8"),
        ("requirements.txt", "unsloth>=2025.3\n", "2026.9.3"),
        ("requirements.txt", "trl==0.24.0\n", "2025.9.1"),
        ("requirements.txt", "trl==0.15.2\n", "2024.11.8"),
        ("requirements.txt", "trl==0.24.0\nunsloth==2026.8.1\n", "2026.7.1"),
    ],
)
def test_what_is_asked_for_beside_a_program_names_its_release(
    name: str, text: str, since: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    made = estimated(tmp_path, SUPERVISED.format(2048))
    assert f"as since {since} (" in str(made["assumptions"])


def test_a_notebook_that_installs_it_names_its_release(tmp_path: Path) -> None:
    cells = ["!pip install -q unsloth==2025.10.1\n", HEAD + SUPERVISED.format(2048)]
    code = [{"cell_type": "code", "source": one, "metadata": {}, "outputs": []} for one in cells]
    book = {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(book))
    asked = ("--device", "l4", "--gpus", "1")
    said = rlbot("estimate", "train.ipynb", *asked, cwd=tmp_path).out
    assert "as since 2025.9.1 (unsloth==2025.10.1, which the script installs)" in said


def test_accelerate_makes_the_logits_of_its_pairs_fp32(tmp_path: Path) -> None:
    """unsloth unwraps the model for GRPO alone (`models/rl_replacements.py`)."""
    program = (
        "from trl import DPOConfig, DPOTrainer\n"
        "model, _ = FastLanguageModel.from_pretrained('unsloth/gemma-3-270m-it'{full})\n"
        "{adapter}"
        "DPOTrainer(model=model, args=DPOConfig(per_device_train_batch_size=4, max_length=1024))\n"
    )
    adapter = "model = FastLanguageModel.get_peft_model(model)\n"
    lengths = ("--framework", "trl@0.22.2", "--response-tokens", "512", "--longest-tokens", "512")
    for full, added, bytes_each in (("", adapter, 13), (", full_finetuning=True", "", 4.25)):
        made = estimated(tmp_path, program.format(full=full, adapter=added), *lengths)
        logits = component(made, "update", "logits")
        assert logits == pytest.approx(bytes_each * 8 * 512 * 262_144 / 2**30, rel=0.1)


def test_an_embedding_on_the_host_is_not_on_the_card(tmp_path: Path) -> None:
    """Half of unsloth's notebooks of gpt-oss; a model whose head it is keeps it."""
    load = "model, _ = FastLanguageModel.from_pretrained('{}', offload_embedding={})\n"
    rest = (
        "model = FastLanguageModel.get_peft_model(model)\n"
        "GRPOTrainer(model=model, args=GRPOConfig(num_generations=2, max_completion_length=64))\n"
    )
    for name, apart in (("unsloth/gpt-oss-20b", 201_088 * 2880), ("unsloth/Qwen3-4B", 0)):
        with_it, without = (
            component(estimated(tmp_path, load.format(name, on) + rest), "update", "weights")
            for on in (False, True)
        )
        assert with_it - without == pytest.approx(apart * 2 / 2**30, abs=0.02)


def test_responses_are_no_longer_than_what_it_takes(tmp_path: Path) -> None:
    """Its notebooks: `max_completion_length = max_seq_length - longest_prompt`."""
    limit = "max_completion_length=512"
    hidden = estimated(tmp_path, GRPO.replace(limit, "max_completion_length=2048 - longest"))
    known = estimated(tmp_path, GRPO.replace(limit, "max_completion_length=2048"))
    assert hidden["stages"] == known["stages"]
