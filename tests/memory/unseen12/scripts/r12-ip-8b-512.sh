deepspeed --num_gpus 4 --module openrlhf.cli.train_dpo \
    --train_batch_size 32 \
    --micro_train_batch_size 2 \
    --pretrain meta-llama/Meta-Llama-3-8B-Instruct \
    --ref_pretrain meta-llama/Meta-Llama-3-8B-Instruct \
    --bf16 \
    --max_len 512 \
    --zero_stage 3 \
    --gradient_checkpointing \
    --flash_attn
