"""Attention that makes its scores whole, by what `rlbot estimate` prints."""

from __future__ import annotations

from typing import Any

import pytest

from bot.memory.shapes.models import find
from tests.memory.printed import component, printed
from tests.memory.test_printed import GIB

LLAMA = find("Llama-3.1-8B")
assert LLAMA is not None
LONG = 16_384
SHAPE = LLAMA.shape
SCORES = SHAPE.heads * LONG * LONG / GIB
"""10⁹ numbers of one sequence in a layer."""


def openrlhf(*flags: str, release: str = "0.8.5", kind: str = "sft") -> dict[str, Any]:
    launch = (
        f"deepspeed --num_gpus 8 --module openrlhf.cli.train_{kind} --bf16"
        f" --pretrain meta-llama/Llama-3.1-8B --max_len {LONG} --micro_train_batch_size 1"
        " --train_batch_size 64 --zero_stage 3 --adam_offload "
    )
    given = ("--device", "h200", "--framework", f"openrlhf@{release}")
    return printed(launch + " ".join(flags), *given)


def activations(*flags: str, release: str = "0.8.5", kind: str = "sft") -> float:
    stage = "log-prob" if kind == "log-prob" else "update"
    made = openrlhf(*flags, release=release, kind="dpo" if stage == "log-prob" else kind)
    return component(made, stage, "activations")


CHECKPOINTED = "--gradient_checkpointing"


@pytest.mark.parametrize(
    ("release", "flags", "fused"),
    [
        ("0.8.5", ("--flash_attn",), True),
        ("0.8.5", ("--packing_samples",), True),
        ("0.8.5", (), False),
        ("0.9.3", (), True),
        ("0.9.3", ("--attn_implementation eager",), False),
    ],
)
def test_openrlhf_has_eager_attention_unless_told(
    release: str, flags: tuple[str, ...], fused: bool
) -> None:
    more = activations(CHECKPOINTED, *flags, release=release) - activations(
        CHECKPOINTED, "--flash_attn"
    )
    # The softmax in fp32 and in bf16, and the gradients of both; one layer is then the fullest
    # moment, where it was the head.
    assert more == pytest.approx(0 if fused else 12 * SCORES, abs=4.0)


def test_without_checkpointing_each_layer_keeps_its_scores() -> None:
    more = activations() - activations("--flash_attn")
    assert more == pytest.approx((6 * SHAPE.layers + 6) * SCORES, rel=0.01)


def test_a_pass_without_gradient_has_one_layers_scores() -> None:
    """Of a pair; without them the logits are fuller, with what they are made of alone."""
    flags = (CHECKPOINTED, "--ref_offload")
    more = activations(*flags, kind="log-prob") - activations(
        *flags, "--flash_attn", kind="log-prob"
    )
    layer = 6 * (SHAPE.hidden + SHAPE.intermediate) * 2 * LONG / GIB
    assert more == pytest.approx(2 * 6 * SCORES + layer, rel=0.01)


EAGER = "--attn_implementation eager"


def trl(*flags: str, model: str = "meta-llama/Llama-3.1-8B", release: str = "1.0.0") -> float:
    launch = (
        "accelerate launch --num_processes 8 -m trl.scripts.sft --bf16 true --dtype bfloat16"
        f" --model_name_or_path {model} --gradient_checkpointing true"
        " --per_device_train_batch_size 2 --max_length 8192 "
    )
    given = ("--device", "h200", "--framework", f"trl@{release}")
    return component(printed(launch + " ".join(flags), *given), "update", "activations")


@pytest.mark.parametrize(
    ("release", "flags", "rows"),
    [
        ("0.21.0", "--packing true", 1),
        ("0.21.0", "--packing true --packing_strategy wrapped", 2),
        ("0.17.0", "--packing true", 2),
    ],
)
def test_trl_has_eager_attention_where_it_is_told(release: str, flags: str, rows: int) -> None:
    """Two sequences, or one row of both."""
    more = trl(EAGER, flags, release=release) - trl(flags, release=release)
    scores = SHAPE.heads * LONG * LONG / rows / GIB
    assert more == pytest.approx(12 * scores, abs=4.0)


def test_sinks_are_beside_scores_in_16_bits() -> None:
    oss = find("gpt-oss-20b")
    assert oss is not None
    flags = "--packing true --packing_strategy wrapped"
    more = trl(EAGER, flags, model="openai/gpt-oss-20b") - trl(flags, model="openai/gpt-oss-20b")
    assert more == pytest.approx(6 * oss.shape.heads * LONG * LONG / 2 / GIB, abs=4.0)


OVERRIDE = "+actor_rollout_ref.model.override_config.attn_implementation=eager"


@pytest.mark.parametrize(
    ("settings", "counted"),
    [
        ("", True),
        ("actor_rollout_ref.actor.ulysses_sequence_parallel_size=2", False),
        ("actor_rollout_ref.model.use_remove_padding=False", False),
    ],
)
def test_verl_has_the_scores_of_a_packed_row(settings: str, counted: bool) -> None:
    launch = (
        "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256"
        " data.max_prompt_length=1024 data.max_response_length=7168"
        " actor_rollout_ref.model.path=meta-llama/Llama-3.1-8B"
        " actor_rollout_ref.model.use_remove_padding=True"
        " actor_rollout_ref.actor.ppo_mini_batch_size=256"
        " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"
        " actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
        " actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 trainer.nnodes=1 "
    )
    given = ("--device", "h200", "--framework", "verl@0.8.0")
    plain = component(printed(launch + settings, *given), "log-prob", "activations")
    told = component(printed(f"{launch}{settings} {OVERRIDE}", *given), "log-prob", "activations")
    assert told > plain + 5 if counted else told == plain


ON_COLAB = (
    "trl sft --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct --use_peft --load_in_4bit"
    " --max_length 4096 --per_device_train_batch_size 4 --loss_type chunked_nll"
)
PAIRS = 12 * 4096 * 4096 / GIB
"""10⁹ scores of one row in a layer of Qwen2.5-1.5B."""


def on(card: str, *flags: str, stage: str = "update") -> float:
    given = ("--device", card, "--gpus", "1", "--framework", "trl@1.10.0")
    lengths = ("--response-tokens", "4096", "--longest-tokens", "4096")
    made = printed(" ".join((ON_COLAB, *flags)), *given, *lengths)
    return component(made, stage, "activations")


def test_a_card_without_bf16_makes_the_scores_of_torchs_attention_whole() -> None:
    """DevPilot: four rows of at most 3,867 tokens failed on a T4, in attention."""
    assert on("t4") - on("a10g") == pytest.approx(4 * 12 * PAIRS, rel=0.05)
    assert on("v100") == on("t4")
    kept = "--gradient_checkpointing false"
    layers = 28 * 4 + 8
    assert on("t4", kept) - on("a10g", kept) == pytest.approx(4 * layers * PAIRS, rel=0.05)
    # Its kernels compute fp16, and flash attention is none of torch's.
    for other in ("--fp16 true", "--attn_implementation flash_attention_2"):
        assert on("t4", other) == on("a10g", other)
    eager = "--attn_implementation eager"
    assert on("t4", eager) == on("a10g", eager) > on("a10g")


def test_an_evaluation_has_the_scores_of_its_own_rows() -> None:
    for rows in (8, 16):
        flags = f"--eval_strategy epoch --per_device_eval_batch_size {rows}"
        more = on("t4", flags, stage="evaluation") - on("a10g", flags, stage="evaluation")
        assert more == pytest.approx(rows * 12 * PAIRS, rel=0.05)
