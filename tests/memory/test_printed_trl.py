"""What TRL's online trainers and ZeRO-3 hold besides, by what `rlbot estimate` prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.memory.shapes.models import find
from tests.command import rlbot
from tests.memory.printed import component, printed, stage

QWEN = find("Qwen2.5-7B")
assert QWEN is not None
SHAPE = QWEN.shape
GIB = 1 << 30
P = SHAPE.parameters / GIB
CACHED = 4 * SHAPE.layers * SHAPE.kv_width
"""Bytes of a token's keys and values."""


def trl(
    kind: str,
    *flags: str,
    release: str = "1.0.0",
    gpus: int = 1,
    preset: str = "",
    launcher: str = "",
) -> dict[str, Any]:
    config = f"--config_file {preset} " if preset else f"{launcher} "
    launch = (
        f"accelerate launch {config}--num_processes {gpus} -m trl.scripts.{kind} --bf16 true"
        " --model_name_or_path Qwen/Qwen2.5-7B --dtype bfloat16 --gradient_checkpointing true "
    )
    given = ("--device", "h200", "--framework", f"trl@{release}")
    return printed(launch + " ".join(flags), *given)


GRPO = (
    "--per_device_train_batch_size 4",
    "--num_generations 8",
    "--max_completion_length 1000",
    "--gradient_accumulation_steps 2",
)


def _written(*flags: str, release: str = "1.0.0") -> float:
    """Sequences of 1000 tokens, from the cache that holds them and one layer twice."""
    # Short prompts, whose pass takes less than the cache of all that is written.
    short = ("--max_prompt_length 8",) if release < "0.27" else ()
    made = trl("grpo", *GRPO, *short, *flags, release=release)
    held = component(made, "rollout", "engine cache") * GIB / (1 + 1 / SHAPE.layers)
    return held / (CACHED * (1008 if short else 1000))


@pytest.mark.parametrize(
    ("release", "flags", "sequences"),
    [
        ("1.0.0", (), 8),
        ("1.0.0", ("--steps_per_generation 6",), 24),
        ("1.0.0", ("--generation_batch_size 12",), 12),
        ("0.17.0", (), 8),
        ("0.16.1", (), 4),
        # Its batches count prompts.
        ("0.14.0", (), 32),
    ],
)
def test_generate_writes_a_whole_batch_at_once(
    release: str, flags: tuple[str, ...], sequences: int
) -> None:
    assert _written(*flags, release=release) == pytest.approx(sequences, rel=0.02)


def test_the_engine_has_no_such_stage() -> None:
    made = trl("grpo", *GRPO, "--use_vllm true", "--vllm_mode colocate")
    assert component(made, "rollout", "engine weights") == pytest.approx(2 * P, rel=0.01)
    assert component(made, "rollout", "logits") == 0


@pytest.mark.parametrize(
    ("release", "gpus", "flags", "pool"),
    [
        ("0.17.0", 8, (), None),  # A server that the script starts.
        ("0.29.1", 8, (), None),
        ("0.15.2", 7, (), "rollout"),  # The first card that does not train.
        ("0.15.2", 7, ("--vllm_device cuda:7",), "rollout"),
        ("0.15.2", 8, ("--vllm_device cuda:7",), "training"),
        ("0.15.2", 1, (), "training"),
        ("0.18.0", 8, ("--vllm_mode colocate",), "training"),
        ("1.0.0", 8, (), "training"),
    ],
)
def test_where_the_engine_stands(
    release: str, gpus: int, flags: tuple[str, ...], pool: str | None
) -> None:
    """Recipes of open-r1's with TRL 0.17 were said to have an engine on each training card."""
    made = trl("grpo", *GRPO, "--use_vllm true", *flags, release=release, gpus=gpus)
    rollouts = [one["pool"] for one in made["stages"] if one["stage"] == "rollout"]
    assert rollouts == ([] if pool is None else [pool])


def test_batches_are_padded_to_their_longest_sequence() -> None:
    made = trl("grpo", *GRPO)
    logits = component(made, "update", "logits") * GIB
    assert logits == pytest.approx(16 * 4 * 1000 * SHAPE.vocab, rel=0.01)
    # 0.14 takes every completion of its prompts in one pass, whose eight rows share more.
    old = trl("grpo", *GRPO, release="0.14.0")
    assert component(old, "update", "logits") == pytest.approx(
        8 * (12 + 8 / 32) / 16 * logits / GIB, rel=0.01
    )


@pytest.mark.parametrize(
    ("preset", "flags", "whole"),
    [
        ("deepspeed_zero3.yaml", (), True),
        ("deepspeed_zero3.yaml", ("--ds3_gather_for_generation false",), False),
        ("deepspeed_zero2.yaml", (), False),
    ],
)
def test_zero_3_gathers_everything_to_generate(
    preset: str, flags: tuple[str, ...], whole: bool
) -> None:
    made = trl("grpo", *GRPO, *flags, gpus=8, preset=preset)
    gathered = component(made, "rollout", "gathered weights")
    assert gathered == pytest.approx(2 * P if whole else 0, rel=0.01)


def test_ppo_gathers_its_critic_along() -> None:
    made = trl("ppo", *PPO, gpus=8, preset="deepspeed_zero3.yaml")
    head = 2 * SHAPE.vocab * SHAPE.hidden / GIB
    gathered = component(made, "rollout", "gathered weights")
    assert gathered == pytest.approx(4 * P - head, rel=0.01)


@pytest.mark.parametrize("adapter", [True, False])
def test_an_adapter_is_merged_into_gathered_weights(adapter: bool) -> None:
    lora = ("--use_peft", "--lora_r 8") if adapter else ()
    flags = (*GRPO, *lora, "--use_vllm true", "--vllm_mode colocate")
    made = trl("grpo", *flags, gpus=8, preset="deepspeed_zero3.yaml")
    gathered = component(made, "weight sync", "gathered weights")
    assert gathered == pytest.approx(2 * P, rel=0.01) if adapter else gathered < 0.2 * P


PPO = (
    "--reward_model_path Qwen/Qwen2.5-7B",
    "--sft_model_path Qwen/Qwen2.5-7B",
    "--per_device_train_batch_size 2",
    "--gradient_accumulation_steps 16",
    "--local_rollout_forward_batch_size 8",
    "--response_length 500",
)


def test_ppo_keeps_the_scores_of_what_it_wrote() -> None:
    made = trl("ppo", *PPO, "--use_peft", "--lora_r 8")
    scores = 4 * 32 * 500 * SHAPE.vocab / GIB
    assert component(made, "rollout", "logits") == pytest.approx(2 * scores, rel=0.01)
    # A chunk's logits and their fp32 copy besides.
    chunk = 6 * 8 * 500 * SHAPE.vocab / GIB
    assert component(made, "log-prob", "logits") == pytest.approx(scores + chunk, rel=0.01)


def test_ppo_has_a_reward_model_whole_on_each_gpu() -> None:
    for preset, ranks in (("deepspeed_zero2.yaml", 1), ("deepspeed_zero3.yaml", 8)):
        made = trl("ppo", *PPO, gpus=8, preset=preset)
        parts = stage(made, "update")["components"]
        head = 2 * SHAPE.vocab * SHAPE.hidden / GIB
        assert parts["reward, idle"] == pytest.approx((2 * P - head) / ranks, rel=0.01)


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_the_reward_model_that_is_named_is_on_each_gpu(kind: str) -> None:
    named = "--reward_model_name_or_path Qwen/Qwen2.5-7B"
    made, without = trl(kind, *GRPO, named), trl(kind, *GRPO)
    body = 2 * (P - SHAPE.vocab * SHAPE.hidden / GIB)  # Its head has one output.
    assert component(made, "update", "reward, idle") == pytest.approx(body, rel=0.01)
    assert component(without, "update", "reward, idle") == 0
    divided = trl(kind, *GRPO, named, gpus=8, preset="deepspeed_zero3.yaml")
    assert component(divided, "update", "reward, idle") == pytest.approx(body / 8, rel=0.01)


def test_a_reward_model_of_unknown_shape_is_said_not_to_be_counted() -> None:
    made = trl("grpo", *GRPO, "--reward_model_name_or_path some/judge")
    assert made["outcome"] != "no prediction"
    assert any("the reward model some/judge" in one for one in made["assumptions"])


def _sft(*flags: str, gpus: int = 1, preset: str = "", launcher: str = "") -> dict[str, Any]:
    flags = ("--max_length 512", "--per_device_train_batch_size 1", *flags)
    return trl("sft", *flags, gpus=gpus, preset=preset, launcher=launcher)


LORA = ("--use_peft", "--lora_r 8")


@pytest.mark.parametrize(
    ("gpus", "preset", "each"),
    [
        # bf16 weights, gradients and two moments, as they were loaded; DeepSpeed keeps fp32 ones.
        (1, "", (2, 2, 4)),
        (8, "deepspeed_zero2.yaml", (2, 2 / 8, 12 / 8)),
        (8, "deepspeed_zero3.yaml", (2 / 8, 2 / 8, 12 / 8)),
    ],
)
def test_ends_are_trained_in_full_beside_an_adapter(
    gpus: int, preset: str, each: tuple[float, float, float]
) -> None:
    more = "--lora_modules_to_save embed_tokens lm_head"
    plain = _sft(*LORA, gpus=gpus, preset=preset)
    ends = _sft(*LORA, more, gpus=gpus, preset=preset)
    count = 2 * SHAPE.embedding / GIB
    for name, of in zip(("weights", "gradients", "optimizer"), each, strict=True):
        grown = component(ends, "optimizer", name) - component(plain, "optimizer", name)
        assert grown == pytest.approx(of * count, abs=0.02), name


def test_one_of_them_counts_once_and_a_head_of_one_output_not_at_all() -> None:
    plain = component(_sft(*LORA), "optimizer", "weights")
    one = component(_sft(*LORA, "--lora_modules_to_save lm_head"), "optimizer", "weights")
    assert one - plain == pytest.approx(2 * SHAPE.embedding / GIB, abs=0.01)
    score = component(_sft(*LORA, "--lora_modules_to_save score"), "optimizer", "weights")
    assert score == plain
    # Without an adapter the setting says nothing.
    full = component(_sft(), "optimizer", "weights")
    assert component(_sft("--lora_modules_to_save lm_head"), "optimizer", "weights") == full


def test_a_module_of_unknown_size_is_said_to_be_left_out() -> None:
    made = _sft(*LORA, "--lora_modules_to_save lm_head router")
    (said,) = (one for one in made["assumptions"] if "modules_to_save" in one)
    assert "lora_modules_to_save of router" in said
    assert not [one for one in _sft(*LORA)["assumptions"] if "modules_to_save" in one]


def test_zero_3_has_a_bucket_that_no_offload_moves() -> None:
    for preset in ("deepspeed_zero3.yaml", "deepspeed_zero3_offload.yaml"):
        made = _sft(gpus=8, preset=preset)
        assert component(made, "optimizer", "reduction buffer") == pytest.approx(
            1e9 / GIB, abs=0.01
        )
        # It reduces a copy of what the bucket has gathered.
        assert component(made, "update", "reduction buffer") in (
            pytest.approx(1e9 / GIB, abs=0.01),
            pytest.approx(2e9 / GIB, abs=0.01),
        )
    assert component(_sft(gpus=8, preset="deepspeed_zero2.yaml"), "optimizer", "weights")
    assert (
        component(_sft(gpus=8, preset="deepspeed_zero2.yaml"), "optimizer", "reduction buffer") == 0
    )


STATES = ("weights", "gradients", "optimizer")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("value", "moved"), [("true", True), ("false", False), (None, False)])
def test_accelerate_keeps_what_fsdp_divides_on_the_host(
    version: int, value: str | None, moved: bool
) -> None:
    """torch's `CPUOffload` and `CPUOffloadPolicy`: the optimizer steps on the host too."""
    option = f" --fsdp_offload_params {value}" if value else ""
    made = _sft(gpus=2, launcher=f"--use_fsdp --fsdp_version {version}{option}")
    assert bool(component(made, "optimizer", "optimizer")) is not moved
    assert bool(component(made, "optimizer", "weights")) is not moved
    held = sum(component(made, "optimizer", name) for name in STATES)
    assert held == pytest.approx(0 if moved else 16 * P / 2, rel=0.02)


@pytest.mark.parametrize(
    ("options", "weights", "optimizer"),
    [
        ("--offload_param_device cpu --offload_optimizer_device cpu", False, False),
        ("--offload_optimizer_device nvme", True, False),
        ("--offload_param_device none --offload_optimizer_device none", True, True),
    ],
)
def test_accelerate_names_the_devices_of_zero(options: str, weights: bool, optimizer: bool) -> None:
    made = _sft(gpus=2, launcher=f"--use_deepspeed --zero_stage 3 {options}")
    assert bool(component(made, "optimizer", "weights")) is weights
    assert bool(component(made, "optimizer", "optimizer")) is optimizer


def _evaluated(kind: str, *flags: str, release: str = "1.0.0") -> dict[str, Any]:
    length = () if kind == "grpo" else ("--max_length 1024",)
    flags = ("--per_device_train_batch_size 1", *length, "--eval_strategy steps", *flags)
    return trl(kind, *flags, release=release)


PASS = 8 * 1024 * SHAPE.vocab / GIB
"""GiB of a byte for each logit of eight samples, transformers' default of an evaluation."""


def test_an_evaluation_has_larger_batches_and_logits_of_its_own() -> None:
    made = _evaluated("sft", *LORA)
    # The logits, their fp32 copy and its log-softmax.
    assert component(made, "evaluation", "logits") == pytest.approx(10 * PASS, rel=0.01)
    assert made["outcome"] == "fits"
    small = _evaluated("sft", *LORA, "--per_device_eval_batch_size 2")
    assert component(small, "evaluation", "logits") == pytest.approx(10 * PASS / 4, rel=0.01)
    # TRL's own loss in chunks.
    chunked = _evaluated("sft", *LORA, "--loss_type chunked_nll")
    assert component(chunked, "evaluation", "logits") < 0.5 * PASS


def test_without_an_evaluation_there_is_no_such_stage() -> None:
    for made in (_sft(*LORA), _sft(*LORA, "--eval_strategy no"), trl("grpo", *GRPO)):
        assert "evaluation" not in [one["stage"] for one in made["stages"]]


def test_liger_makes_logits_whole_in_an_evaluation_until_trl_skips_them() -> None:
    liger = (*LORA, "--use_liger_kernel true")
    old, new = (_evaluated("sft", *liger, release=release) for release in ("0.24.0", "0.29.0"))
    assert component(old, "evaluation", "logits") == pytest.approx(10 * PASS, rel=0.01)
    assert component(new, "evaluation", "logits") < 0.5 * PASS
    assert component(old, "update", "logits") == component(new, "update", "logits")


@pytest.mark.parametrize(
    ("release", "alone", "beside"),
    [
        ("0.24.0", 6, 6),
        # Fp32 logits and their copy without the last token, of both models; some for their mean.
        ("0.29.0", 9, 17),
        ("1.5.0", 9, 17),
        # Those of both, and the entropy's copy.
        ("1.9.0", 8, 12),
        ("1.14.1", 6, 6),
    ],
)
def test_pairs_are_evaluated_in_pairs(release: str, alone: int, beside: int) -> None:
    """Posttrain_Lab: eight pairs of 1,024 tokens took 41.26 GiB."""
    made = _evaluated("dpo", *LORA, release=release)
    assert component(made, "evaluation", "logits") == pytest.approx(2 * beside * PASS, rel=0.01)
    made = _evaluated("dpo", *LORA, "--precompute_ref_log_probs", release=release)
    assert component(made, "evaluation", "logits") == pytest.approx(2 * alone * PASS, rel=0.01)


def test_an_evaluation_of_grpo_writes_first() -> None:
    made = _evaluated("grpo", "--max_completion_length 1000", "--num_generations 2")
    held = component(made, "rollout", "engine cache") * GIB / (1 + 1 / SHAPE.layers)
    assert held == pytest.approx(8 * CACHED * 1000, rel=0.02)
    assert component(made, "evaluation", "logits") > 0


def test_what_would_help_an_evaluation_is_its_batch() -> None:
    flags = "--per_device_train_batch_size 1 --max_length 4096 --eval_strategy epoch"
    script = (
        "accelerate launch --num_processes 1 -m trl.scripts.sft --bf16 true --dtype bfloat16"
        f" --model_name_or_path Qwen/Qwen2.5-7B --gradient_checkpointing true {flags}"
        " --use_peft --lora_r 8\n"
    )
    given = ("--stdin-filename", "x.sh", "--device", "a100", "--framework", "trl@1.0.0")
    text = rlbot("estimate", "-", *given, stdin=script.encode()).out
    (helps,) = (line for line in text.splitlines() if "would help most" in line)
    assert "half of --per_device_eval_batch_size" in helps
    preset = script.replace("launch ", "launch --config_file deepspeed_zero3.yaml ")
    preset = preset.replace("_processes 1", "_processes 8").replace("scripts.sft", "scripts.grpo")
    preset = preset.replace("--max_length 4096 --eval_strategy epoch", "--max_completion_length 64")
    text = rlbot("estimate", "-", *given, stdin=preset.encode()).out
    (helps,) = (line for line in text.splitlines() if "would help most" in line)
    assert "--ds3_gather_for_generation false" in helps


MEASURED = json.loads((Path(__file__).parent / "fake_losses.json").read_bytes())
LOSSES = MEASURED["logits"]


def _a_logit(kind: str, each: int, release: str, *flags: str) -> float:
    """Bytes of one logit in an update of sequences of 1000 tokens, on one card."""
    limit = "--max_completion_length 1000 --max_prompt_length 0 --num_generations 2"
    example = kind in ("orpo", "cpo")
    started = f"examples/scripts/{kind}.py" if example else f"-m trl.scripts.{kind}"
    made = printed(
        f"accelerate launch --num_processes 1 {started} --dtype bfloat16 --output_dir o"
        " --model_name_or_path Qwen/Qwen2.5-0.5B --gradient_checkpointing true"
        f" --per_device_train_batch_size {each} --gradient_accumulation_steps 2 "
        + " ".join((limit if kind == "grpo" else "--max_length 1000", *flags)),
        *("--device", "h200", "--framework", f"trl@{release}"),
    )
    sequences = each * (2 if example or kind == "dpo" else 1)
    return component(made, "update", "logits") * GIB / (151_936 * 1000 * sequences)


@pytest.mark.parametrize(
    ("kind", "each", "release", "mixed", "measured"),
    [
        ("sft", 2, "1.0.0", True, LOSSES["SFT"]["2"]),
        ("sft", 2, "0.24.0", False, LOSSES["SFT"]["2"]),
        ("grpo", 2, "1.0.0", False, LOSSES["GRPO"]["2"]),
        ("grpo", 1, "1.9.0", True, LOSSES["GRPO, outputs in fp32"]["1"]),
        ("grpo", 2, "1.9.0", True, LOSSES["GRPO, outputs in fp32"]["2"]),
        ("grpo", 1, "0.29.0", False, LOSSES["GRPO 0.29"]["1"]),
        ("grpo", 8, "0.29.0", False, LOSSES["GRPO 0.29"]["8"]),
        ("grpo", 8, "0.24.0", True, LOSSES["GRPO 1.10, outputs in fp32"]["8"]),
        ("grpo", 8, "1.10.0", False, LOSSES["GRPO 1.10"]["8"]),
        ("grpo", 1, "1.13.0", True, LOSSES["GRPO 1.10, outputs in fp32"]["1"]),
        ("grpo", 2, "1.13.0", True, LOSSES["GRPO 1.10, outputs in fp32"]["2"]),
        ("grpo", 2, "1.14.0", False, LOSSES["GRPO 1.14"]["2"]),
        ("grpo", 2, "1.14.0", True, LOSSES["GRPO 1.14, outputs in fp32"]["2"]),
        ("dpo", 4, "0.28.0", False, LOSSES["DPO 0.28"]["8"]),
        ("dpo", 1, "0.29.0", False, LOSSES["DPO 1.0"]["2"]),
        ("dpo", 4, "1.5.0", False, LOSSES["DPO 1.0"]["8"]),
        ("dpo", 1, "1.6.0", False, LOSSES["DPO 1.6"]["2"]),
        ("dpo", 1, "1.14.0", False, LOSSES["DPO 1.14"]["2"]),
        ("dpo", 4, "0.28.0", True, LOSSES["DPO 0.28, outputs in fp32"]["8"]),
        ("dpo", 4, "1.0.0", True, LOSSES["DPO 1.0, outputs in fp32"]["8"]),
        ("dpo", 1, "1.13.0", True, LOSSES["DPO 1.6, outputs in fp32"]["2"]),
        ("dpo", 4, "1.6.0", True, LOSSES["DPO 1.6, outputs in fp32"]["8"]),
        ("dpo", 4, "1.14.0", True, LOSSES["DPO 1.14, outputs in fp32"]["8"]),
        ("kto", 2, "0.14.0", False, LOSSES["KTO 0.14"]["2"]),
        ("kto", 8, "0.24.0", True, LOSSES["KTO, outputs in fp32"]["8"]),
        ("kto", 1, "0.24.0", True, LOSSES["KTO, outputs in fp32"]["1"]),
        ("kto", 8, "1.5.0", False, LOSSES["KTO"]["8"]),
        ("kto", 2, "1.7.0", False, LOSSES["KTO 1.7"]["2"]),
        ("kto", 8, "1.13.0", True, LOSSES["KTO 1.7, outputs in fp32"]["8"]),
        ("kto", 2, "1.14.0", True, LOSSES["KTO 1.14, outputs in fp32"]["2"]),
        ("orpo", 1, "0.14.0", False, LOSSES["ORPO 0.14"]["2"]),
        ("orpo", 4, "0.14.0", True, LOSSES["ORPO 0.14, outputs in fp32"]["8"]),
        ("orpo", 4, "0.24.0", False, LOSSES["ORPO"]["8"]),
        ("orpo", 1, "1.13.0", True, LOSSES["ORPO, outputs in fp32"]["2"]),
        ("cpo", 4, "1.0.0", True, LOSSES["ORPO, outputs in fp32"]["8"]),
        ("cpo", 4, "1.14.0", False, LOSSES["ORPO 1.14"]["8"]),
        ("orpo", 1, "1.16.0", True, LOSSES["ORPO 1.14, outputs in fp32"]["2"]),
    ],
)
def test_a_logit_takes_what_it_does_as_tensors_live_and_die(
    kind: str, each: int, release: str, *, mixed: bool, measured: float
) -> None:
    made = _a_logit(kind, each, release, f"--bf16 {str(mixed).lower()}")
    assert made == pytest.approx(measured, rel=0.01)


def test_orpo_has_no_reference_and_whole_logits_whatever_makes_its_layers() -> None:
    made = _a_logit("orpo", 1, "1.13.0", "--bf16 true", "--use_liger_kernel true")
    assert made == pytest.approx(LOSSES["ORPO, outputs in fp32"]["2"], rel=0.01)


def test_a_reference_that_was_asked_before_takes_no_logits_beside() -> None:
    asked = _a_logit("dpo", 1, "1.0.0", "--bf16 false", "--precompute_ref_log_probs true")
    assert asked == pytest.approx(LOSSES["DPO 1.0"]["2"] - 4, rel=0.01)


@pytest.mark.parametrize("kind", ["sft", "dpo", "grpo", "rloo"])
def test_trl_never_makes_whole_logits_since_1_15(kind: str) -> None:
    online = kind in ("grpo", "rloo")
    flags = GRPO if online else ("--max_length 4096", "--per_device_train_batch_size 4")
    before = ("--loss_type nll", "--gradient_accumulation_steps 2") if kind == "sft" else ()
    takes = {
        release: [
            stage["components"].get("logits", 0.0)
            for stage in trl(kind, *flags, *before, release=release)["stages"]
            if stage["stage"] in ("log-prob", "update")
        ]
        for release in ("1.14.0", "1.15.0")
    }
    assert max(takes["1.14.0"]) > 1
    assert max(takes["1.15.0"]) < 0.5


def _copies(release: str, *flags: str) -> float:
    """Bytes an entry of the head of Qwen2.5-1.5B in copies of it, in an update of few tokens."""
    made = printed(
        "accelerate launch --num_processes 1 -m trl.scripts.sft --model_name_or_path"
        " Qwen/Qwen2.5-1.5B --gradient_checkpointing true --max_length 32"
        f" --per_device_train_batch_size 1 --gradient_accumulation_steps 2 {' '.join(flags)}",
        *("--device", "h200", "--framework", f"trl@{release}"),
    )
    return component(made, "update", "copies of the head") * GIB / (151_936 * 1536)


@pytest.mark.parametrize("width", ["bfloat16", "float32"])
@pytest.mark.parametrize("cast", [False, True])
@pytest.mark.parametrize("trained", [False, True])
def test_a_loss_in_chunks_copies_the_head(width: str, *, cast: bool, trained: bool) -> None:
    measured = MEASURED["copies of the head"][
        f"{width}{', autocast' * cast}{', trained' * trained}"
    ]
    flags = [f"--dtype {width}", f"--bf16 {str(cast).lower()}"]
    flags += [] if trained else ["--use_peft", "--lora_r 8"]
    assert _copies("1.12.0", *flags) == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize("width", ["bfloat16", "float32"])
@pytest.mark.parametrize("cast", [False, True])
def test_a_chunk_s_logits_are_there_beside_a_frozen_head(width: str, *, cast: bool) -> None:
    """A public QLoRA run whose head is in fp32 took its bf16 copy and a chunk's logits."""

    def logits(tokens: int, *flags: str) -> float:
        given = (f"--max_length {tokens}", "--per_device_train_batch_size 1")
        types = (f"--dtype {width}", f"--bf16 {str(cast).lower()}")
        made = trl("sft", *given, *types, *flags, release="1.12.0")
        return component(made, "update", "logits") * GIB / (256 * SHAPE.vocab)

    measured = MEASURED["logits of a chunk beside a frozen head"][f"{width}{', autocast' * cast}"]
    for tokens, share in ((64, 1 / 4), (256, 1.0), (400, 1.0)):
        assert logits(tokens, *LORA) == pytest.approx(share * measured, rel=0.05, abs=0.1)
    assert logits(400) < 1


def test_a_head_that_was_made_fp32_below_qlora_is_not_copied_as_that_again() -> None:
    """`prepare_model_for_kbit_training` makes fp32 of what is not quantized."""
    flags = ("--bf16 true", "--use_peft", "--lora_r 8", "--load_in_4bit")
    assert _copies("1.12.0", *flags, "--dtype float32") == pytest.approx(2, rel=0.02)


def test_the_head_is_copied_in_the_releases_whose_chunks_do() -> None:
    flags = ("--dtype bfloat16", "--bf16 true", "--use_peft", "--lora_r 8")
    taken = [_copies(release, *flags) for release in ("1.7.1", "1.8.0", "1.13.0", "1.14.0")]
    assert taken == pytest.approx([0, 6, 0, 0], rel=0.01)
    chosen = _copies("1.7.1", *flags, "--loss_type chunked_nll")
    assert chosen == pytest.approx(6, rel=0.01)
    assert _copies("1.8.0", *flags, "--use_liger_kernel true") == 0


def test_the_trainers_own_head_stays_under_liger() -> None:
    """TRL 1.15 switches Liger's loss off, and keeps its layers (`liger_kernel_config`)."""
    flags = ("--dtype bfloat16", "--bf16 true")
    plain, liger = (_copies("1.16.0", *flags, more) for more in ("", "--use_liger_kernel true"))
    assert plain == pytest.approx(6, rel=0.02)
    assert liger == plain
    assert _copies("1.14.0", *flags, "--use_liger_kernel true") == 0


def test_liger_is_offered_for_what_it_still_makes() -> None:
    """From 1.15 on the layers alone, where before it made the loss, too."""
    saves = []
    for release in ("1.14.0", "1.16.0"):
        packed = ("--packing true", "--max_length 2048", "--per_device_train_batch_size 8")
        made = trl(
            "sft", *packed, "--loss_type nll", "--label_smoothing_factor 0.1", release=release
        )
        offered = {one["setting"]: one["saves_gib"] for one in made["options"]}
        saves.append(offered.get("--use_liger_kernel", 0.0))
    assert saves[0] > 10 * saves[1]


def test_a_smoothed_loss_takes_whole_logits() -> None:
    def logits(*flags: str) -> float:
        packed = ("--packing true", "--max_length 2048", "--per_device_train_batch_size 8")
        return component(trl("sft", *packed, *flags, release="1.16.0"), "update", "logits")

    assert logits() == 0
    assert logits("--label_smoothing_factor 0") == 0
    assert logits("--label_smoothing_factor 0.1", "--loss_type dft") == 0
    assert logits("--label_smoothing_factor 0.1") > 1
    assert logits("--label_smoothing_factor 0.1", "--use_liger_kernel true") > 1


@pytest.mark.parametrize("release", ["1.13.0", "1.14.1"])
def test_a_chunk_of_logits_is_there_whatever_the_tokens(release: str) -> None:
    """With gradient and in an evaluation, of 256 tokens or as few as there are."""

    def chunk(tokens: int, stage: str, *flags: str) -> float:
        given = (f"--max_length {tokens}", "--per_device_train_batch_size 1", *LORA, *flags)
        made = trl("sft", *given, release=release)
        return component(made, stage, "logits") * GIB / (256 * SHAPE.vocab)

    held_out = ("--eval_strategy steps", "--per_device_eval_batch_size 1")
    measured = MEASURED["logits of a chunk"]
    for tokens, share in ((64, 1 / 4), (256, 1.0), (400, 1.0)):
        assert chunk(tokens, "update") == pytest.approx(share * measured["with gradient"], rel=0.05)
        alone = chunk(tokens, "evaluation", *held_out)
        assert alone == pytest.approx(share * measured["without"], rel=0.05)
    # Neither Liger's kernels nor a loss of the whole.
    assert chunk(256, "update", "--use_liger_kernel true") < 1
    assert chunk(256, "update", "--loss_type nll") == pytest.approx(12, rel=0.02)


def test_the_gradient_of_a_head_waits_for_the_last_chunk() -> None:
    flags = ("--dtype bfloat16", "--bf16 true")
    assert _copies("1.14.0", *flags) == pytest.approx(2, rel=0.02)
    assert _copies("1.14.0", "--dtype float32", "--bf16 true") == pytest.approx(4, rel=0.02)
    assert _copies("1.14.0", *flags, "--loss_type nll") == 0


def _moments_beside(release: str, *flags: str) -> float:
    """GiB of the copy that the optimizer's step makes, for a model in bf16 whose P is in GiB."""
    made = trl("sft", *flags, release=release)
    return component(made, "optimizer", "optimizer's temporaries")


def test_a_fused_step_copies_nothing() -> None:
    """torch's AdamW holds the roots of all second moments; its default is fused since torch 2.8."""
    whole = pytest.approx(4 * P, abs=0.02)
    adapter = "--use_peft true --lora_r 16"
    assert _moments_beside("1.0.0", "--dtype float32") == 0
    assert _moments_beside("0.21.0", "--dtype float32", "--optim adamw_torch_fused") == 0
    assert _moments_beside("0.21.0", "--dtype float32", "--optim adamw_bnb_8bit") == 0
    assert _moments_beside("0.21.0", adapter) == 0
    assert _moments_beside("0.21.0", "--dtype float32") == whole
    assert _moments_beside("1.0.0", "--dtype float32", "--optim adamw_torch") == whole
    assert _moments_beside("0.21.0") == pytest.approx(2 * P, abs=0.02)


def test_an_embedding_has_fp32_moments_beside_those_in_8_bits() -> None:
    """transformers' trainer leaves it out of bitsandbytes' 8-bit optimizers, a copy of it too."""
    each = SHAPE.embedding / GIB

    def moments(*flags: str, optim: str = "adamw_8bit") -> float:
        made = trl("sft", "--max_length 512", *flags, f"--optim {optim}")
        return component(made, "optimizer", "optimizer")

    assert moments() == pytest.approx(2 * P + 6 * each, rel=0.01)
    assert moments(optim="lion_8bit") == pytest.approx(P + 3 * each, rel=0.01)
    assert moments(optim="adamw_torch_8bit") == pytest.approx(2 * P, rel=0.01)
    assert moments(optim="adamw_torch_fused") == pytest.approx(4 * P, rel=0.01)
    saved = moments(*LORA, "--lora_modules_to_save embed_tokens lm_head") - moments(*LORA)
    assert saved == pytest.approx((8 + 2) * each, abs=0.03)
    head = moments(*LORA, "--lora_modules_to_save lm_head") - moments(*LORA)
    assert head == pytest.approx(2 * each, abs=0.03)


def test_a_fused_step_is_among_what_would_help() -> None:
    def helps(*flags: str) -> list[str]:
        made = trl("sft", "--max_length 512", *flags, release="0.21.0")
        return [one["setting"] for one in made["options"]]

    assert "--optim adamw_torch_fused" in helps()
    assert "--optim adamw_torch_fused" not in helps("--optim adamw_torch_fused")


def _pair(*flags: str, given: tuple[str, ...] = (), version: str = "0.23.1") -> dict[str, Any]:
    launch = (
        "python -m trl.scripts.dpo --model_name_or_path Qwen/Qwen2.5-7B --dtype bfloat16"
        " --bf16 true --gradient_checkpointing true --use_peft --lora_r 16 --max_length 8192 "
    )
    release = ("--device", "h200", "--gpus", "1", "--framework", f"trl@{version}")
    return printed(launch + " ".join(flags), *release, *given)


_ONE = "--per_device_train_batch_size 1"
_KEPT = "--use_logits_to_keep true"


@pytest.mark.parametrize("kind", ["sft", "dpo"])
def test_a_sample_is_as_long_as_its_prompt_and_its_response(kind: str) -> None:
    """Of 7,331 and 188 tokens the 188 alone were taken."""
    launch = f"python -m trl.scripts.{kind} --model_name_or_path Qwen/Qwen2.5-7B --bf16 true"
    given = ("--device", "h200", "--gpus", "1", "--framework", "trl@0.23.1")
    both = printed(launch, *given, "--prompt-tokens", "300", "--response-tokens", "100")
    assert both["stages"] == printed(launch, *given, "--response-tokens", "400")["stages"]


def test_a_pair_may_have_the_logits_of_its_responses_alone() -> None:
    lengths = ("--prompt-tokens", "7000", "--response-tokens", "1000")

    def logits(*flags: str, given: tuple[str, ...] = ()) -> float:
        return component(_pair(_ONE, *flags, given=given, version="0.18.0"), "update", "logits")

    whole, kept = logits(given=lengths), logits(_KEPT, given=lengths)
    assert kept == pytest.approx(whole / 8, rel=0.01)
    limited = logits(_KEPT, "--max_completion_length 2048")
    assert limited == pytest.approx(logits() / 4, rel=0.01)


_LONG = ("--prompt-tokens", "7000", "--response-tokens", "1000")
_OUTPUTS = 2 * 8192 * SHAPE.hidden * (SHAPE.layers + 1) / GIB
"""GiB of a byte for each number that all layers hand over of a pair of the longest."""


def _activations(*flags: str, version: str) -> float:
    made = _pair(_ONE, _KEPT, *flags, given=_LONG, version=version)
    return component(made, "update", "activations")


@pytest.mark.parametrize("version", ["0.19.1", "0.22.0", "0.24.0", "0.28.0"])
def test_a_pair_holds_the_outputs_of_all_layers(version: str) -> None:
    """The reference's in bf16 and fp32; after an earlier pass the policy's in fp32."""
    both = _activations(version=version)
    alone = 2 * 8192 * SHAPE.hidden * (2 * SHAPE.layers + 8) / GIB
    assert both == pytest.approx(6 * _OUTPUTS + alone, rel=0.01)
    assert _activations("--precompute_ref_log_probs true", version=version) < both - _OUTPUTS


@pytest.mark.parametrize("version", ["0.18.0", "0.29.0", "1.0.0"])
def test_other_releases_hold_no_outputs_of_layers(version: str) -> None:
    assert _activations(version=version) < 3 * _OUTPUTS


@pytest.mark.parametrize(
    ("flags", "preset", "width"),
    [
        ((), "", 6),
        ((), "deepspeed_zero2.yaml", 2),
        (("--load_in_4bit",), "", 4),
        (("--use_liger_loss true",), "", 2),
    ],
    ids=["accelerate", "DeepSpeed", "fp32 below four bits", "Liger"],
)
def test_outputs_of_layers_are_copied_where_accelerate_casts_them(
    flags: tuple[str, ...], preset: str, width: int
) -> None:
    """By an evaluation, whose passes hold them too."""

    def made(release: str) -> float:
        given = ("--per_device_eval_batch_size 1", "--eval_strategy steps", "--max_length 1024")
        estimate = trl("dpo", _ONE, *given, *LORA, *flags, release=release, preset=preset)
        return component(estimate, "evaluation", "activations")

    each = 2 * 1024 * SHAPE.hidden * (SHAPE.layers + 1) / GIB
    assert made("0.24.0") - made("1.0.0") == pytest.approx(width * each, rel=0.03)


def test_logits_that_may_not_be_there_keep_a_pass_from_being_too_much() -> None:
    """Where the shortest prompt of a pass begins its responses is not known of several pairs."""
    several = "--per_device_train_batch_size 8"
    assert _pair(several)["outcome"] == "likely OOM"
    assert _pair(several, _KEPT)["outcome"] == "no prediction"
    assert _pair(_ONE)["stages"] == _pair(_ONE, "--use_logits_to_keep false")["stages"]


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ("--per_device_train_batch_size 1", ()),
        ("--per_device_train_batch_size 2", ("--per_device_train_batch_size",)),
        (
            "--per_device_train_batch_size 1 --eval_strategy epoch",
            ("--per_device_eval_batch_size",),
        ),
        (
            "--per_device_train_batch_size 1 --eval_strategy epoch --per_device_eval_batch_size 1",
            (),
        ),
    ],
)
def test_half_of_a_single_sample_is_no_help(flags: str, named: tuple[str, ...]) -> None:
    script = (
        "accelerate launch --num_processes 1 -m trl.scripts.sft --bf16 true --dtype bfloat16"
        f" --model_name_or_path Qwen/Qwen2.5-7B --max_length 4096 {flags} --use_peft\n"
    )
    given = ("--stdin-filename", "x.sh", "--device", "h200", "--framework", "trl@1.0.0")
    text = rlbot("estimate", "-", *given, stdin=script.encode()).out
    assert tuple(re.findall(r"half of (--\w+)", text)) == named


def test_zero_has_the_optimizer_that_its_trainer_names(tmp_path: Path) -> None:
    """`deepspeed_init` of transformers: DeepSpeed's own Adam alone where its file names one."""

    def held(optim: str, name: str) -> float:
        content = {
            "zero_optimization": {"stage": 2},
            **({"optimizer": {}} if "own" in name else {}),
        }
        (tmp_path / name).write_text(json.dumps(content))
        script = (
            "accelerate launch --num_processes 8 -m trl.scripts.sft --dtype bfloat16"
            f" --model_name_or_path Qwen/Qwen2.5-7B --deepspeed {name} --optim {optim}"
        )
        (tmp_path / "x.sh").write_text(script)
        given = ("--root", str(tmp_path), "--device", "h200", "--format", "json")
        out = rlbot("estimate", str(tmp_path / "x.sh"), *given).out
        return component(json.loads(out)["scripts"][0]["estimate"], "optimizer", "optimizer")

    whole = 12 * P / 8
    assert held("adamw_torch", "zero.json") == pytest.approx(whole, rel=0.01)
    assert held("sgd", "zero.json") == pytest.approx(whole / 3, rel=0.01)
    assert held("adamw_8bit", "zero.json") == pytest.approx(whole / 2, rel=0.01)
    assert held("sgd", "own.json") == pytest.approx(whole, rel=0.01)


def test_a_paged_optimizer_leaves_its_gradients_under_zero() -> None:
    """bitsandbytes pages moments alone; DeepSpeed's offload has the gradients on the host too."""

    def beside(*flags: str, preset: str = "deepspeed_zero2.yaml") -> list[float]:
        made = _sft(*flags, gpus=8, preset=preset)
        return [
            component(made, "optimizer", name) for name in ("gradients", "optimizer's temporaries")
        ]

    assert beside("--optim paged_adamw_8bit") == beside("--optim adamw_8bit")
    assert all(beside("--optim adamw_8bit"))
    assert beside(preset="zero2_offload.json") == [0, 0]


@pytest.mark.parametrize("flag", ["torch_compile true", "torch_compile_mode default"])
def test_compiled_layers_keep_what_fused_ones_do(flag: str) -> None:
    """8 bytes a hidden unit and 6 of the MLP's width in the place of 16 and 8.

    So two public runs of 14B in full differ, 107.43 and 82.15 GiB of 8,192 tokens (IDRIS).
    """
    given = ("--gradient_checkpointing false", "--gradient_accumulation_steps 2", "--packing true")
    plain, compiled = _sft(*given), _sft(*given, f"--{flag}")
    less = 8 * SHAPE.hidden + 2 * SHAPE.intermediate + 2 * 4
    saved = less * SHAPE.layers * 512 / GIB
    kept = component(plain, "update", "activations") - component(compiled, "update", "activations")
    assert kept == pytest.approx(saved, rel=0.03)
    assert not [one for one in compiled["applied"] if "liger" in one]


@pytest.mark.parametrize(
    ("flags", "copied"),
    [
        ("--dtype float16", True),
        ("--bf16 false --fp16 true", True),
        ("", False),
        ("--dtype float16 --bf16 false --fp16 true", False),
        ("--dtype float16 --bf16 false", False),
        ("--dtype float16 --gradient_checkpointing true", False),
        ("--dtype float16 --load_in_4bit", False),
    ],
)
def test_autocast_copies_frozen_weights_of_the_other_16_bits(flags: str, copied: bool) -> None:
    """efficient-llm-finetuning: 56.2 GiB by LoRA of a model in fp16, 45.5 by QLoRA."""
    lora = ("--use_peft", "--max_length 512", "--gradient_checkpointing false")
    made = trl("sft", *lora, flags)
    expected = 2 * SHAPE.linear_parameters / GIB if copied else 0
    held = component(made, "update", "gathered weights")
    assert held == pytest.approx(expected, rel=0.01, abs=0.5)


@pytest.mark.parametrize(
    ("kind", "flags", "drops"),
    [
        ("sft", "", True),
        ("grpo", "--num_generations 8", True),
        ("dpo", "--disable_dropout false", True),
        ("dpo", "", False),
        ("kto", "", False),
        ("reward", "", False),
        ("grpo", "--num_generations 8 --disable_dropout true", False),
    ],
)
def test_adapters_copy_what_they_take_where_dropout_is_left_on(
    kind: str, flags: str, *, drops: bool
) -> None:
    # `disable_dropout_in_model` comes behind `get_peft_model`; on in DPO, KTO and reward training.
    each = f"--use_peft --gradient_checkpointing false --per_device_train_batch_size 8 {flags}"
    kept = [
        component(trl(kind, each, dropout, release="1.15.0"), "update", "activations")
        for dropout in ("--lora_dropout 0.05", "--lora_dropout 0")
    ]
    assert (kept[0] > kept[1] * 1.02) if drops else kept[0] == kept[1]


def _kept(*flags: str, release: str = "1.16.0") -> float:
    """Of an update of the 28 layers of Qwen2.5-7B, which `trl` recomputes by the older name."""
    sft = ("--per_device_train_batch_size 1", "--max_length 4096")
    return component(trl("sft", *sft, *flags, release=release), "update", "activations")


def test_the_newer_name_of_recomputation_wins() -> None:
    """`TrainingArguments` of transformers 5.23: the older is an alias, used where it is not set."""
    assert _kept("--activation_checkpointing true") == _kept()
    assert _kept("--activation_checkpointing false") == _kept("--gradient_checkpointing false")
    assert _kept("--gradient_checkpointing false", "--activation_checkpointing") == _kept()


@pytest.mark.parametrize("switch", ["activation", "gradient"])
def test_every_so_many_layers_are_recomputed(switch: str) -> None:
    name = f"--{switch}_checkpointing_kwargs"
    some, none = _kept(), _kept("--gradient_checkpointing false")
    assert _kept(name, """'{"every_n_layers": 1}'""") == some
    half = _kept(name, """'{"every_n_layers": 2}'""")
    assert half == pytest.approx((some + none) / 2, rel=0.1)
    # The first layer alone, of 28.
    assert half < _kept(name, """'{"every_n_layers": 28}'""") < none


def test_what_is_recomputed_from_may_wait_on_the_host() -> None:
    moved = _kept("--use_peft", "--activation_checkpointing_kwargs", """'{"offload": true}'""")
    assert _kept("--use_peft") - moved == pytest.approx(
        26 * 4096 * SHAPE.hidden * 2 / GIB, rel=0.02
    )
    off = ("--gradient_checkpointing false", "--gradient_checkpointing_kwargs")
    assert _kept(*off, """'{"offload": true}'""") == _kept("--gradient_checkpointing false")


def test_fsdp_recomputes_every_layer_whatever_the_trainer_is_told() -> None:
    sft = ("--per_device_train_batch_size 1", "--max_length 4096", "--gradient_checkpointing false")
    fsdp = "--use_fsdp --fsdp_activation_checkpointing true"
    told = ("--gradient_checkpointing_kwargs", """'{"every_n_layers": 2}'""")
    plain = trl("sft", *sft, gpus=2, launcher=fsdp, release="1.16.0")
    assert (
        trl("sft", *sft, *told, gpus=2, launcher=fsdp, release="1.16.0")["stages"]
        == (plain["stages"])
    )


def test_fsdp_may_keep_what_is_recomputed_from_on_the_host() -> None:
    """`fsdp_activation_checkpointing_offload` of accelerate 1.15."""
    sft = ("--per_device_train_batch_size 1", "--max_length 4096", "--gradient_checkpointing false")
    fsdp = "--use_fsdp --fsdp_version 2 --fsdp_activation_checkpointing true"
    moved = f"{fsdp} --fsdp_activation_checkpointing_offload true"

    def kept(launcher: str) -> float:
        made = trl("sft", *sft, "--use_peft", gpus=2, launcher=launcher, release="1.16.0")
        return component(made, "update", "activations")

    assert kept(fsdp) - kept(moved) == pytest.approx(26 * 4096 * SHAPE.hidden * 2 / GIB, rel=0.02)
    alone = moved.replace("checkpointing true", "checkpointing false")
    off = alone.replace(" --fsdp_activation_checkpointing_offload true", "")
    assert kept(alone) == kept(off)


def test_a_switch_off_is_read_as_one() -> None:
    assert _kept("--no_gradient_checkpointing") == _kept("--gradient_checkpointing false")


@pytest.mark.parametrize("flag", ["--fsdp", "--fsdp true", "--fsdp full_shard"])
def test_fsdp_is_on_by_its_name_alone(flag: str) -> None:
    """Since transformers 5.11, which TRL 1.6 is read with. Weights are fp32 as they are trained."""
    sft = ("--per_device_train_batch_size 1", "--max_length 4096")
    made = trl("sft", *sft, flag, gpus=8, release="1.6.0")
    assert component(made, "update", "weights") == pytest.approx(4 * P / 8, rel=0.02)
