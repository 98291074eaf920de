"""Attention that makes its scores whole, by what `rlbot estimate` prints."""

from __future__ import annotations

from typing import Any

import pytest

from bot.memory.models import find
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
    """Of a pair."""
    flags = (CHECKPOINTED, "--ref_offload")
    more = activations(*flags, kind="log-prob") - activations(
        *flags, "--flash_attn", kind="log-prob"
    )
    assert more == pytest.approx(2 * 6 * SCORES, rel=0.01)
