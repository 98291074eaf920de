"""EasyR1's launches: its settings by verl's names, figures by hand."""

from __future__ import annotations

from typing import Any

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.frameworks import Checkout
from bot.report import Estimate

MAIN = b"c = OmegaConf.merge(OmegaConf.structured(PPOConfig()), OmegaConf.from_cli())\n"
CLASSES = b"""
class DataConfig:
    max_prompt_length: int = 512
    max_response_length: int = 512
    rollout_batch_size: int = 512
    image_key: str = "images"
class AlgorithmConfig:
    adv_estimator: str = "grpo"
    disable_kl: bool = False
class LoraConfig:
    rank: int = 0
    target_modules: str = "all-linear"
    exclude_modules: str | None = None
class ModelConfig:
    model_path: str | None = None
    enable_gradient_checkpointing: bool = True
    freeze_vision_tower: bool = False
    lora: LoraConfig = field(default_factory=LoraConfig)
class OptimConfig:
    strategy: str = "adamw"
class FSDPConfig:
    enable_full_shard: bool = True
    enable_cpu_offload: bool = False
    torch_dtype: str | None = None
    fsdp_size: int = -1
class OffloadConfig:
    offload_params: bool = False
    offload_optimizer: bool = False
class ActorConfig:
    strategy: str = "fsdp"
    global_batch_size: int = 256
    micro_batch_size_per_device_for_update: int = 4
    micro_batch_size_per_device_for_experience: int = 16
    padding_free: bool = True
    dynamic_batching: bool = True
    ulysses_size: int = 1
    model: ModelConfig = field(default_factory=ModelConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
    fsdp: FSDPConfig = field(default_factory=FSDPConfig)
    offload: OffloadConfig = field(default_factory=OffloadConfig)
class RefConfig:
    fsdp: FSDPConfig = field(default_factory=FSDPConfig)
    offload: OffloadConfig = field(default_factory=OffloadConfig)
class RolloutConfig:
    name: str = "vllm"
    n: int = 1
    dtype: str = "bf16"
    gpu_memory_utilization: float = 0.6
    tensor_parallel_size: int = 2
    max_model_len: int | None = None
class WorkerConfig:
    actor: ActorConfig = field(default_factory=ActorConfig)
    critic: ActorConfig = field(default_factory=ActorConfig)
    ref: RefConfig = field(default_factory=RefConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
class TrainerConfig:
    nnodes: int = 1
    n_gpus_per_node: int = 8
class PPOConfig:
    data: DataConfig = field(default_factory=DataConfig)
    worker: WorkerConfig = field(default_factory=WorkerConfig)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    trainer: TrainerConfig = field(default_factory=TrainerConfig)
"""
RECIPE = b"""
data: {max_prompt_length: 2048, max_response_length: 2048}
worker:
  actor:
    global_batch_size: 128
    micro_batch_size_per_device_for_update: 1
    micro_batch_size_per_device_for_experience: 2
  rollout: {n: 5, tensor_parallel_size: 1}
  ref: {fsdp: {enable_cpu_offload: true}}
"""
FILES = {
    "verl/trainer/main.py": MAIN,
    "verl/trainer/config.py": CLASSES,
    "examples/config.yaml": RECIPE,
}
SEVEN = "worker.actor.model.model_path=Qwen/Qwen2.5-7B-Instruct"
GIB = 2**30
B7 = 7_615_616_512


def estimate(*settings: str, config: str = "examples/config.yaml", **more: Any) -> Estimate:
    words = (f"config={config}", *settings)
    line = f"python3 -m verl.trainer.main {' '.join(words)}\n"
    options = CheckOptions(place=InCheckout(Checkout(FILES)), device="h100", **more)
    made = estimate_script(ScriptFile(path="run.sh", data=line.encode()), options).estimate
    assert made is not None
    return made


def parts(made: Estimate, stage: str) -> dict[str, float]:
    found = next(one for one in made.stages if one.stage == stage)
    return dict(found.components)


@pytest.mark.parametrize(
    ("settings", "config", "reason"),
    [
        ((SEVEN,), "other.yaml", "The settings of other.yaml (config) are not known: with that"),
        ((), "examples/config.yaml", "The model (worker.actor.model.model_path) is not known"),
        ((SEVEN, "worker.actor.optim.strategy=sgd"), "examples/config.yaml", "optimizer sgd is"),
        (
            (SEVEN, "worker.actor.micro_batch_size_per_device_for_update=0"),
            "examples/config.yaml",
            "worker.actor.micro_batch_size_per_device_for_update is 0, where a positive",
        ),
    ],
)
def test_what_is_missing_is_named_in_its_own_words(
    settings: tuple[str, ...], config: str, reason: str
) -> None:
    assert reason in (estimate(*settings, config=config).reason or "")


def test_a_model_that_is_not_known_has_the_shape_that_is_given() -> None:
    own = "worker.actor.model.model_path=/mnt/mine"
    assert "Give --model NAME" in (estimate(own).reason or "")
    given = estimate(own, model="Qwen/Qwen2.5-7B-Instruct")
    assert given.stages == estimate(SEVEN).stages
    assert any("/mnt/mine taken for Qwen2.5-7B" in one for one in given.assumptions)
    assert estimate(model="Qwen/Qwen2.5-7B-Instruct").stages == given.stages


def test_fp32_states_and_one_longest_sequence_a_pass() -> None:
    """4 bytes of a weight and a gradient and 8 of two moments, over eight GPUs; 4096 tokens of
    152,064 logits, a copy of each and a gradient: 8 bytes each."""
    update = parts(estimate(SEVEN), "update")
    assert update["weights"] == pytest.approx(B7 * 4 / 8 / GIB, abs=0.01)
    assert update["gradients"] == pytest.approx(B7 * 4 / 8 / GIB, abs=0.01)
    assert update["optimizer"] == pytest.approx(B7 * 8 / 8 / GIB, abs=0.01)
    assert update["logits"] == pytest.approx(4096 * 152_064 * 8 / GIB, abs=0.01)


def test_bf16_with_its_compensation() -> None:
    bf16 = ("worker.actor.fsdp.torch_dtype=bf16", "worker.actor.optim.strategy=adamw_bf16")
    update = parts(estimate(SEVEN, *bf16), "update")
    assert update["weights"] == pytest.approx(B7 * 2 / 8 / GIB, abs=0.01)
    assert update["optimizer"] == pytest.approx(B7 * 6 / 8 / GIB, abs=0.01)


def test_where_the_reference_is() -> None:
    """Layer by layer from the host, resident in bf16, loaded for its pass, or not there."""
    here = "worker.ref.fsdp.enable_cpu_offload=false"
    loaded = "worker.ref.offload.offload_params=true"

    def beside(*settings: str) -> float:
        return parts(estimate(SEVEN, *settings), "update").get("reference, idle", 0.0)

    assert beside() == beside(here, loaded) == 0
    assert beside(here) == pytest.approx(B7 * 2 / 8 / GIB, abs=0.01)
    stages = [one.stage for one in estimate(SEVEN, "algorithm.disable_kl=true").stages]
    assert stages.count("log-prob") == 1


def test_an_adapter_on_a_frozen_base_in_bf16() -> None:
    lora = estimate(SEVEN, "worker.actor.model.lora.rank=16")
    update = parts(lora, "update")
    # 40.4 million adapter parameters in fp32 beside the base in bf16.
    assert update["weights"] == pytest.approx((B7 * 2 + 40.4e6 * 4) / 8 / GIB, abs=0.02)
    assert update["optimizer"] == pytest.approx(40.4e6 * 8 / 8 / GIB, abs=0.02)


def test_modules_of_an_adapter_that_are_named() -> None:
    """a-rookie-create/EasyR1: to Hydra `q_proj,k_proj` is a sweep, to its program a list."""
    rank, modules = "worker.actor.model.lora.rank=64", "worker.actor.model.lora.target_modules"
    assert (estimate(SEVEN, rank, f"{modules}=q_proj,$OTHER").reason or "").startswith(modules)
    two = parts(estimate(SEVEN, rank, f"{modules}=q_proj,k_proj"), "update")
    # 28 layers, 64 rows of 3584 + 3584 and of 3584 + 512.
    assert two["optimizer"] == pytest.approx(28 * 64 * 11_264 * 8 / 8 / GIB, abs=0.01)


def test_gpus_that_only_running_counts_may_be_given() -> None:
    """a-rookie-create/EasyR1: `IFS=, read -ra G <<< "$GPU_IDS"`."""
    counted = "trainer.n_gpus_per_node=${#G[@]}"
    line = f"python3 -m verl.trainer.main config=examples/config.yaml {SEVEN} {counted}\n"
    script = ScriptFile(path="run.sh", data=f'read -ra G <<< "$IDS"\n{line}'.encode())
    options = CheckOptions(place=InCheckout(Checkout(FILES)), device="h100")
    assert "n_gpus_per_node" in (getattr(estimate_script(script, options).estimate, "reason", ""))
    given = estimate_script(script, options, gpus=2).estimate
    assert given is not None
    assert given.stages == estimate(SEVEN, "trainer.n_gpus_per_node=2").stages


def test_a_critic_comes_with_gae() -> None:
    own = ("algorithm.adv_estimator=gae", "worker.critic.model.model_path=Qwen/Qwen2.5-0.5B")
    assert "critic" not in {one.stage for one in estimate(SEVEN).stages}
    assert "critic" in {one.stage for one in estimate(SEVEN, *own).stages}


def test_rows_that_are_padded_have_no_entropy() -> None:
    """Every logit of the responses once more: 4 bytes each where none have a gradient."""
    padded = estimate(SEVEN, "worker.actor.padding_free=false", "worker.actor.dynamic_batching=0")
    logits = parts(padded, "log-prob")["logits"]
    assert logits == pytest.approx(2 * 4096 * 152_064 * 4 / GIB, abs=0.02)


def test_what_helps_is_named_in_its_own_words() -> None:
    helps = [
        one.setting for one in estimate(SEVEN, "worker.rollout.gpu_memory_utilization=0.2").options
    ]
    assert "worker.actor.offload.offload_optimizer=true" in helps
    assert not [one for one in helps if "actor_rollout_ref" in one]


def test_a_model_that_the_caller_names_is_asked_for_or_stood_in_for() -> None:
    """AMAP-ML/RISE: `worker.actor.model.model_path=$2`."""
    own = "worker.actor.model.model_path=$2"
    assert "with --args" in (estimate(own).reason or "")
    assert estimate(own, model="Qwen/Qwen2.5-7B-Instruct").stages == estimate(SEVEN).stages
    assert estimate(own, script_arguments=("a", "Qwen/Qwen2.5-7B-Instruct")).stages
