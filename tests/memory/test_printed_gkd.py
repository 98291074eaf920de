"""What a student and its teacher take in TRL's GKD, by what `rlbot estimate` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.memory import constants
from bot.memory.shapes.models import find
from tests.memory.printed import component, printed

LOSSES = json.loads((Path(__file__).parent / "fake_losses.json").read_bytes())["logits"]
GIB = 1 << 30
VOCABULARY = 151_936
LARGE, SMALL = find("Qwen2.5-7B"), find("Qwen2.5-0.5B")
assert LARGE is not None
assert SMALL is not None
WEIGHTS = LARGE.shape.parameters / GIB
"""GiB of the teacher at one byte a parameter."""


def gkd(*flags: str, release: str = "1.10.0", started: str = "--num_processes 1") -> dict[str, Any]:
    given = (
        f"accelerate launch {started} examples/scripts/gkd.py --dtype bfloat16 --output_dir o"
        " --model_name_or_path Qwen/Qwen2.5-0.5B --gradient_checkpointing true --bf16 true"
        " --teacher_model_name_or_path Qwen/Qwen2.5-7B --max_length 1000"
        " --per_device_train_batch_size 2 --gradient_accumulation_steps 2 "
    )
    return printed(given + " ".join(flags), "--device", "h200", "--framework", f"trl@{release}")


def a_logit(*flags: str, release: str = "1.10.0") -> float:
    """Bytes of one of the student's logits in an update, with all that stands beside it."""
    return component(gkd(*flags, release=release), "update", "logits") * GIB / VOCABULARY / 2000


@pytest.mark.parametrize(
    ("release", "flags", "name"),
    [
        ("1.10.0", (), "GKD, outputs in fp32"),
        ("1.10.0", ("--bf16 false",), "GKD"),
        ("1.10.0", ("--bf16 false", "--beta 0"), "GKD, one way"),
        ("1.10.0", ("--bf16 false", "--beta 0.9"), "GKD"),
        ("1.10.0", ("--beta 1",), "GKD, one way, outputs in fp32"),
        # The mixture was made whatever `beta` is.
        ("0.15.2", ("--bf16 false", "--beta 1"), "GKD"),
        ("0.16.0", ("--bf16 false", "--beta 1"), "GKD, one way"),
        # Liger made no loss of GKD's before, and makes none since.
        ("0.21.0", ("--use_liger_kernel true",), "GKD, outputs in fp32"),
        ("1.14.0", ("--use_liger_kernel true",), "GKD, outputs in fp32"),
    ],
)
def test_a_logit_takes_what_it_does_as_tensors_live_and_die(
    release: str, flags: tuple[str, ...], name: str
) -> None:
    assert a_logit(*flags, release=release) == pytest.approx(LOSSES[name]["2"], rel=0.01)


@pytest.mark.parametrize(
    ("beta", "expected"),
    [
        ("0.5", constants.GKD_LIGER_MIXED),
        ("1", constants.GKD_LIGER_STUDENT),
        ("0", constants.GKD_LIGER_TEACHER),
    ],
)
def test_ligers_loss_has_all_logits_of_a_pass_at_once(beta: str, expected: float) -> None:
    flags = ("--use_liger_kernel true", f"--beta {beta}")
    for release in ("0.22.0", "1.10.0", "1.13.0"):
        assert a_logit(*flags, release=release) == pytest.approx(expected, rel=0.01)


def test_liger_is_offered_for_the_layers_alone() -> None:
    saved = {one["setting"]: one["saves_gib"] for one in gkd("--bf16 false")["options"]}
    assert saved.get("--use_liger_kernel", 0.0) < 1
    saved = {one["setting"]: one["saves_gib"] for one in gkd()["options"]}
    assert saved["half of --per_device_train_batch_size"] > 5


def teacher(*flags: str, started: str = "--num_processes 1") -> float:
    """GiB of the teacher's weights while the student is updated."""
    return component(gkd(*flags, started=started), "update", "reference, idle")


def test_a_teacher_is_as_wide_as_it_is_loaded() -> None:
    def loaded(kind: str) -> float:
        return teacher(f"""--teacher_model_init_kwargs '{{"dtype": "{kind}"}}'""")

    assert loaded("bfloat16") == pytest.approx(2 * WEIGHTS, rel=0.01)
    assert loaded("float32") == pytest.approx(4 * WEIGHTS, rel=0.01)


def test_a_teacher_is_whole_on_each_gpu_but_under_zero_3() -> None:
    bf16 = """--teacher_model_init_kwargs '{"dtype": "bfloat16"}'"""
    for preset, share in (
        ("--multi_gpu", 1),
        ("--use_fsdp --fsdp_sharding_strategy FULL_SHARD", 1),
        ("--config_file deepspeed_zero2.yaml", 1),
        ("--config_file deepspeed_zero3.yaml", 8),
    ):
        made = teacher(bf16, started=f"{preset} --num_processes 8")
        assert made == pytest.approx(2 * WEIGHTS / share, rel=0.01), preset


def test_an_unknown_teacher_is_not_taken_for_the_student() -> None:
    for named in ("me/hidden", "$TEACHER"):
        made = gkd(f"--teacher_model_name_or_path {named}")
        assert made["stages"] == [], made
