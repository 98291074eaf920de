"""Images: what towers keep of them, and what is printed where data have some."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.memory.shapes.models import find, models_by_key
from bot.memory.shapes.tower import Tower
from tests.memory.fake_towers import LAYERS, SIGLIP, TEXT, TOWERS
from tests.memory.printed import printed

RECORDED = json.loads((Path(__file__).parent / "fake_towers.json").read_bytes())
_KINDS: dict[str, tuple[str, str]] = {
    "qwen2_vl": ("qwen2", "Qwen2-VL-2B"),
    "qwen2_5_vl": ("qwen2.5", "Qwen2.5-VL-3B"),
    "qwen3_vl": ("qwen3", "Qwen3-VL-8B"),
}
_VERL = """
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.train_batch_size=512 data.max_prompt_length=1024 data.max_response_length=2048 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-VL-7B-Instruct \\
    actor_rollout_ref.model.use_remove_padding=True \\
    actor_rollout_ref.actor.ppo_mini_batch_size=128 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=10 \\
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=20 \\
    actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=5 \\
    trainer.balance_batch=False trainer.n_gpus_per_node=8 trainer.nnodes=1"""
_LENGTHS = ("--device", "h100", "--prompt-tokens", "400", "--response-tokens", "500")


def _tower(name: str) -> Tower:
    model = find(name)
    assert model is not None
    assert model.shape.tower is not None
    return model.shape.tower


def _input_kept(tower: Tower) -> int:
    """LayerNorm keeps its input; RMSNorm a copy of it, which is counted with the layer."""
    return 0 if tower.kind == "qwen2.5" else 2 * tower.width


def _update(script: str, *options: str, release: str = "0.7.1") -> dict[str, float]:
    estimate = printed(script, *_LENGTHS, "--framework", f"verl@{release}", *options)
    stage = next(stage for stage in estimate["stages"] if stage["stage"] == "update")
    return dict(stage["components"]) | {"expected": stage["expected_gib"]}


def _assumed(script: str, *options: str) -> str:
    said = printed(script, "--device", "h100", "--framework", "verl@0.7.1", *options)
    return "; ".join(said["assumptions"])


def test_a_tower_has_the_parameters_that_were_counted() -> None:
    known = [model.shape for model in models_by_key().values() if model.shape.tower]
    assert len(known) >= 25
    for shape in known:
        assert shape.tower is not None
        assert shape.tower.parameters == shape.vision


@pytest.mark.parametrize("kind", sorted(TOWERS))
def test_a_pass_of_a_tower_without_gradient(kind: str) -> None:
    """Of four layers, whose first three have mergers of their own in Qwen3-VL's."""
    tower = _tower(_KINDS[kind][1])
    assert tower.forward_bytes == pytest.approx(RECORDED["forward"][kind], rel=0.01)


def _prompts_of(tokens: int, images: int, *flags: str) -> dict[str, float]:
    launch = (
        "python examples/scripts/grpo_vlm.py --model_name_or_path Qwen/Qwen2.5-VL-3B-Instruct"
        " --dtype bfloat16 --bf16 true --use_vllm false --max_completion_length 16 --use_peft"
        " --per_device_train_batch_size 1 --gradient_accumulation_steps 8 --num_generations 4 "
    )
    given = ["--device", "h100", "--gpus", "1", "--framework", "trl@0.29.1"]
    given += ["--prompt-tokens", str(tokens), "--response-tokens", "8"]
    made = printed(launch + " ".join(flags), *given, "--image-tokens", str(images))
    stage = next(stage for stage in made["stages"] if stage["stage"] == "rollout")
    return dict(stage["components"])


def test_the_images_of_all_prompts_go_through_the_tower_together() -> None:
    """Where transformers writes; eight sequences of a step, four patches a token."""
    tower = _tower("Qwen2.5-VL-3B-Instruct")
    taken = _prompts_of(3000, 2500)["engine activations"] * (1 << 30)
    assert taken == pytest.approx(tower.forward_bytes * 4 * 2500 * 8, rel=0.01)
    # Without images a layer of the text is the fullest, beside the cache of the prompts.
    text = _prompts_of(3000, 0)["engine activations"] * (1 << 30)
    assert text == pytest.approx((8 * 2048 + 6 * 11_008) * 3000 * 8, rel=0.01)


@pytest.mark.parametrize(
    ("name", "linear"),
    [
        ("Qwen2-VL-2B-Instruct", 663_224_320),
        ("Qwen2.5-VL-3B-Instruct", 666_664_960),
        ("Qwen3-VL-4B-Instruct", 411_041_792),
        ("gemma-3-4b-it", 411_070_464),
    ],
)
def test_a_tower_is_quantized_with_the_text(name: str, linear: int) -> None:
    """The weights of `torch.nn.Linear` in the towers of transformers 5.24, counted there."""
    owner = "google" if "gemma" in name else "Qwen"

    def weights(*flags: str) -> float:
        launch = f"trl sft --model_name_or_path {owner}/{name} --dtype bfloat16 --use_peft"
        flags = ("--lora_r 16 --per_device_train_batch_size 1 --max_length 512", *flags)
        given = ("--device", "h100", "--gpus", "1", "--framework", "trl@1.0.0")
        made = printed(f"{launch} {' '.join(flags)}", *given)
        stage = next(stage for stage in made["stages"] if stage["stage"] == "update")
        return float(stage["components"]["weights"])

    tower = _tower(name)
    assert tower.linear_parameters == linear
    model = find(name)
    assert model is not None
    quantized = (model.shape.linear_parameters + linear) * (2 - 0.5625)
    # Adapters below a quantized model are in bf16 as without.
    saved = (weights() - weights("--load_in_4bit")) * (1 << 30)
    assert saved == pytest.approx(quantized, rel=0.01)


@pytest.mark.parametrize("kind", TOWERS)
def test_what_a_layer_of_a_tower_keeps(kind: str) -> None:
    tower, measured = _tower(_KINDS[kind][1]), RECORDED["towers"][kind]
    assert tower.kind == _KINDS[kind][0]
    # A CPU's attention leaves its output twice; the layer's input was not measured.
    told = tower.layer_bytes + 2 * tower.width - _input_kept(tower)
    assert told == pytest.approx(measured["kept"], rel=0.002)
    assert told + tower.backward_bytes == pytest.approx(measured["recomputed"], rel=0.05)


def test_what_a_layer_of_siglip_keeps() -> None:
    tower, measured = _tower("Gemma-3-4b"), RECORDED["siglip"]
    assert (tower.width, tower.intermediate) == (SIGLIP["hidden_size"], SIGLIP["intermediate_size"])
    assert tower.layer_bytes == pytest.approx(measured["kept"] + 2 * tower.width, rel=0.01)
    both = tower.layer_bytes + tower.backward_bytes
    assert both == pytest.approx(measured["recomputed"] + 2 * tower.width, rel=0.06)
    assert tower.merged * 256 == tower.positions


@pytest.mark.parametrize("kind", RECORDED["models"])
@pytest.mark.parametrize("way", ["checkpointed", "whole"])
def test_what_images_add_to_a_model(kind: str, way: str) -> None:
    tower = replace(_tower(_KINDS[kind][1]), layers=LAYERS, out=TEXT["hidden_size"])
    measured, checkpointed = RECORDED["models"][kind][way], way == "checkpointed"
    kept = tower.kept_bytes(checkpointed=checkpointed)
    kept += 0 if checkpointed else LAYERS * 2 * tower.width
    assert kept + tower.merger_bytes == pytest.approx(measured["kept"], rel=0.04)
    work = tower.backward_bytes + (tower.layer_bytes if checkpointed else 0)
    # The text's own gradients are among what was measured.
    assert kept + work == pytest.approx(measured["fullest"], rel=0.1)


def test_text_has_no_images() -> None:
    assert "images" not in _update(_VERL)
    assert "images" not in _assumed(_VERL)
    text = _VERL.replace("Qwen2.5-VL-7B-Instruct", "Qwen2.5-7B-Instruct") + " data.image_key=images"
    assert "images" not in _update(text)


def test_more_images_than_there_can_be_are_said() -> None:
    """They were cut to the longest prompt in silence, and lengthened the prompts of text models."""
    said = _assumed(_VERL, "--image-tokens", "99999999")
    assert "images of 1,024 tokens in a mean prompt, the most that there can be, for 99,999" in said
    text = _VERL.replace("Qwen2.5-VL-7B-Instruct", "Qwen2.5-7B-Instruct")
    assert "no images, which the model does not read" in _assumed(text, "--image-tokens", "9999")
    assert _update(text) == _update(text, "--image-tokens", "99999999")


def test_a_column_of_images_is_taken_for_half_of_the_prompts() -> None:
    script = _VERL + " data.image_key=images"
    assert "images of 114 tokens in a mean prompt" in _assumed(script)
    assert _update(script)["images"] == _update(script, "--image-tokens", "200")["images"]


def test_images_of_so_many_tokens() -> None:
    """By hand: a patch keeps 2 · 1280 bytes a layer, 12 · 1280 in the merger, 6 · 1176 itself."""
    made = _update(_VERL, "--image-tokens", "300")
    tokens = 10 * 900 + 3072 - 900
    patches = 4 * tokens * 300 / 900
    assert made["images"] == pytest.approx(patches * (32 * 2560 + 15360 + 7056) / 2**30, rel=0.01)
    assert made["expected"] > _update(_VERL)["expected"] + 0.9 * made["images"]
    said = _assumed(_VERL, "--image-tokens", "300")
    assert "images of" not in said


def test_none_is_none() -> None:
    script = _VERL + " data.image_key=images"
    assert "images" not in _update(script, "--image-tokens", "0")


def test_prompts_are_at_least_as_long_as_their_images() -> None:
    alone = printed(_VERL, "--device", "h100", "--framework", "verl@0.7.1", "--image-tokens", "900")
    assert any("mean prompt 900" in said for said in alone["assumptions"])


@pytest.mark.parametrize(("release", "less"), [("0.7.1", True), ("0.9.1", False)])
def test_a_frozen_tower_keeps_nothing(release: str, less: bool) -> None:
    """verl reads the setting in 0.6 and 0.7 alone."""
    frozen = _VERL + " actor_rollout_ref.actor.freeze_vision_tower=True"
    options = ("--image-tokens", "300")
    free = _update(_VERL, *options, release=release)
    made = _update(frozen, *options, release=release)
    assert ("images" not in made) is less
    assert (made["optimizer"] < free["optimizer"]) is less
    # 676,550,144 parameters in eight shards with two fp32 moments.
    if less:
        assert free["optimizer"] - made["optimizer"] == pytest.approx(0.63, abs=0.02)
    assert "not counted" not in _assumed(frozen)


@pytest.mark.parametrize(
    ("targets", "excluded", "kept"),
    [
        ("all-linear", "", True),
        ("all-linear", " actor_rollout_ref.model.exclude_modules='.*visual.*'", False),
        ("[q_proj,v_proj]", "", False),
        ("[gate_proj,up_proj]", "", True),
    ],
)
def test_adapters_on_a_tower(targets: str, excluded: str, kept: bool) -> None:
    below = "actor_rollout_ref.model"
    lora = f"{_VERL} {below}.lora_rank=16 '{below}.target_modules={targets}'{excluded}"
    assert ("images" in _update(lora, "--image-tokens", "300")) is kept


def test_ranks_that_share_a_sequence_have_all_of_its_images() -> None:
    shared = _VERL + " actor_rollout_ref.actor.ulysses_sequence_parallel_size=4"
    options = ("--image-tokens", "300")
    one, four = _update(_VERL, *options), _update(shared, *options)
    assert four["images"] == pytest.approx(one["images"], rel=0.01)


def test_a_tower_whose_layers_are_not_known_is_said() -> None:
    script = _VERL.replace("Qwen2.5-VL-7B-Instruct", "InternVL3-8B") + " data.image_key=images"
    assert "what the vision tower keeps of images not counted" in _assumed(script)


def test_a_program_of_trl_for_images() -> None:
    script = """
accelerate launch --num_processes 2 examples/scripts/sft_vlm.py \\
    --model_name_or_path Qwen/Qwen2.5-VL-3B-Instruct --dataset_name some/images \\
    --per_device_train_batch_size 16 --max_length 2048 --bf16 --gradient_checkpointing"""
    options = ("--device", "h100", "--framework", "trl@0.24.0")
    # It passes over `max_length`.
    assert "Give --response-tokens" in printed(script, *options)["reason"]
    lengths = ("--response-tokens", "1100", "--image-tokens", "900")
    made: dict[str, Any] = printed(script, *options, *lengths)
    assert made["stages"], made["reason"]
    update = next(stage for stage in made["stages"] if stage["stage"] == "update")
    assert update["components"]["images"] > 0
