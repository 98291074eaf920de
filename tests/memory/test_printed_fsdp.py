"""How accelerate's and transformers' options of FSDP divide a model, by what is printed."""

from __future__ import annotations

from typing import Any

import pytest

from bot.memory.constants import NF4_NESTED
from tests.memory.printed import component, printed, stage
from tests.memory.test_printed_trl import GIB, SHAPE, P, trl

_SFT = ("--max_length 2048", "--per_device_train_batch_size 1")


def sft(launcher: str = "", *flags: str, gpus: int = 4, release: str = "1.0.0") -> dict[str, Any]:
    using = f"--use_fsdp {launcher}"
    return trl("sft", *_SFT, *flags, gpus=gpus, launcher=using, release=release)


@pytest.mark.parametrize(
    ("launcher", "flags", "shards", "whole"),
    [
        ("", (), 4, False),
        ("--fsdp_sharding_strategy FULL_SHARD", (), 4, False),
        ("--fsdp_sharding_strategy 2", (), 4, True),
        ("--fsdp_sharding_strategy SHARD_GRAD_OP", (), 4, True),
        ("--fsdp_version 2 --fsdp_reshard_after_forward false", (), 4, True),
        ("--fsdp_reshard_after_forward true", (), 4, False),
        ("--fsdp_sharding_strategy NO_SHARD", (), 1, False),
        ("", ('--fsdp "shard_grad_op auto_wrap"',), 4, True),
        ("", ('--fsdp "full_shard auto_wrap"',), 4, False),
    ],
)
def test_a_strategy_says_what_is_divided(
    launcher: str, flags: tuple[str, ...], shards: int, whole: bool
) -> None:
    made = sft(launcher, *flags)
    assert component(made, "optimizer", "weights") == pytest.approx(4 * P / shards, rel=0.01)
    gathered = component(made, "update", "gathered weights")
    assert gathered == pytest.approx(2 * P, rel=0.01) if whole else gathered < P


def test_hybrid_shards_are_those_of_a_node() -> None:
    nodes = "--num_machines 2 --fsdp_sharding_strategy HYBRID_SHARD"
    held = component(sft(nodes, gpus=8), "optimizer", "weights")
    assert held == pytest.approx(4 * P / 4, rel=0.01)


def test_the_trainers_own_word_moves_states_to_the_host() -> None:
    made = sft("", '--fsdp "full_shard offload auto_wrap"')
    assert component(made, "optimizer", "optimizer") == 0
    assert component(made, "optimizer", "weights") == 0


def test_fsdp_recomputes_layers_where_it_is_told() -> None:
    long = ("--gradient_checkpointing false", "--max_length 32768")
    kept = component(sft("", *long), "update", "activations")
    recomputed = component(
        sft("--fsdp_activation_checkpointing true", *long), "update", "activations"
    )
    inputs = 2 * SHAPE.layers * SHAPE.hidden * 32768 / GIB
    assert kept > 4 * recomputed
    assert inputs < recomputed < 2 * inputs


def own(config: str, *flags: str, release: str = "1.10.0", before: str = "") -> dict[str, Any]:
    """By the trainer's own options, without accelerate's."""
    launch = (
        f"{before}torchrun --nproc_per_node 4 -m trl.scripts.sft --model_name_or_path "
        f"Qwen/Qwen2.5-7B --dtype bfloat16 --bf16 true --fsdp full_shard --fsdp_config {config} "
    )
    given = ("--device", "h200", "--framework", f"trl@{release}")
    return printed(launch + " ".join((*_SFT, *flags)), *given)


@pytest.mark.parametrize(
    ("config", "before"),
    [
        ("""'{"activation_checkpointing": true}'""", ""),
        ("""'{"fsdp_activation_checkpointing": "true"}'""", ""),
        ("fsdp.json", """echo '{"activation_checkpointing": true}' > fsdp.json\n"""),
    ],
)
def test_the_trainers_own_configuration_recomputes_layers(config: str, before: str) -> None:
    """Gemma-3-12B on two cards was 80 GiB for 33, with 59 of activations."""
    long = ("--gradient_checkpointing false", "--max_length 32768")
    kept = component(own("'{}'", *long), "update", "activations")
    recomputed = component(own(config, *long, before=before), "update", "activations")
    assert recomputed < kept / 5


def test_the_trainers_own_configuration_keeps_states_on_the_host() -> None:
    made = own("""'{"cpu_offload": true}'""")
    assert component(made, "optimizer", "weights") == 0


@pytest.mark.parametrize(
    ("config", "release", "second"),
    [
        ("'{}'", "1.5.0", False),
        ("'{}'", "1.6.0", True),  # Read with transformers 5.11.
        ("""'{"version": 1}'""", "1.6.0", False),
        ("""'{"version": 2}'""", "1.5.0", True),
        ("""'{"version": 2}'""", "0.24.0", False),  # Transformers 4 did not ask for it.
    ],
)
def test_which_fsdp_the_trainer_itself_divides_by(config: str, release: str, second: bool) -> None:
    """FSDP1 has embedding, head and final norm in one unit, whose gradients come last and whole."""
    whole = component(own(config, release=release), "update", "whole gradients")
    assert (whole < 2 * SHAPE.ends / GIB * 1.2) is second


def test_quantized_layers_are_gathered_as_they_are_stored() -> None:
    """Half a byte and its scales a weight, where a frozen layer in bf16 has two bytes."""
    adapter = ("--use_peft", "--lora_r 8", "--lora_target_modules all-linear")
    whole = component(sft("", *adapter), "update", "gathered weights")
    stored = component(
        sft("", *adapter, "--load_in_4bit", "--use_bnb_nested_quant"), "update", "gathered weights"
    )
    layers = (whole - 2 * SHAPE.ends / GIB) / 2
    assert stored == pytest.approx(2 * SHAPE.ends / GIB + layers * NF4_NESTED, rel=0.01)


_STEPS = ("--gradient_accumulation_steps 4",)


@pytest.mark.parametrize(
    ("launcher", "release", "waits"),
    [
        ("", "1.0.0", True),
        ("--fsdp_version 2", "1.0.0", True),
        # accelerate's FSDP2 reduced each micro batch before 1.11.
        ("--fsdp_version 2", "0.21.0", False),
    ],
)
def test_gradients_wait_whole_while_micro_batches_accumulate(
    launcher: str, release: str, waits: bool
) -> None:
    """By hand: two bytes a parameter, and none in shards before the last micro batch."""
    once = sft(launcher, release=release)
    many = sft(launcher, *_STEPS, release=release)
    whole = component(many, "update", "whole gradients")
    if waits:
        assert whole == pytest.approx(2 * P, rel=0.15)
        assert component(many, "update", "gradients") == 0
    else:
        assert whole < P
        assert component(many, "update", "gradients") > 0
    assert component(once, "update", "whole gradients") < P


def test_each_micro_batch_may_be_reduced() -> None:
    kwargs = '\'{"gradient_accumulation_kwargs": {"sync_each_batch": true}}\''
    many, each = sft("", *_STEPS), sft("", *_STEPS, f"--accelerator_config {kwargs}")
    assert component(each, "update", "whole gradients") < P
    (offer,) = (one for one in many["options"] if "sync_each_batch" in one["setting"])
    saved = stage(many, "update")["expected_gib"] - stage(each, "update")["expected_gib"]
    assert offer["saves_gib"] == pytest.approx(saved, abs=0.02)
    assert not any("sync_each_batch" in one["setting"] for one in each["options"])
