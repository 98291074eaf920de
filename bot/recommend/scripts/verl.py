"""A script of verl's PPO trainer, with FSDP and vLLM.

The settings are those of `verl/trainer/config/ppo_trainer.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.recommend.ladder import first_micro
from bot.recommend.request import Way, Wish
from bot.recommend.scripts.parts import command, head, run_name

_A, _M, _R, _C = (
    "actor_rollout_ref.actor",
    "actor_rollout_ref.model",
    "actor_rollout_ref.rollout",
    "critic",
)


def script(wish: Wish, way: Way, device: str, release: str) -> str:
    """The whole script."""
    lines = [
        *head(wish, way, device, release),
        'DATA_DIR=${DATA_DIR:-"$HOME/data/gsm8k"}',
        "",
        *command("python3 -m verl.trainer.main_ppo", list(_settings(wish, way, device))),
    ]
    return "\n".join(lines)


def _settings(wish: Wish, way: Way, device: str) -> Iterator[str]:
    critic, adapter = wish.task == "ppo", wish.method != "full"
    micro = way.value("micro", first_micro(wish, way.gpus))
    sequence = way.value("sequence", 1)
    offload, checkpointing = "offload" in way.on, "checkpointing" in way.on
    yield f"algorithm.adv_estimator={'gae' if critic else wish.task}"
    yield f"algorithm.use_kl_in_reward={critic}"
    yield 'data.train_files="$DATA_DIR/train.parquet"'
    yield 'data.val_files="$DATA_DIR/test.parquet"'
    yield f"data.train_batch_size={wish.batch}"
    yield f"data.max_prompt_length={wish.prompt}"
    yield f"data.max_response_length={wish.response}"
    yield "data.filter_overlong_prompts=True"
    yield "data.truncation=error"
    yield f'{_M}.path="$MODEL_PATH"'
    yield f"{_M}.use_remove_padding=True"
    yield f"{_M}.enable_gradient_checkpointing={checkpointing}"
    if adapter:
        yield f"{_M}.lora_rank={wish.rank}"
        yield f"{_M}.lora_alpha={wish.rank}"
        yield f"{_M}.target_modules=all-linear"
    yield f"{_A}.optim.lr={'3e-5' if adapter else '1e-6'}"
    yield f"{_A}.ppo_mini_batch_size={wish.batch}"
    yield f"{_A}.ppo_micro_batch_size_per_gpu={micro}"
    yield f"{_A}.use_kl_loss={not critic}"
    if not critic:
        yield f"{_A}.kl_loss_coef=0.001"
        yield f"{_A}.kl_loss_type=low_var_kl"
    yield f"{_A}.entropy_coeff=0"
    if sequence > 1:
        yield f"{_A}.ulysses_sequence_parallel_size={sequence}"
    if "bf16" in way.on:
        yield f"{_A}.fsdp_config.model_dtype=bf16"
    yield f"{_A}.fsdp_config.param_offload={offload}"
    yield f"{_A}.fsdp_config.optimizer_offload={offload}"
    yield f"{_R}.name=vllm"
    yield f"{_R}.tensor_model_parallel_size={way.value('tensor', 1)}"
    yield f"{_R}.gpu_memory_utilization={way.share}"
    yield f"{_R}.n={wish.responses}"
    if adapter:
        yield f"{_R}.load_format=safetensors"
    yield f"{_R}.log_prob_micro_batch_size_per_gpu={micro}"
    yield f"actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu={micro}"
    if not adapter:
        yield f"actor_rollout_ref.ref.fsdp_config.param_offload={'ref-offload' in way.on}"
    if critic:
        yield f'{_C}.model.path="$MODEL_PATH"'
        yield f"{_C}.model.use_remove_padding=True"
        yield f"{_C}.model.enable_gradient_checkpointing={checkpointing}"
        yield f"{_C}.optim.lr=1e-5"
        yield f"{_C}.ppo_micro_batch_size_per_gpu={micro}"
        if sequence > 1:
            yield f"{_C}.ulysses_sequence_parallel_size={sequence}"
        yield f"{_C}.fsdp.param_offload={offload}"
        yield f"{_C}.fsdp.optimizer_offload={offload}"
    yield "trainer.critic_warmup=0"
    yield """trainer.logger='["console","wandb"]'"""
    yield "trainer.project_name=rlbot-tuning"
    yield f"trainer.experiment_name={run_name(wish, way, device)}"
    yield f"trainer.n_gpus_per_node={way.per_node}"
    yield f"trainer.nnodes={way.nodes}"
    yield "trainer.save_freq=-1"
    yield "trainer.test_freq=5"
    yield "trainer.total_epochs=1"
