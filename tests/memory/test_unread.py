"""Settings that move memory and that the model does not read make nothing impossible."""

from __future__ import annotations

import pytest

from bot.frameworks import Checkout, ScriptPlace, plans
from bot.memory.from_plan import workload_of
from bot.memory.readers.settings import NoEstimateError
from bot.memory.readers.unread import moves_memory
from bot.shell import read
from tests.memory.printed import component, printed

_GRPO = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo"
    " actor_rollout_ref.model.path=Qwen/Qwen2.5-7B data.train_batch_size=64"
    " data.max_prompt_length=512 data.max_response_length=512"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.gpu_memory_utilization=0.5 trainer.nnodes=1"
    " actor_rollout_ref.rollout.tensor_model_parallel_size=1"
)
_OPENRLHF = (
    "deepspeed --num_gpus 1 --module openrlhf.cli.train_sft --pretrain meta-llama/Llama-3.1-8B"
    " --max_len 1024 --micro_train_batch_size 1 --train_batch_size 8 --zero_stage 3"
)
_SFT = (
    "torchrun --standalone --nproc_per_node=4 -m verl.trainer.sft_trainer engine=megatron"
    " optim=megatron data.train_batch_size=16 data.micro_batch_size_per_gpu=1"
    " data.max_length=2048 data.pad_mode=no_padding model.use_remove_padding=True"
    " model.path=Qwen/Qwen3-30B-A3B engine.expert_model_parallel_size=4 trainer.nnodes=1"
)
_FULL = " +engine.override_transformer_config.recompute_granularity=full"


def _unread(launch: str) -> tuple[str, ...]:
    (plan,) = plans(read(launch.encode(), "x.sh"))
    return workload_of(plan, gpus=8).unread


@pytest.mark.parametrize("gpus", [1, 8])
def test_what_every_launch_sets_is_read(gpus: int) -> None:
    assert not _unread(f"{_GRPO} trainer.n_gpus_per_node={gpus}")


@pytest.mark.parametrize(
    "setting",
    [
        "actor_rollout_ref.actor.fsdp_config.param_offload=True",
        "actor_rollout_ref.actor.fsdp_config.offload_policy=True",
        "actor_rollout_ref.actor.entropy_checkpointing=True",
        "actor_rollout_ref.ref.fsdp_config.param_offload=True",
        "critic.fsdp.optimizer_offload=True",
        "actor_rollout_ref.actor.fsdp_config.grad_offload=True",
        "actor_rollout_ref.actor.megatron.param_offload=True",
        "actor_rollout_ref.rollout.enable_chunked_prefill=True",
        "actor_rollout_ref.model.tiled_mlp.enabled=False",
        "actor_rollout_ref.actor.fsdp_config.dtype=bfloat16",
        "trainer.default_local_dir=/offload",
        # Read whatever another switch says that has the last word.
        (
            "actor_rollout_ref.rollout.free_cache_engine=False"
            " +actor_rollout_ref.rollout.enable_sleep_mode=True"
        ),
        "distillation.teacher_models.teacher_model.inference.data_parallel_size=2",
    ],
)
def test_what_is_read_or_changes_nothing_is_not_named(setting: str) -> None:
    assert not _unread(f"{_GRPO} trainer.n_gpus_per_node=8 {setting}")


@pytest.mark.parametrize(
    "launch",
    [
        (
            "torchrun --nproc_per_node 1 -m trl.scripts.grpo --model_name_or_path Qwen/Qwen2.5-0.5B"
            " --max_completion_length 256 --use_vllm false --vllm_enable_sleep_mode true"
        ),
        (
            "torchrun --nproc_per_node 1 -m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-0.5B"
            " --max_length 256 --use_peft --use_bnb_nested_quant true"
        ),
        (
            "torchrun --nproc_per_node 1 -m verl.trainer.fsdp_sft_trainer data.max_length=512"
            " model.partial_pretrain=Qwen/Qwen2.5-7B data.micro_batch_size_per_gpu=2"
            " model.fsdp_config.offload_params=True"
        ),
    ],
)
def test_a_setting_of_what_is_off_changes_nothing(launch: str) -> None:
    assert not _unread(launch)
    assert not workload_of(*plans(read(launch.encode(), "x.sh")), gpus=1).unread


def test_what_is_not_read_is_said_where_it_fits() -> None:
    key = "actor_rollout_ref.actor.fsdp_config.mixed_precision.output_dtype"
    made = printed(f"{_GRPO} trainer.n_gpus_per_node=8 +{key}=fp8", "--device", "h100")
    assert made["outcome"] == "fits"
    assert f"not counted: {key}" in made["assumptions"]


@pytest.mark.parametrize("kind", ["reduce", "buffer"])
def test_what_gradients_are_reduced_in_is_small(kind: str) -> None:
    """A run out of memory had no prediction for the sake of both."""
    one = f"{_GRPO} trainer.n_gpus_per_node=1"
    key = f"actor_rollout_ref.actor.fsdp_config.mixed_precision.{kind}_dtype"
    assert printed(f"{one} +{key}=fp32", "--device", "rtx4090")["outcome"] == "impossible"


def test_nothing_is_impossible_beside_what_is_not_read() -> None:
    one = f"{_GRPO} trainer.n_gpus_per_node=1"
    assert printed(one, "--device", "rtx4090")["outcome"] == "impossible"
    key = "actor_rollout_ref.actor.fsdp_config.mixed_precision.output_dtype"
    made = printed(f"{one} +{key}=fp8", "--device", "rtx4090")
    assert made["outcome"] == "no prediction"
    assert made["reason"].startswith(f"{key} may lower the peak and is not modelled.")
    other = "actor_rollout_ref.actor.fsdp_config.mixed_precision.cast_dtype"
    made = printed(f"{one} +{key}=fp8 +{other}=fp8", "--device", "rtx4090")
    assert "may lower the peak and are not modelled. Without them" in made["reason"]
    assert key in made["reason"]
    assert other in made["reason"]


def test_an_option_of_a_fork_is_not_read_either() -> None:
    assert printed(_OPENRLHF, "--device", "h100")["outcome"] == "impossible"
    made = printed(f"{_OPENRLHF} --offload_everything", "--device", "h100")
    assert made["outcome"] == "no prediction"
    assert "offload_everything" in made["reason"]


_PRESET = (
    "accelerate launch --config_file {}.yaml --num_processes 4 -m trl.scripts.sft"
    " --model_name_or_path meta-llama/Llama-3.1-8B --max_length 1024"
    " --per_device_train_batch_size 1 --gradient_checkpointing true"
)


def test_a_preset_says_in_its_name_that_it_offloads() -> None:
    plain = printed(_PRESET.format("zero3"), "--device", "rtx3090")
    assert plain["outcome"] == "likely OOM"  # Never impossible: its name is no proof.
    assert "ZeRO or FSDP as the name of zero3.yaml says, which was not read" in plain["assumptions"]
    made = printed(_PRESET.format("zero3_offload"), "--device", "rtx3090")
    assert made["outcome"] == "fits"
    assert component(made, "optimizer", "optimizer") == 0
    assert made["host_gib"] > 100


def test_at_stage_2_it_offloads_the_optimizer_alone() -> None:
    made = printed(_PRESET.format("deepspeed_zero2_offload"), "--device", "rtx4090")
    assert component(made, "optimizer", "optimizer") == 0
    assert component(made, "optimizer", "weights") > 10


@pytest.mark.parametrize("name", ["zero2_no_offload", "zero2_nooffload"])
def test_a_preset_that_says_the_opposite_offloads_nothing(name: str) -> None:
    made = printed(_PRESET.format(name), "--device", "h200")
    assert component(made, "optimizer", "optimizer") > 10


def test_another_file_of_accelerate_is_not_read() -> None:
    made = printed(_PRESET.format("deepspeed_zero3_ours"), "--device", "rtx3090")
    assert made["outcome"] == "no prediction"
    assert "deepspeed_zero3_ours.yaml" in made["reason"]


def test_fine_tuning_on_megatron_reads_the_optimizer_on_the_host() -> None:
    options = ("--device", "a100")
    assert printed(_SFT + _FULL, *options)["outcome"] == "impossible"
    prefix = " +optim.override_optimizer_config"
    moved = (
        f"{prefix}.optimizer_cpu_offload=True{prefix}.optimizer_offload_fraction=1"
        f"{prefix}.use_precision_aware_optimizer=True"
    )
    made = printed(_SFT + _FULL + moved, *options)
    assert made["outcome"] == "fits"
    assert component(made, "optimizer", "optimizer") == 0
    # The host of four GPUs holds it instead, in fp32: two moments, a copy and a gradient.
    assert made["host_gib"] == pytest.approx(16 * 30.53e9 / 2**30, rel=0.01)


def test_what_verl_moves_of_an_optimizer_that_is_partly_on_the_host_is_not_known() -> None:
    def outcome(fraction: float, offload: bool) -> str:
        prefix = " +optim.override_optimizer_config."
        moved = f"{prefix}optimizer_cpu_offload=True{prefix}optimizer_offload_fraction={fraction}"
        moved += f"{prefix}use_precision_aware_optimizer=True"
        more = f" engine.optimizer_offload={offload}"
        return str(printed(_SFT + _FULL + moved + more, "--device", "a100")["outcome"])

    assert outcome(0.25, offload=True) == "no prediction"
    assert outcome(0.25, offload=False) == "impossible"
    assert outcome(0, offload=True) == "impossible"
    assert outcome(1, offload=True) == "fits"


_AWARE = "use_precision_aware_optimizer=True"


@pytest.mark.parametrize(
    ("settings", "share"),
    [
        (_AWARE, 10 / 12),
        (f"{_AWARE} exp_avg_dtype=bf16 exp_avg_sq_dtype=bf16", 6 / 12),
        # The fp32 copy that the host's is made from stays (linmumu009: 26.27 GiB, 19.6 without).
        ("optimizer_cpu_offload=True optimizer_offload_fraction=0.25", 10 / 12),
        ("optimizer_cpu_offload=True optimizer_offload_fraction=1", 4 / 12),
        (f"{_AWARE} optimizer_cpu_offload=True optimizer_offload_fraction=0.25", 7.5 / 12),
        ("optimizer_offload_fraction=0.25", 1.0),
    ],
)
def test_the_precision_of_megatrons_optimizer(settings: str, share: float) -> None:
    def optimizer(more: str) -> float:
        return component(printed(_SFT + more, "--device", "b200"), "optimizer", "optimizer")

    given = "".join(f" +optim.override_optimizer_config.{one}" for one in settings.split())
    assert optimizer(given) == pytest.approx(share * optimizer(""), abs=0.02)


def test_megatrons_gradients_in_16_bits() -> None:
    def gradients(more: str) -> float:
        return component(printed(_SFT + more, "--device", "b200"), "optimizer", "gradients")

    halved = gradients(" +engine.override_ddp_config.grad_reduce_in_fp32=False")
    assert halved == pytest.approx(gradients("") / 2, abs=0.02)


def test_layers_that_are_recomputed_in_groups_or_alone() -> None:
    def activations(more: str = "") -> float:
        launch = _SFT.replace("max_length=2048", "max_length=16384") + _FULL
        prefix = " +engine.override_transformer_config.recompute_"
        given = "".join(f"{prefix}{one}" for one in more.split())
        made = printed(launch + given, "--device", "b200")
        return component(made, "update", "activations")

    alone = activations("method=uniform num_layers=1")
    assert alone == activations()
    assert activations("method=block num_layers=48") == alone
    assert alone < activations("method=block num_layers=24")
    assert activations("method=block num_layers=24") < activations("method=block num_layers=4")
    assert alone < activations("method=uniform num_layers=16")


def test_modules_that_are_recomputed_in_layers_that_are_not() -> None:
    def activations(*more: str) -> float:
        config = " +engine.override_transformer_config."
        launch = _SFT.replace("max_length=2048", "max_length=16384")
        made = printed(launch + "".join(config + one for one in more), "--device", "b200")
        return component(made, "update", "activations")

    selective = "recompute_granularity=selective"
    kept = activations()
    assert activations(selective) == kept
    assert activations(selective, "recompute_modules=[core_attn]") == kept
    norms = activations(selective, "recompute_modules=[layernorm]")
    assert activations(selective, "recompute_modules=[moe_act,layernorm]") < norms < kept
    assert activations(selective, "recompute_modules=[moe]") < 0.6 * kept
    assert activations("recompute_modules=[moe]") == kept


@pytest.mark.parametrize(
    "key",
    [
        "actor_rollout_ref.actor.megatron.use_dist_checkpointing",
        "actor_rollout_ref.actor.checkpoint.async_save",
        "dataloader_pin_memory",
        "trainer.profiler.tool_config.precision_debugger",
        "data.shuffle",
        "hinter.min_zero_var_prompts",
        "learning_rate",
    ],
)
def test_names_that_say_nothing_of_memory(key: str) -> None:
    assert not moves_memory(key)


@pytest.mark.parametrize(
    "key",
    ["ds.adam_offload", "gradient_checkpointing", "load_in_4bit", "engine.reshard_after_forward"],
)
def test_names_that_do(key: str) -> None:
    assert moves_memory(key)


def test_layers_that_stay_whole_after_the_forward_pass() -> None:
    def whole(value: str) -> float:
        launch = (
            f"{_GRPO} trainer.n_gpus_per_node=8 actor_rollout_ref.actor.strategy=fsdp2"
            f" actor_rollout_ref.actor.fsdp_config.reshard_after_forward={value}"
        )
        return component(printed(launch, "--device", "h200"), "log-prob", "gathered weights")

    assert whole("False") == pytest.approx(2 * 7_615_616_512 / 2**30, rel=0.01)
    assert whole("True") < 3


def test_a_model_taken_for_another_is_never_impossible() -> None:
    launch = f"{_GRPO} trainer.n_gpus_per_node={{}}".replace(
        "Qwen/Qwen2.5-7B", "me/grpo-Qwen2.5-7B"
    )
    fits = printed(launch.format(8), "--device", "h100")
    assert fits["outcome"] == "fits"
    assert "me/grpo-Qwen2.5-7B taken for Qwen2.5-7B" in fits["assumptions"]
    made = printed(launch.format(1), "--device", "rtx4090")
    assert made["stages"][0]["floor_gib"] > made["usable_gib"]
    assert made["outcome"] == "likely OOM"
    assert "me/grpo-Qwen2.5-7B taken for Qwen2.5-7B" in made["assumptions"]


def test_veomni_is_fsdp2_with_settings_of_its_own() -> None:
    def weights(strategy: str, *settings: str) -> float:
        launch = f"{_GRPO} trainer.n_gpus_per_node=8 {strategy} {' '.join(settings)}"
        return component(printed(launch, "--device", "h100"), "log-prob", "weights")

    prefix = "actor_rollout_ref.actor.veomni"
    fsdp2 = weights("actor_rollout_ref.actor.strategy=fsdp2")
    assert fsdp2 > 0
    assert weights("model_engine=veomni") == fsdp2
    assert weights("model_engine=veomni", f"{prefix}.expert_parallel_size=4") == fsdp2
    halved = weights("model_engine=veomni", f"{prefix}.mixed_precision=False")
    assert halved == pytest.approx(fsdp2 / 2, abs=0.01)
    assert weights("model_engine=veomni", f"{prefix}.enable_fsdp_offload=True") == 0


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("zero3.yaml", False),
        ("examples/accelerate_configs/deepspeed_zero2.yaml", False),
        ("fsdp2.yaml", False),
        ("ds_zero3.json", True),
    ],
)
def test_a_file_of_accelerate_that_trl_does_not_ship_is_not_read(name: str, named: bool) -> None:
    unread = _unread(
        f"accelerate launch --config_file {name} --num_processes 8 -m trl.scripts.sft"
        " --model_name_or_path Qwen/Qwen3-8B --max_length 1024 --per_device_train_batch_size 1"
    )
    assert unread == ((f"--config_file {name}",) if named else ())


def test_a_program_with_settings_of_its_own_is_said_to_have_them() -> None:
    """NVlabs/Long-RL, a fork of EasyR1: `actor_rollout_ref.model.path` is none of its settings."""
    files = {
        "verl/trainer/main.py": b"c = OmegaConf.merge(OmegaConf.structured(Config()), cli)\n",
        "verl/trainer/config.py": b"@dataclass\nclass Config:\n    worker: str = ''\n",
    }
    place = ScriptPlace(Checkout(files), "run.sh")
    (plan,) = plans(read(b"python3 -m verl.trainer.main worker=a", "run.sh"), place=place)
    with pytest.raises(NoEstimateError, match=r"verl\.trainer\.main are its own"):
        workload_of(plan, gpus=8)


@pytest.mark.parametrize(
    ("given", "unread"),
    [
        ('{"use_reentrant": false}', False),
        ('{"use_reentrant": false, "every_n_layers": 2}', False),
        ('{"offload": true}', False),
        ('{"every_n_layers": 2, "offload": true}', True),
        ('{"every_n_layers": "2"}', True),
        ('{"use_reentrant": false, "determinism_check": "none"}', True),
        ("{use_reentrant: True}", True),
        ("[1]", True),
        ("early_stop", True),
    ],
)
def test_how_checkpoints_are_entered_moves_no_memory(given: str, *, unread: bool) -> None:
    launch = (
        "accelerate launch --num_processes 1 -m trl.scripts.sft --model_name_or_path "
        "Qwen/Qwen2.5-7B --max_length 1024 --per_device_train_batch_size 1 "
        f"--gradient_checkpointing true --gradient_checkpointing_kwargs '{given}'"
    )
    assert bool(_unread(launch)) is unread


def test_two_types_of_four_bits_are_as_wide() -> None:
    launch = (
        "accelerate launch --num_processes 1 -m trl.scripts.sft --model_name_or_path Qwen/Qwen3-8B"
        " --use_peft --load_in_4bit --max_length 1024 --bnb_4bit_quant_type"
    )
    assert not _unread(f"{launch} nf4")
    assert not _unread(f"{launch} fp4")
