"""One process that lays a model over several GPUs (`device_map="auto"`)."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.base.devices import by_token
from bot.memory.device_map import OnCard, PartSizes, cards_of, shape_on
from bot.memory.shapes.models import find, models_by_key
from tests.memory.printed import component, printed, printed_program

RECORDED: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("fake_device_map.json").read_text("utf-8")
)
LOADED = """\
import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import {kind}Config, {kind}Trainer

model = AutoModelForCausalLM.from_pretrained("{name}", dtype=torch.bfloat16, {given})
args = {kind}Config(output_dir="out", max_length=1024, per_device_train_batch_size=2, bf16=True)
{kind}Trainer(model=model, args=args, train_dataset=rows, peft_config=LoraConfig(r=16)).train()
"""
NAMED = """\
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="out", max_length=1024, per_device_train_batch_size=2, bf16=True,
    model_init_kwargs={{"dtype": "bfloat16"{given}}},
)
SFTTrainer(model="Qwen/Qwen2.5-7B", args=args, train_dataset=rows).train()
"""
AUTO = 'device_map="auto"'
BITS = "quantization_config=BitsAndBytesConfig(load_in_4bit=True), "


def program(folder: Path, text: str, release: str = "1.9.2", **given: str | int) -> dict[str, Any]:
    told = {"given": AUTO, "kind": "SFT", "name": "Qwen/Qwen2.5-7B", "gpus": 2} | given
    path = folder / "program"
    path.with_suffix(".txt").write_text(text.format(**told))
    options = ("--device", "t4", "--gpus", str(told["gpus"]), "--framework", f"trl@{release}")
    return printed_program(path, *options)


def on_cards(name: str, *, kind: str, gpus: int, by_unsloth: bool) -> dict[str, Any]:
    """A model by name, which TRL or Unsloth lays over the GPUs of one process."""
    text = NAMED.format(given="").replace("SFT", kind).replace("Qwen/Qwen2.5-7B", name)
    with TemporaryDirectory() as folder:
        path = Path(folder, "program")
        path.with_suffix(".txt").write_text("import unsloth\n" * by_unsloth + text)
        options = ("--device", "t4", "--gpus", str(gpus), "--framework", "trl@0.29.1")
        return printed_program(path, *options)


def pools(made: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(stage["pool"] for stage in made["stages"]))


@pytest.mark.parametrize(
    "row", RECORDED, ids=lambda r: f"{r['model']}-{r['bits']}-{len(r['cards'])}-{r['by']}"
)
def test_layers_lie_as_transformers_lays_them(row: dict[str, Any]) -> None:
    model = find(row["model"])
    assert model is not None
    shape, newer, quantized = model.shape, row["by"] == "transformers", row["bits"] == 4
    each = 0.5 if quantized else 2.0
    sizes = PartSizes(
        layers=shape.layers,
        layer=each * shape.linear_parameters / shape.layers,
        embedding=shape.embedding * (2.0 if newer else each),
        head=0.0 if shape.tied else 2.0 * shape.embedding,
        share=0.9 if quantized else 1.0,
    )
    made = cards_of(sizes, len(row["cards"]), counts_ends=newer)
    assert [
        {"layers": card.layers, "embed_tokens": card.embedding, "lm_head": card.head}
        for card in made
    ] == [
        {
            "layers": card["layers"],
            "embed_tokens": "embed_tokens" in card["ends"],
            "lm_head": "lm_head" in card["ends"],
        }
        for card in row["cards"]
    ]


SIZES = st.builds(
    PartSizes,
    layers=st.integers(1, 200),
    layer=st.floats(1e5, 1e10),
    embedding=st.floats(0, 1e10),
    head=st.just(0.0) | st.floats(0, 1e10),
    share=st.sampled_from([0.9, 1.0]),
)


@given(SIZES, st.integers(2, 64), st.booleans())
def test_every_layer_and_each_end_lie_on_one_card(
    sizes: PartSizes, cards: int, newer: bool
) -> None:
    made = cards_of(sizes, cards, counts_ends=newer)
    assert len(made) == cards
    assert sum(card.layers for card in made) == sizes.layers
    assert sum(card.embedding for card in made) == sum(card.head for card in made) == 1


@pytest.mark.parametrize("name", ["Qwen2.5-7B", "Qwen3-30B-A3B", "Qwen3.5-4B", "Gemma-3-4b"])
def test_the_parts_of_a_model_have_its_parameters(name: str) -> None:
    model = find(name)
    assert model is not None
    shape = model.shape
    half = shape.layers // 2
    cards = [
        OnCard(half, embedding=True, head=shape.tied),
        OnCard(shape.layers - half, embedding=False, head=not shape.tied),
    ]
    parts = sum(shape_on(shape, card).parameters for card in cards)
    assert parts == pytest.approx(shape.parameters, rel=0.001)


@given(
    st.sampled_from(sorted(model.name for model in models_by_key().values())),
    st.sampled_from(["SFT", "DPO", "Reward"]),
    st.sampled_from([2, 3, 8]),
    st.booleans(),
)
def test_every_model_lies_on_as_many_cards_as_there_are(
    name: str, kind: str, gpus: int, by_unsloth: bool
) -> None:
    """Cards between the first and the last have no end of the model: no logits, no vocabulary."""
    made = on_cards(name, kind=kind, gpus=gpus, by_unsloth=by_unsloth)
    assert made["gpus"] == gpus
    for stage in made["stages"]:
        assert 0 < stage["floor_gib"] <= stage["expected_gib"] <= stage["conservative_gib"]


def test_a_program_is_told_card_by_card(tmp_path: Path) -> None:
    made = program(tmp_path, LOADED, given=BITS + AUTO)
    assert pools(made) == ["GPU 0", "GPU 1"]
    assert made["gpus"] == 2
    assert "the layers of the model over 2 GPUs" in made["assumptions"]
    whole = program(tmp_path, LOADED, given=BITS + AUTO, gpus=1)
    assert pools(whole) == ["training"]
    assert made["peak_gib"] < whole["peak_gib"]
    weights = sum(s["components"]["weights"] for s in made["stages"] if s["stage"] == "update")
    assert weights == pytest.approx(component(whole, "update", "weights"), rel=0.01)


def test_cards_between_are_one_line_and_empty_ones_count(tmp_path: Path) -> None:
    made = program(tmp_path, LOADED, gpus=8)
    assert pools(made) == ["GPU 0", "GPUs 1-4", "GPU 5"]
    assert made["gpus"] == 8


def test_logits_are_with_the_head_and_handed_to_the_first_card(tmp_path: Path) -> None:
    """The supervised loss is the model's own; a pair's is the trainer's, on the first card."""
    logits = {}
    for kind in ("SFT", "DPO"):
        made = program(tmp_path, LOADED, kind=kind, release="0.24.0")
        logits[kind] = [
            max(s["components"].get("logits", 0.0) for s in made["stages"] if s["pool"] == pool)
            for pool in ("GPU 0", "GPU 1")
        ]
    assert logits["SFT"][0] < logits["SFT"][1]
    assert logits["DPO"][0] > logits["DPO"][1] > 0


@pytest.mark.parametrize(("release", "count"), [("0.25.1", 1), ("0.26.2", 2), ("1.16.0", 2)])
def test_a_name_is_laid_over_all_since_a_release(tmp_path: Path, release: str, count: int) -> None:
    """`create_model_from_path`: one process has `device_map="auto"` where nothing else is said."""
    assert len(pools(program(tmp_path, NAMED, given="", release=release))) == count
    whole = program(tmp_path, NAMED, given=', "device_map": "cuda"', release=release)
    assert pools(whole) == ["training"]


@pytest.mark.parametrize(
    ("launch", "release", "count"),
    [
        ("python trl/scripts/sft.py", "1.9.2", 2),
        ("python trl/scripts/sft.py", "1.4.0", 1),
        ("python trl/scripts/sft.py --load_in_4bit", "1.9.2", 1),
        ("accelerate launch --num_processes 2 trl/scripts/sft.py", "1.9.2", 1),
        ("python trl/scripts/grpo.py", "0.26.2", 2),
        ("uv run --with trl python trl/scripts/sft.py", "1.9.2", 2),
        ("hf jobs uv run --flavor a100x2 trl/scripts/sft.py", "1.9.2", 2),
        ("srun python trl/scripts/sft.py", "1.9.2", 1),
    ],
)
def test_scripts_of_trl_do_so_too(launch: str, release: str, count: int) -> None:
    settings = "--model_name_or_path Qwen/Qwen2.5-7B --dataset_name d --max_completion_length 256"
    if "sft" in launch:
        settings = "--model_name_or_path Qwen/Qwen2.5-7B --dataset_name d --max_length 512"
    options = ("--device", "h100", "--gpus", "2", "--framework", f"trl@{release}")
    made = printed(f"{launch} {settings} --per_device_train_batch_size 8", *options)
    assert made["reason"] is None
    assert len(pools(made)) == count


@pytest.mark.parametrize(("shown", "count"), [("0,1", 2), ("3", 1), ("$DEVICES", 1)])
def test_it_has_the_devices_that_a_script_shows_it(shown: str, count: int) -> None:
    launch = (
        f"CUDA_VISIBLE_DEVICES={shown} python trl/scripts/sft.py --dataset_name d --max_length 512 "
        "--model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 8"
    )
    made = printed(launch, "--device", "h100", "--framework", "trl@1.9.2")
    assert made["gpus"] == count


def test_how_they_lie_makes_nothing_impossible(tmp_path: Path) -> None:
    """Which transformers there is decides it, and no file of a program's need say that."""
    made = program(tmp_path, LOADED, name="Qwen/Qwen2.5-72B")
    assert made["outcome"] == "likely OOM"
    (card,) = by_token("t4")
    assert min(stage["floor_gib"] for stage in made["stages"]) > card.usable_gib


@pytest.mark.parametrize(
    "given", ['device_map="sequential"', 'device_map={"model": 0, "lm_head": 1}']
)
def test_another_map_is_said_not_to_be_modelled(tmp_path: Path, given: str) -> None:
    made = program(tmp_path, LOADED, given=given)
    assert made["outcome"] == "no prediction"
    assert "device_map spreads the layers of the model over the GPUs" in made["reason"]


@pytest.mark.parametrize(
    ("release", "clause"),
    [
        ("1.14.0", "a process on each GPU, though no launcher starts them"),
        (
            "1.15.0",
            "a process on each GPU, as accelerate launch starts them: without, TRL refuses several",
        ),
    ],
)
def test_what_newer_releases_refuse_is_said(tmp_path: Path, release: str, clause: str) -> None:
    made = program(tmp_path, LOADED, given="", release=release)
    assert clause in made["assumptions"]


def test_an_engine_beside_it_is_on_the_first_card(tmp_path: Path) -> None:
    text = NAMED.replace("SFT", "GRPO").replace("max_length=1024", "max_completion_length=256")
    text = text.replace("bf16=True", "bf16=True, use_vllm=True, vllm_mode='colocate'")
    text = text.replace("train_dataset=rows", "train_dataset=rows, reward_funcs=[f]")
    text = text.replace("per_device_train_batch_size=2", "per_device_train_batch_size=8")
    made = program(tmp_path, text, given="", release="1.9.2")
    assert {s["pool"] for s in made["stages"] if s["stage"] == "rollout"} == {"GPU 0"}
