deepspeed --num_gpus 3 --module openrlhf.cli.train_dpo \
    --train_batch_size 24 \
    --micro_train_batch_size 2 \
    --pretrain mistralai/Mistral-7B-Instruct-v0.2 \
    --ref_pretrain mistralai/Mistral-7B-Instruct-v0.2 \
    --bf16 \
    --max_len 512 \
    --zero_stage 3 \
    --gradient_checkpointing \
    --flash_attn
