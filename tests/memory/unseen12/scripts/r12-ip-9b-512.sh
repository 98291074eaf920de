deepspeed --num_gpus 4 --module openrlhf.cli.train_dpo \
    --train_batch_size 32 \
    --micro_train_batch_size 2 \
    --pretrain google/gemma-2-9b-it \
    --ref_pretrain google/gemma-2-9b-it \
    --bf16 \
    --max_len 512 \
    --zero_stage 3 \
    --gradient_checkpointing \
    --flash_attn
