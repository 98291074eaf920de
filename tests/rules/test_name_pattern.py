from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.frameworks import Checkout, ScriptPlace
from bot.rules._support.example import verl
from bot.rules._support.registry import check_context
from tests.rules.helpers import context, found, marked, quiet

SLUG = "name-pattern"


@pytest.mark.parametrize(
    "path",
    [
        "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh",
        "examples/tuning/7b/qwen2.5-7b_grpo-lora_16_a100-40_fsdp2_sglang.sh",
        "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh",
        "examples/tuning/lora/run_qwen2_5_vl_7b_fsdp.sh",
    ],
)
def test_stays_silent(path: str) -> None:
    assert quiet(SLUG, verl(), path)


@pytest.mark.parametrize(
    "name",
    [
        "qwen2.5_7b_grpo_8_h100_fsdp_vllm.sh",
        "qwen2.5-7B_grpo_8_h100_fsdp_vllm.sh",
        "qwen2.5-7b_grpo_eight_h100_fsdp_vllm.sh",
        "qwen2.5-7b_grpo_8_h100_fsdp_vllm.bash",
        "run.sh",
        "run_qwen2_5_vl_7b_vllm_fsdp.sh",
    ],
)
def test_says_what_is_wrong_and_the_right_name(name: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(), f"examples/tuning/7b/{name}") == snapshot


def test_proposes_no_name_when_a_part_is_unknown(snapshot: SnapshotAssertion) -> None:
    script = verl("actor_rollout_ref.model.path=$MODEL")
    assert marked(SLUG, script, "examples/tuning/7b/qwen_7b_grpo_8_h100_fsdp_vllm.sh") == snapshot


def test_is_a_note_where_the_page_asks_for_nothing() -> None:
    (finding,) = found(SLUG, verl(), "recipe/dapo/start.sh")
    assert finding.severity == "note"


def test_proposes_the_move_that_git_would_make() -> None:
    name = "qwen2.5-7B_grpo_8_h100_fsdp_vllm.sh"
    moves = {finding.rename for finding in found(SLUG, verl(), f"examples/tuning/7b/{name}")}
    assert moves == {"examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"}


def test_one_new_name_is_one_finding() -> None:
    (finding,) = found(SLUG, verl(), "examples/tuning/7b/qwen2.5_7B_grpo_8_h100_fsdp_vllm.sh")
    assert finding.message.startswith("the name has 7 parts")
    assert finding.rename == "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"


def test_a_name_that_another_script_has_is_not_proposed() -> None:
    """But for the script itself, which a file system without capitals finds by both names."""
    right = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    for wrong, taken in ((right.replace("-7b", "_7B"), True), (right.replace("7b_", "7B_"), False)):
        place = ScriptPlace(Checkout({}), wrong, taken={right, wrong}.__contains__)
        ((finding,), _) = check_context(replace(context(verl(), wrong), place=place), select=[SLUG])
        assert (finding.rename is None) is taken
        assert (finding.help == f"{right} is there already: keep one of the two") is taken
