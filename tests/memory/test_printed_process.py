"""What torch reports of the training process, by what `rlbot estimate` prints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memory.printed import component, printed, stage
from tests.memory.test_printed import verl
from tests.memory.test_printed_trl import GRPO, trl

_NOT_TORCH = ("contexts", "sleeping engine", "allocator")
_OF_ENGINE = ("engine weights", "engine cache", "engine activations")


def _trained(made: dict[str, Any], *left_out: str) -> float:
    """The most that the trainers' stages hold, less what torch does not count."""
    figures: list[float] = [
        one["expected_gib"] - sum(one["components"].get(name, 0.0) for name in left_out)
        for one in made["stages"]
        if one["stage"] != "rollout"
    ]
    return max(figures)


def _engine(made: dict[str, Any]) -> float:
    return sum(component(made, "rollout", name) for name in ("engine weights", "engine cache"))


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("release", ["0.3.0.post1", "0.5.0", "0.7.0"])
def test_vllm_is_in_the_workers_process_up_to_verl_070(release: str, mode: str) -> None:
    settings = () if release.startswith("0.3") else (f"actor_rollout_ref.rollout.mode={mode}",)
    made = verl(*settings, release=release)
    own = _trained(made, *_NOT_TORCH, *_OF_ENGINE)
    assert made["allocated"]["engine_gib"] == pytest.approx(_engine(made), abs=0.02)
    assert made["allocated"]["expected_gib"] == pytest.approx(own + _engine(made), abs=0.05)
    # One process has one context.
    assert component(made, "update", "contexts") < 2.0


@pytest.mark.parametrize(
    ("settings", "release"),
    [
        ((), "0.7.1"),
        ((), "0.9.0"),
        # SGLang starts its schedulers as processes of their own in every release.
        (("actor_rollout_ref.rollout.name=sglang",), "0.5.0"),
    ],
)
def test_another_process_is_not_in_the_figure(settings: tuple[str, ...], release: str) -> None:
    made = verl(*settings, release=release)
    own = _trained(made, *_NOT_TORCH, *_OF_ENGINE)
    assert made["allocated"]["engine_gib"] == 0
    assert made["allocated"]["expected_gib"] == pytest.approx(own, abs=0.05)
    assert component(made, "update", "contexts") > 2.0


def test_sglang_of_verl_04_and_05_has_a_second_name() -> None:
    """`rollout.name=sglang_async` of 0.4, for rollouts of several turns."""
    name = "actor_rollout_ref.rollout.name="
    made = [verl(f"{name}{engine}", release="0.4.1") for engine in ("sglang", "sglang_async")]
    assert made[0]["peak_gib"] == made[1]["peak_gib"]


def test_trl_has_vllm_in_its_process_where_it_is_colocated() -> None:
    colocated = trl("grpo", *GRPO, "--use_vllm true --vllm_mode colocate")
    own = _trained(colocated, *_NOT_TORCH, *_OF_ENGINE)
    assert colocated["allocated"]["expected_gib"] == pytest.approx(
        own + _engine(colocated), abs=0.1
    )
    server = trl("grpo", *GRPO, "--use_vllm true --vllm_mode server")
    assert server["allocated"]["engine_gib"] == 0


def test_what_transformers_write_with_is_the_model_itself() -> None:
    made = trl("grpo", "--max_completion_length 8000", *GRPO[:2], "--generation_batch_size 512")
    rollout = stage(made, "rollout")
    assert rollout["expected_gib"] == made["peak_gib"]
    left = rollout["expected_gib"] - component(made, "rollout", "contexts")
    assert made["allocated"]["expected_gib"] == pytest.approx(left, abs=0.1)
    assert made["allocated"]["engine_gib"] == 0


_ROLLOUT = "actor_rollout_ref.rollout"


def test_what_an_engine_is_given_itself_counts() -> None:
    cache = f"+{_ROLLOUT}.engine_kwargs.vllm.kv_cache_memory_bytes={1 << 30}"
    assert component(verl(cache), "rollout", "engine cache") == 1.0
    share = f"+{_ROLLOUT}.engine_kwargs.vllm.gpu_memory_utilization=0.7"
    wanted = component(verl(f"{_ROLLOUT}.gpu_memory_utilization=0.7"), "rollout", "engine cache")
    assert component(verl(share), "rollout", "engine cache") == wanted
    sglang = (
        f"{_ROLLOUT}.name=sglang",
        f"+{_ROLLOUT}.engine_kwargs.sglang.mem_fraction_static=0.7",
    )
    wanted = component(
        verl(sglang[0], f"{_ROLLOUT}.gpu_memory_utilization=0.7"), "rollout", "engine cache"
    )
    assert component(verl(*sglang), "rollout", "engine cache") == wanted
    # Another engine's arguments are not this one's.
    assert component(verl(sglang[0], cache), "rollout", "engine cache") != 1.0


@pytest.mark.parametrize(
    ("given", "same"),
    [
        ("zero1", "deepspeed_zero1.yaml"),
        ("zero2", "deepspeed_zero2.yaml"),
        ("zero3", "deepspeed_zero3.yaml"),
        ("fsdp2", "fsdp2.yaml"),
        ("multi_gpu", ""),
    ],
)
def test_a_preset_that_trl_ships_is_read_by_its_name(given: str, same: str) -> None:
    """`--accelerate_config` of TRL's own command, and the file of accelerate's."""
    settings = (
        "--model_name_or_path Qwen/Qwen2.5-1.5B --dataset_name data "
        "--max_length 1024 --per_device_train_batch_size 2"
    )
    file = f"--config_file examples/{same} " if same else ""
    whole = printed(
        f"accelerate launch {file}--num_processes 4 trl/scripts/sft.py {settings}",
        *("--device", "h100"),
    )
    short = printed(
        f"trl sft {settings} --accelerate_config {given} --num_processes 4", "--device", "h100"
    )
    assert whole["stages"]
    assert short["stages"] == whole["stages"]


_SFT = """
accelerate launch --num_processes 1 -m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-1.5B \\
    --dataset_name some/text --per_device_train_batch_size 8 --max_length 1024 --bf16 \\
    --gradient_checkpointing"""


def _shown(device: str) -> tuple[float, float, float]:
    """What is expected of the fullest stage, what the card shows, and what is usable."""
    made = printed(_SFT, "--device", device, "--framework", "trl@0.24.0")
    stage = max(made["stages"], key=lambda one: one["expected_gib"])
    return stage["expected_gib"], stage["card_gib"], made["usable_gib"]


def test_a_card_with_room_shows_freed_blocks() -> None:
    expected, shown, _ = _shown("h200")
    # 8 % of all but the context.
    assert shown == pytest.approx(expected + 0.08 * (expected - 0.8), abs=0.02)


def test_freed_blocks_take_a_third_of_the_room_at_most() -> None:
    expected, _, _ = _shown("h200")
    near = next(d for d in ("rtx4090", "l40s", "a100-40gb", "rtx5090") if _shown(d)[2] > expected)
    needed, shown, usable = _shown(near)
    assert needed <= shown <= needed + (usable - needed) / 3 + 0.01


def test_a_full_card_shows_what_is_needed() -> None:
    expected, shown, usable = _shown("rtx3090")
    assert expected > usable
    assert shown == pytest.approx(expected, abs=0.01)


def test_an_engine_has_no_freed_blocks() -> None:
    made = verl(release="0.7.1")
    for one in made["stages"]:
        if one["stage"] in ("rollout", "weight sync"):
            assert one["card_gib"] == one["expected_gib"]
        else:
            assert one["card_gib"] > one["expected_gib"]
