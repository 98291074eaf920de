deepspeed --num_gpus 4 --module openrlhf.cli.train_dpo \
    --train_batch_size 4 \
    --micro_train_batch_size 1 \
    --pretrain meta-llama/Meta-Llama-3-8B-Instruct \
    --ref_pretrain meta-llama/Meta-Llama-3-8B-Instruct \
    --bf16 \
    --max_len 512 \
    --zero_stage 2 \
    --gradient_checkpointing \
    --flash_attn
