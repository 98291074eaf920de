from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.memory.shapes.models import find
from bot.rules.wrapped_layer import _LAYERS
from tests.rules.helpers import found, quiet

SLUG = "wrapped-layer"
POLICY = "--fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP"
LAUNCH = (
    "accelerate launch --num_processes {gpus} --use_fsdp {policy} "
    "--fsdp_transformer_layer_cls_to_wrap {name} -m trl.scripts.sft --model_name_or_path {model}"
)
TRAINER = (
    "torchrun --nproc_per_node 8 -m trl.scripts.sft --model_name_or_path {model} "
    "--fsdp \"{fsdp}\" --fsdp_config '{config}'"
)


def launch(name: str, model: str, policy: str = POLICY, gpus: object = 8) -> str:
    return LAUNCH.format(name=name, model=model, policy=policy, gpus=gpus)


def trainer(names: object, model: str, fsdp: str = "full_shard auto_wrap") -> str:
    config = json.dumps({"transformer_layer_cls_to_wrap": names})
    return TRAINER.format(model=model, fsdp=fsdp, config=config)


@pytest.mark.parametrize(
    "script",
    [
        launch("Qwen3DecoderLayer", "Qwen/Qwen3-8B"),
        launch("Qwen2DecoderLayer", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
        launch("LlamaDecoderLayer", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B"),
        launch("LlamaDecoderLayer", "HuggingFaceTB/SmolLM2-1.7B"),
        launch("Qwen3MoeDecoderLayer", "Qwen/Qwen3-30B-A3B"),
        launch("MixtralSparseMoeBlock", "mistralai/Mixtral-8x7B-v0.1"),
        launch("Qwen2MLP", "Qwen/Qwen3-8B"),
        # What is not known.
        launch("LlamaDecoderLayer", "someone/model-8b"),
        launch("LlamaDecoderLayer", "$MODEL"),
        launch("$LAYER", "Qwen/Qwen3-8B"),
        launch("LlamaDecoderLayer", "Qwen/Qwen2.5-VL-7B-Instruct"),
        # Where nothing is wrapped by its class, or nothing divided.
        launch("LlamaDecoderLayer", "Qwen/Qwen3-8B", policy=""),
        launch("LlamaDecoderLayer", "Qwen/Qwen3-8B", policy="--fsdp_auto_wrap_policy NO_WRAP"),
        launch("LlamaDecoderLayer", "Qwen/Qwen3-8B", gpus=1),
        launch("LlamaDecoderLayer", "Qwen/Qwen3-8B").replace("--use_fsdp", "--use_deepspeed"),
        trainer(["Qwen3DecoderLayer"], "Qwen/Qwen3-8B"),
        trainer(["LlamaDecoderLayer"], "Qwen/Qwen3-8B", fsdp="full_shard"),
        trainer(None, "Qwen/Qwen3-8B"),
        trainer(7, "Qwen/Qwen3-8B"),
        TRAINER.format(model="Qwen/Qwen3-8B", fsdp="full_shard auto_wrap", config="fsdp.json"),
        TRAINER.format(model="Qwen/Qwen3-8B", fsdp="full_shard auto_wrap", config="[1]"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    ("name", "model", "own"),
    [
        ("LlamaDecoderLayer", "Qwen/Qwen3-8B", "Qwen3DecoderLayer"),
        ("LlamaDecoderLayer", "Qwen/Qwen2.5-7B-Instruct", "Qwen2DecoderLayer"),
        ("Qwen2DecoderLayer", "meta-llama/Llama-3.1-8B-Instruct", "LlamaDecoderLayer"),
        ("Qwen3DecoderLayer", "Qwen/Qwen3-30B-A3B", "Qwen3MoeDecoderLayer"),
        ("OPTDecoderLayer", "mistralai/Mistral-7B-v0.1", "MistralDecoderLayer"),
        ("Qwen3DecoderLayer,LlamaDecoderLayer", "Qwen/Qwen3-8B", "Qwen3DecoderLayer"),
    ],
)
def test_a_layer_of_another_model(name: str, model: str, own: str) -> None:
    other = name.rpartition(",")[2]
    (finding,) = found(SLUG, launch(name, model))
    assert finding.message == (
        f"{model} has no layer {other}, which FSDP is told to wrap: its layers are {own}"
    )
    assert (finding.severity, finding.help) == ("error", f"write {own}, or leave it out")
    for given in (other, [other]):
        assert found(SLUG, trainer(given, model))[0].message == finding.message


def test_a_folder_may_hold_another_model_than_its_name_says() -> None:
    (finding,) = found(SLUG, launch("LlamaDecoderLayer", "/models/Qwen3-8B"))
    assert finding.severity == "warning"


def test_each_class_is_that_of_a_known_model_and_no_model_has_two() -> None:
    shapes = json.loads(Path("bot/memory/shapes/shapes.json").read_text("utf-8"))["models"]
    names = [str(one["name"]) for one in shapes] if isinstance(shapes, list) else list(shapes)
    models = [model for name in names if (model := find(name)) is not None]
    for name, pattern in _LAYERS.items():
        assert any(pattern.fullmatch(model.name) for model in models), name
    for model in models:
        assert sum(bool(of.fullmatch(model.name)) for of in _LAYERS.values()) <= 1, model.name
