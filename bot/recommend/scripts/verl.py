"""Scripts of verl: its PPO trainer with FSDP or Megatron, and vLLM; fine-tuning under torchrun.

The settings are those of `ppo_trainer.yaml`, `model_engine/megatron.yaml` and
`sft_trainer_engine.yaml` in `verl/trainer/config`, and of verl's examples of large models. With
Megatron everything that saves memory is on: such a model leaves little.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.devices import Device, Vendor
from bot.recommend.megatron import last_stage
from bot.recommend.options import micro_batch
from bot.recommend.request import Candidate, MegatronLayout, Request
from bot.recommend.scripts.parts import command, head, run_name

_A, _M, _C = "actor_rollout_ref.actor", "actor_rollout_ref.model", "critic"
_ESTIMATORS = {
    "ppo": "gae",
    "dapo": "grpo",
    "gspo": "grpo",
    "cispo": "grpo",
    "reinforce-plus-plus": "reinforce_plus_plus",
}
"""What verl calls the way in which a task values a response."""
_LOSSES = {
    "dapo": ("clip_ratio_low=0.2", "clip_ratio_high=0.28", "loss_agg_mode=token-mean"),
    "gspo": (
        "policy_loss.loss_mode=gspo",
        "clip_ratio_low=3e-4",
        "clip_ratio_high=4e-4",
        "loss_agg_mode=seq-mean-token-mean",
    ),
    "cispo": ("policy_loss.loss_mode=cispo", "clip_ratio_low=10", "clip_ratio_high=0.2"),
}


def script(request: Request, candidate: Candidate, device: Device, release: str) -> str:
    """The whole script."""
    data = "prompts" if request.online else "conversations"
    lines = head(request, candidate, device, release)
    lines.append(f'DATA_DIR=${{DATA_DIR:-"$HOME/data/{data}"}}')
    start = "python3 -m verl.trainer.main_ppo"
    if candidate.layout is not None:
        lines.append("export CUDA_DEVICE_MAX_CONNECTIONS=1")
        start += " model_engine=megatron"
        settings = _megatron(request, candidate, candidate.layout, device)
    elif request.online:
        settings = _ppo(request, candidate, device)
    else:
        start = _torchrun(candidate)
        settings = _fine_tuning(request, candidate, device)
    return "\n".join([*lines, "", *command(start, list(settings))])


def _torchrun(candidate: Candidate) -> str:
    start = "torchrun --standalone --nnodes=1"
    if candidate.nodes > 1:
        meet = '"${MASTER_ADDR:?the address of the first node}:29500"'
        start = f"torchrun --nnodes={candidate.nodes} --rdzv_backend=c10d --rdzv_endpoint={meet}"
    return f"{start} --nproc_per_node={candidate.per_node} -m verl.trainer.sft_trainer"


def _ppo(request: Request, candidate: Candidate, device: Device) -> Iterator[str]:
    critic, adapter = request.task == "ppo", request.method != "full"
    micro = micro_batch(request, candidate)
    sequence = candidate.value("sequence", 1)
    offload, checkpointing = "offload" in candidate.on, "checkpointing" in candidate.on
    yield from _online(request)
    yield f"{_M}.use_remove_padding=True"
    yield f"{_M}.enable_gradient_checkpointing={checkpointing}"
    yield from _adapter(request, _M)
    yield f"{_A}.optim.lr={'3e-5' if adapter else '1e-6'}"
    yield f"{_A}.ppo_mini_batch_size={request.batch}"
    yield f"{_A}.ppo_micro_batch_size_per_gpu={micro}"
    yield from _loss(request)
    if device.vendor is Vendor.ASCEND:  # As verl's examples for it have it.
        yield f"{_A}.use_torch_compile=False"
        yield f"{_A}.entropy_from_logits_with_chunking=True"
    if sequence > 1:
        yield f"{_A}.fsdp_config.ulysses_sequence_parallel_size={sequence}"
        if not adapter:
            yield f"actor_rollout_ref.ref.fsdp_config.ulysses_sequence_parallel_size={sequence}"
    if "bf16" in candidate.on:
        yield f"{_A}.fsdp_config.model_dtype=bf16"
    yield f"{_A}.fsdp_config.param_offload={offload}"
    yield f"{_A}.fsdp_config.optimizer_offload={offload}"
    yield from _rollout(request, candidate)
    if critic:
        yield from _critic(request, candidate)
    yield "trainer.critic_warmup=0"
    yield from _trainer(request, candidate, device)


def _critic(request: Request, candidate: Candidate) -> Iterator[str]:
    """The critic: adapted where the actor is, and divided and offloaded as the actor."""
    sequence = candidate.value("sequence", 1)
    offload, checkpointing = "offload" in candidate.on, "checkpointing" in candidate.on
    micro = micro_batch(request, candidate)
    yield f'{_C}.model.path="$MODEL_PATH"'
    yield f"{_C}.model.use_remove_padding=True"
    yield from _adapter(request, f"{_C}.model")
    if "bf16" in candidate.on:
        yield f"{_C}.fsdp.model_dtype=bf16"
    yield f"{_C}.model.enable_gradient_checkpointing={checkpointing}"
    yield f"{_C}.optim.lr=1e-5"
    yield f"{_C}.ppo_micro_batch_size_per_gpu={micro}"
    if sequence > 1:
        yield f"{_C}.fsdp.ulysses_sequence_parallel_size={sequence}"
    yield f"{_C}.fsdp.param_offload={offload}"
    yield f"{_C}.fsdp.optimizer_offload={offload}"


def _megatron(
    request: Request, candidate: Candidate, layout: MegatronLayout, device: Device
) -> Iterator[str]:
    micro = micro_batch(request, candidate)
    yield from _online(request)
    yield f"{_A}.optim.lr=1e-6"
    if "cpu-optimizer" in candidate.on:
        optimizer = f"+{_A}.optim.override_optimizer_config"
        yield f"{optimizer}.optimizer_cpu_offload=True"
        yield f"{optimizer}.optimizer_offload_fraction=1.0"
        yield f"{optimizer}.overlap_cpu_optimizer_d2h_h2d=True"
        yield f"{optimizer}.use_precision_aware_optimizer=True"
    yield f"{_A}.ppo_mini_batch_size={request.batch}"
    yield f"{_A}.ppo_micro_batch_size_per_gpu={micro}"
    yield from _loss(request)
    for role in ("actor", "ref"):
        yield from _layout(request, layout, f"actor_rollout_ref.{role}.megatron")
    offload = "offload" in candidate.on
    yield f"{_A}.megatron.param_offload={offload}"
    yield f"{_A}.megatron.optimizer_offload={offload}"
    yield f"actor_rollout_ref.ref.megatron.param_offload={offload}"
    if "checkpointing" in candidate.on:
        transformer = f"+{_A}.megatron.override_transformer_config"
        yield f"{transformer}.recompute_granularity=full"
        yield f"{transformer}.recompute_method=uniform"
        yield f"{transformer}.recompute_num_layers=1"
    yield from _rollout(request, candidate)
    yield "trainer.critic_warmup=0"
    yield from _trainer(request, candidate, device)


def _layout(request: Request, layout: MegatronLayout, below: str) -> Iterator[str]:
    yield f"{below}.tensor_model_parallel_size={layout.tensor}"
    yield f"{below}.pipeline_model_parallel_size={layout.pipeline}"
    if request.model.shape.experts:
        yield f"{below}.expert_model_parallel_size={layout.expert}"
        yield f"{below}.expert_tensor_parallel_size=1"
    layers = request.model.shape.layers
    last = last_stage(layers, layout.pipeline)
    if last != layers // layout.pipeline and below.endswith("actor.megatron"):
        yield f"+{below}.override_transformer_config.num_layers_in_last_pipeline_stage={last}"


def _fine_tuning(request: Request, candidate: Candidate, device: Device) -> Iterator[str]:
    adapter, offload = request.method != "full", "offload" in candidate.on
    yield 'data.train_files="$DATA_DIR/train.parquet"'
    yield 'data.val_files="$DATA_DIR/test.parquet"'
    yield f"data.train_batch_size={request.batch}"
    yield f"data.max_length={request.prompt + request.response}"
    yield "data.use_dynamic_bsz=False"
    yield f"data.micro_batch_size_per_gpu={micro_batch(request, candidate)}"
    yield 'model.path="$MODEL_PATH"'
    yield "model.use_remove_padding=True"
    yield f"model.enable_gradient_checkpointing={'checkpointing' in candidate.on}"
    yield from _adapter(request, "model")
    if "bf16" in candidate.on:
        yield "engine.model_dtype=bf16"
    if offload:
        yield "engine.strategy=fsdp2"
        yield "engine.offload_policy=True"
    if candidate.value("sequence", 1) > 1:
        yield f"engine.ulysses_sequence_parallel_size={candidate.value('sequence', 1)}"
    yield f"optim.lr={'1e-4' if adapter else '1e-5'}"
    yield from _trainer(request, candidate, device)


def _online(request: Request) -> Iterator[str]:
    """The algorithm, the data and the model of verl's PPO trainer."""
    critic = request.task == "ppo"
    yield f"algorithm.adv_estimator={_ESTIMATORS.get(request.task, request.task)}"
    yield f"algorithm.use_kl_in_reward={critic}"
    yield 'data.train_files="$DATA_DIR/train.parquet"'
    yield 'data.val_files="$DATA_DIR/test.parquet"'
    yield f"data.train_batch_size={request.batch}"
    yield f"data.max_prompt_length={request.prompt}"
    yield f"data.max_response_length={request.response}"
    yield "data.filter_overlong_prompts=True"
    yield "data.truncation=error"
    if request.images:
        yield "data.image_key=images"
    yield 'actor_rollout_ref.model.path="$MODEL_PATH"'


def _adapter(request: Request, model: str) -> Iterator[str]:
    """The adapter of a model; nothing for full training."""
    if request.method != "full":
        yield f"{model}.lora_rank={request.rank}"
        yield f"{model}.lora_alpha={request.rank}"
        yield f"{model}.target_modules=all-linear"


def _loss(request: Request) -> Iterator[str]:
    """The actor's loss: whether it holds to a reference, and how it clips and averages.

    Those of DAPO, GSPO and CISPO are the ones of verl's examples of them.
    """
    has_reference = request.task not in ("ppo", *_LOSSES)
    yield f"{_A}.use_kl_loss={has_reference}"
    if has_reference:
        yield f"{_A}.kl_loss_coef=0.001"
        yield f"{_A}.kl_loss_type=low_var_kl"
    for setting in _LOSSES.get(request.task, ()):
        yield f"{_A}.{setting}"
    yield f"{_A}.entropy_coeff=0"


def _rollout(request: Request, candidate: Candidate) -> Iterator[str]:
    """The engine of verl, and how many sequences are scored at once."""
    rollout, micro = "actor_rollout_ref.rollout", micro_batch(request, candidate)
    yield f"{rollout}.name=vllm"
    yield f"{rollout}.tensor_model_parallel_size={candidate.value('tensor', 1)}"
    yield f"{rollout}.gpu_memory_utilization={candidate.share}"
    yield f"{rollout}.n={request.responses}"
    if request.method != "full":
        yield f"{rollout}.load_format=safetensors"
        yield f"{rollout}.layered_summon=True"
    yield f"{rollout}.log_prob_micro_batch_size_per_gpu={micro}"
    yield f"actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu={micro}"


def _trainer(request: Request, candidate: Candidate, device: Device) -> Iterator[str]:
    """The settings `trainer.*` of both of verl's trainers."""
    yield """trainer.logger='["console","wandb"]'"""
    yield "trainer.project_name=rlbot-tuning"
    yield f"trainer.experiment_name={run_name(request, candidate, device)}"
    if device.vendor is Vendor.ASCEND:
        yield "trainer.device=npu"
    yield f"trainer.n_gpus_per_node={candidate.per_node}"
    yield f"trainer.nnodes={candidate.nodes}"
    yield "trainer.save_freq=-1"
    yield "trainer.test_freq=5"
    yield "trainer.total_epochs=1"
