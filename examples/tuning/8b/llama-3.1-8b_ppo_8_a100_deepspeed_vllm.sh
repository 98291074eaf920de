#!/usr/bin/env bash
# PPO with OpenRLHF: actor, critic, reward and reference share the eight GPUs with vLLM.
# openrlhf: 0.11.2
# tag: RECOMMENDED
set -euo pipefail

MODEL_PATH=${MODEL_PATH:-meta-llama/Llama-3.1-8B-Instruct}
REWARD_PATH=${REWARD_PATH:-OpenRLHF/Llama-3-8b-rm-700k}
: "${WANDB_API_KEY:?set it, or remove --logger.wandb.key}"

python3 -m openrlhf.cli.train_ppo_ray \
    --actor.num_nodes 1 \
    --actor.num_gpus_per_node 8 \
    --critic.num_nodes 1 \
    --critic.num_gpus_per_node 8 \
    --reward.num_nodes 1 \
    --reward.num_gpus_per_node 8 \
    --ref.num_nodes 1 \
    --ref.num_gpus_per_node 8 \
    --vllm.num_engines 4 \
    --vllm.tensor_parallel_size 2 \
    --vllm.gpu_memory_utilization 0.5 \
    --vllm.enable_sleep \
    --train.colocate_all \
    --actor.model_name_or_path "$MODEL_PATH" \
    --reward.model_name_or_path "$REWARD_PATH" \
    --data.prompt_dataset OpenRLHF/prompt-collection-v0.1 \
    --data.input_key context_messages \
    --data.apply_chat_template \
    --data.max_len 2048 \
    --rollout.batch_size 1024 \
    --rollout.n_samples_per_prompt 1 \
    --train.batch_size 128 \
    --train.dynamic_batch_enable \
    --train.max_tokens_per_gpu 16384 \
    --train.max_epochs 1 \
    --ds.zero_stage 3 \
    --ds.param_dtype bf16 \
    --ds.packing_samples \
    --ds.enable_sleep \
    --actor.gradient_checkpointing_enable \
    --actor.adam.lr 5e-7 \
    --critic.adam.lr 9e-6 \
    --algo.advantage.estimator gae \
    --algo.kl.init_coef 0.01 \
    --logger.wandb.key "$WANDB_API_KEY" \
    --logger.wandb.project rlbot-tuning \
    --logger.wandb.run_name llama-3.1-8b-ppo-8-a100
