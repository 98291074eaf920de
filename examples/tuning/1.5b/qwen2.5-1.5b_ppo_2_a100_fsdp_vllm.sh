#!/usr/bin/env bash
# PPO with a critic on GSM8K: settings in variables, batch sizes derived from the number of GPUs.
# verl: 0.9.1
# tag: RECOMMENDED
set -euo pipefail

MODEL_PATH=${MODEL_PATH:-Qwen/Qwen2.5-1.5B-Instruct}
DATA_DIR=${DATA_DIR:-$HOME/data/gsm8k}

nnodes=1
gpus_per_node=2
prompts_per_gpu=256
train_batch_size=$((prompts_per_gpu * gpus_per_node * nnodes))
mini_batch_size=$((train_batch_size / 4))
max_prompt_length=512
max_response_length=1024
tokens_per_gpu=$((4 * (max_prompt_length + max_response_length)))

PYTHONUNBUFFERED=1 python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=gae \
    data.train_files="$DATA_DIR/train.parquet" \
    data.val_files="$DATA_DIR/test.parquet" \
    data.train_batch_size=${train_batch_size} \
    data.max_prompt_length=${max_prompt_length} \
    data.max_response_length=${max_response_length} \
    data.filter_overlong_prompts=True \
    actor_rollout_ref.model.path="$MODEL_PATH" \
    actor_rollout_ref.model.use_remove_padding=True \
    actor_rollout_ref.model.enable_gradient_checkpointing=True \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.ppo_mini_batch_size=${mini_batch_size} \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=${tokens_per_gpu} \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.5 \
    critic.model.path="$MODEL_PATH" \
    critic.model.use_remove_padding=True \
    critic.model.enable_gradient_checkpointing=True \
    critic.optim.lr=1e-5 \
    critic.ppo_max_token_len_per_gpu=$((2 * tokens_per_gpu)) \
    trainer.critic_warmup=0 \
    trainer.logger='["console","wandb"]' \
    trainer.project_name=rlbot-tuning \
    trainer.experiment_name=qwen2.5-1.5b-ppo-2-a100 \
    trainer.n_gpus_per_node=${gpus_per_node} \
    trainer.nnodes=${nnodes} \
    trainer.save_freq=-1 \
    trainer.test_freq=10 \
    trainer.total_epochs=5 "$@"
