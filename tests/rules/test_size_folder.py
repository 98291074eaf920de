from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.frameworks import Checkout, ScriptPlace
from bot.rules._support.example import verl
from bot.rules._support.registry import check_context
from tests.rules.helpers import context, found, marked, quiet

SLUG = "size-folder"
NAME = "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"


@pytest.mark.parametrize(
    "path",
    [
        f"examples/tuning/7b/{NAME}",
        f"examples/tuning/7B/{NAME}",
        NAME,
        "examples/tuning/30b-a3b/qwen3-30b-a3b_grpo_8_h100_megatron_vllm.sh",
        "examples/grpo_trainer/run_qwen3_8b_fsdp.sh",
        "examples/grpo_trainer/qwen3_8b.sh",
        "examples/tuning/70b/qwen2.5-72b_grpo_8_h100_fsdp_vllm.sh",
        "examples/tuning/0.5b/qwen2.5-0.5b_grpo_1_h100_fsdp_vllm.sh",
        "examples/tuning/large/deepseek-v3_grpo_64_h100_megatron_vllm.sh",
    ],
)
def test_stays_silent(path: str) -> None:
    assert quiet(SLUG, verl("actor_rollout_ref.model.path=$MODEL"), path)


def test_neighbours_stay_apart() -> None:
    path = "examples/tuning/32b/qwen3-30b-a3b_grpo_8_h100_megatron_vllm.sh"
    assert not quiet(SLUG, verl("actor_rollout_ref.model.path=$MODEL"), path)


@pytest.mark.parametrize("folder", ["14b", "lora", "70b"])
def test_names_the_right_folder(folder: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(), f"examples/tuning/{folder}/{NAME}") == snapshot


def test_takes_the_size_of_the_model_when_the_name_has_none(snapshot: SnapshotAssertion) -> None:
    path = "examples/tuning/14b/qwen2.5_grpo_8_h100_fsdp_vllm.sh"
    assert marked(SLUG, verl(), path) == snapshot


def test_proposes_the_move_that_git_would_make() -> None:
    (finding,) = found(SLUG, verl(), f"examples/tuning/14b/{NAME}")
    assert finding.rename == f"examples/tuning/7b/{NAME}"


@pytest.mark.parametrize(
    ("there", "rename", "help_"),
    [
        (set(), f"examples/tuning/7b/{NAME}", "move it to 7b/"),
        ({f"7b/{NAME}"}, f"examples/tuning/7b/{NAME}", "move it to 7b/"),
        (
            {f"examples/tuning/7b/{NAME}"},
            None,
            f"examples/tuning/7b/{NAME} is there already: keep one of the two",
        ),
    ],
)
def test_a_name_that_is_taken_is_not_proposed(
    there: set[str], rename: str | None, help_: str
) -> None:
    path = f"examples/tuning/14b/{NAME}"
    place = ScriptPlace(Checkout({}), path, taken=there.__contains__)
    ((finding,), _) = check_context(replace(context(verl(), path), place=place), select=[SLUG])
    assert (finding.rename, finding.help) == (rename, help_)
