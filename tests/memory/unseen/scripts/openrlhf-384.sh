deepspeed --module openrlhf.cli.train_dpo \
    --pretrain THUDM/glm-4-9b-chat \
    --train_batch_size 128 \
    --micro_train_batch_size 1 \
    --bf16 \
    --max_len 2048 \
    --zero_stage 3 \
    --beta 0.1 \
    --gradient_checkpointing \
    --dataset OpenRLHF/preference_dataset_mixture2_and_safe_pku
