"""What a file of accelerate's says of a launch's memory, by `estimate` and by hand."""

from __future__ import annotations

import json

import pytest
import yaml

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.frameworks import Checkout
from bot.frameworks.launchers.accelerate_file import options_of
from bot.memory.shapes.models import find
from bot.report import Estimate

QWEN = find("Qwen2.5-7B")
assert QWEN is not None
P = QWEN.shape.parameters / (1 << 30)
SFT = (
    "-m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-7B --max_length 1024"
    " --dtype bfloat16 --bf16 true --per_device_train_batch_size 2"
)
ZERO = """\
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config: {{zero_stage: {stage}, offload_optimizer_device: {device}}}
machine_rank: 0
num_machines: 1
num_processes: 4
"""
FSDP_OPTIONS = "--use_fsdp --fsdp_activation_checkpointing true"
FSDP = """\
distributed_type: FSDP
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_sharding_strategy: {strategy}
  activation_checkpointing: true
mixed_precision: bf16
num_processes: 4
"""


def estimated(file: str, *options: str, name: str = "conf/own.yaml", sft: str = SFT) -> Estimate:
    flags = " ".join(("--config_file", name, *options) if file else options)
    files = {name if name.endswith(".json") else "conf/own.yaml": file.encode()}
    script = ScriptFile(path="run/x.sh", data=f"accelerate launch {flags} {sft}\n".encode())
    place = InCheckout(Checkout(files))
    made = estimate_script(script, CheckOptions(place=place, device="h100")).estimate
    assert made is not None
    return made


def state(made: Estimate, what: str) -> float:
    (stage,) = (one for one in made.stages if one.stage == "update")
    return stage.components.get(what, 0.0)


@pytest.mark.parametrize(
    "file",
    [
        "distributed_type: MEGATRON_LM\nmegatron_lm_config: {a: 1}\nnum_processes: 4\n",
        "distributed_type: XLA\nnum_processes: 4\n",
        "distributed_type: 'NO'\nnum_processes: 4\n",
        "distributed_type: MULTI_GPU\nmixed_precision: fp8\nnum_processes: 4\n",
        "distributed_type: MULTI_GPU\nuse_cpu: true\nnum_processes: 4\n",
        "distributed_type: MULTI_GPU\ncompute_environment: AMAZON_SAGEMAKER\nnum_processes: 4\n",
        "distributed_type: FSDP\nfsdp_config: {fsdp_auto_wrap_policy: NO_WRAP}\nnum_processes: 4\n",
        "distributed_type: DEEPSPEED\ndeepspeed_config: 3\nnum_processes: 4\n",
        "distributed_type: [MULTI_GPU]\nnum_processes: 4\n",
        "- num_processes: 4\n",
        "num_processes: 4\n",
        "a: b: c\n",
    ],
)
def test_a_file_that_is_not_followed_gives_no_number(file: str) -> None:
    assert not estimated(file).stages


def test_a_file_of_json_says_the_same() -> None:
    """GL3MON/ChessLM: `--config_file configs/accelerate_dp_config.json`."""
    made = estimated(
        json.dumps(yaml.safe_load(ZERO.format(stage=3, device="none"))),
        name="conf/accelerate_dp.json",
    )
    assert made.stages
    assert made.stages == estimated(ZERO.format(stage=3, device="none")).stages
    assert not estimated('{"distributed_type": ', name="conf/accelerate_dp.json").stages


def test_a_file_that_the_repository_does_not_have_gives_no_number() -> None:
    made = estimated(ZERO.format(stage=3, device="none"), name="conf/other.yaml")
    assert not made.stages
    assert "conf/other.yaml is not there" in (made.reason or "")


def test_a_backend_on_the_command_line_is_not_the_files() -> None:
    """The file's own would be ZeRO's; its number of processes is then not taken either."""
    assert not estimated(ZERO.format(stage=3, device="none"), "--use_fsdp").stages


def test_zero_3_divides_all_by_the_files_processes() -> None:
    """2P weights, 2P gradients and 12P of fp32 copy and moments, each over four GPUs."""
    made = estimated(ZERO.format(stage=3, device="none"))
    assert made.gpus == 4
    assert state(made, "weights") == pytest.approx(2 * P / 4, rel=0.01)
    assert state(made, "gradients") == pytest.approx(2 * P / 4, rel=0.01)
    assert state(made, "optimizer") == pytest.approx(12 * P / 4, rel=0.01)


def test_zero_2_has_whole_weights() -> None:
    made = estimated(ZERO.format(stage=2, device="none"))
    assert state(made, "weights") == pytest.approx(2 * P, rel=0.01)
    assert state(made, "optimizer") == pytest.approx(12 * P / 4, rel=0.01)


def test_an_optimizer_on_the_host_is_not_on_the_gpu() -> None:
    made = estimated(ZERO.format(stage=3, device="cpu"))
    assert state(made, "weights") == pytest.approx(2 * P / 4, rel=0.01)
    assert state(made, "optimizer") == 0


def test_fsdp_in_mixed_precision_has_fp32_states() -> None:
    """4P weights, 4P gradients and 8P of moments over four GPUs; layers are recomputed."""
    made = estimated(FSDP.format(strategy="FULL_SHARD"))
    assert state(made, "weights") == pytest.approx(4 * P / 4, rel=0.01)
    assert state(made, "optimizer") == pytest.approx(8 * P / 4, rel=0.01)
    long = SFT.replace("batch_size 2", "batch_size 16") + " --gradient_checkpointing false"
    file = FSDP.format(strategy="FULL_SHARD")
    made, kept = estimated(file, sft=long), estimated(file.replace("true", "false"), sft=long)
    assert (kept.peak_gib or 0) > 2 * (made.peak_gib or 0)


def test_copies_on_two_gpus_are_whole() -> None:
    """bf16 without shards: 2P weights, 2P gradients and 4P of moments on each."""
    made = estimated("distributed_type: MULTI_GPU\nnum_processes: 2\nmixed_precision: bf16\n")
    assert made.gpus == 2
    assert state(made, "weights") == pytest.approx(2 * P, rel=0.01)
    assert state(made, "optimizer") == pytest.approx(4 * P, rel=0.01)


@pytest.mark.parametrize(
    ("file", "options"),
    [
        (ZERO.format(stage=3, device="none"), "--use_deepspeed --zero_stage 3"),
        (ZERO.format(stage=2, device="none"), "--use_deepspeed --zero_stage 2"),
        (
            ZERO.format(stage=2, device="cpu"),
            "--use_deepspeed --zero_stage 2 --offload_optimizer_device cpu",
        ),
        (
            FSDP.format(strategy="SHARD_GRAD_OP"),
            f"{FSDP_OPTIONS} --fsdp_sharding_strategy SHARD_GRAD_OP",
        ),
        (
            f"{FSDP.format(strategy=1)}".replace("  fsdp_sh", "  fsdp_version: 2\n  fsdp_sh"),
            f"{FSDP_OPTIONS} --fsdp_version 2",
        ),
        ("distributed_type: MULTI_GPU\nnum_processes: 4\n", "--multi_gpu"),
    ],
)
def test_a_file_counts_as_the_same_options_do(file: str, options: str) -> None:
    read, given = estimated(file), estimated("", options, "--num_processes 4")
    assert given.stages
    assert read.stages == given.stages


def test_an_option_of_the_command_line_wins() -> None:
    file = ZERO.format(stage=3, device="cpu")
    made = estimated(file, "--num_processes 2", "--zero_stage 2")
    assert made.gpus == 2
    assert state(made, "weights") == pytest.approx(2 * P, rel=0.01)


def test_deepspeed_without_a_stage_has_accelerates_own() -> None:
    file = ZERO.format(stage=2, device="none")
    bare = file.replace("zero_stage: 2, ", "")
    assert estimated(bare).stages == estimated(file).stages


def test_deepspeeds_own_file_is_said_to_be_missing() -> None:
    """Its stage is in its name; what else it holds may lower the peak by more."""
    file = ZERO.format(stage=3, device="none").replace(
        "zero_stage: 3, offload_optimizer_device: none", "deepspeed_config_file: ds_zero2.json"
    )
    assert "ds_zero2.json was not read" in (estimated(file).reason or "")


def test_mixed_precision_of_the_file_counts_where_the_trainer_has_none() -> None:
    """fp32 weights, which autocast makes bf16 of: `ACCELERATE_MIXED_PRECISION`."""
    sft = "-m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-0.5B --max_seq_length 1024"
    sft += " --per_device_train_batch_size 2"
    plain = "distributed_type: MULTI_GPU\nnum_processes: 2\n"
    mixed = estimated(plain + "mixed_precision: bf16\n", sft=f"{sft} --bf16 false")
    full = estimated(plain, sft=f"{sft} --bf16 false")
    assert mixed.stages
    assert full.stages
    assert mixed.peak_gib != full.peak_gib


def test_keys_of_a_group_are_named_as_accelerate_names_them() -> None:
    data = {
        "distributed_type": "FSDP",
        "fsdp_config": {"auto_wrap_policy": "TRANSFORMER_BASED_WRAP", "offload_params": True},
        "parallelism_config": {"parallelism_config_dp_replicate_size": 2},
        "deepspeed_config": {"zero_stage": 3},
    }
    assert options_of(data) == {
        "use_fsdp": "true",
        "parallelism_config_dp_replicate_size": "2",
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_offload_params": "true",
    }


@pytest.mark.parametrize("name", ["$ROOT/conf/own.yaml", "$(dirname $0)/../conf/own.yaml"])
def test_a_file_below_a_folder_that_only_a_run_knows(name: str) -> None:
    made = estimated(ZERO.format(stage=3, device="none"), name=f'"{name}"')
    assert made.reason is None
    assert "ZeRO stage 3" in made.applied
    assert made.gpus == 4


def test_a_recipe_without_its_launcher_is_never_impossible() -> None:
    """open-r1's for a model of 24B is started with ZeRO-3 over all GPUs."""
    recipe = b"""\
model_name_or_path: mistralai/Mistral-Small-24B-Instruct-2501
dataset_name: a/b
max_length: 4096
bf16: true
torch_dtype: bfloat16
per_device_train_batch_size: 1
"""
    options = CheckOptions(place=InCheckout(Checkout({"sft.yaml": recipe})), device="h100")
    alone = estimate_script(ScriptFile(path="sft.yaml", data=recipe), options, gpus=8).estimate
    assert alone is not None
    assert alone.outcome == "likely OOM"
    assert "a launcher that divides nothing" in alone.assumptions
    line = b"accelerate launch --multi_gpu --num_processes 8 -m trl.scripts.sft --config sft.yaml\n"
    started = estimate_script(ScriptFile(path="run.sh", data=line), options, gpus=8).estimate
    assert started is not None
    assert started.outcome == "impossible"


@pytest.mark.parametrize(
    ("start", "gpus", "expected"),
    [("python", 8, True), ("python", 1, False), ("torchrun --nproc_per_node 8", 8, False)],
)
def test_python_alone_starts_one_process(start: str, gpus: int, expected: bool) -> None:
    script = ScriptFile(path="run.sh", data=f"{start} {SFT}\n".encode())
    made = estimate_script(script, CheckOptions(device="h100"), gpus=gpus).estimate
    assert made is not None
    assert made.reason is None
    clause = "the layers of the model over 8 GPUs"
    assert (clause in made.assumptions) is expected
