torchrun --standalone --nnodes=1 --nproc_per_node=1 -m verl.trainer.fsdp_sft_trainer \
    data.train_files=train.parquet \
    data.val_files=val.parquet \
    data.prompt_key=prompt \
    data.response_key=response \
    data.max_length=4096 \
    data.truncation=right \
    data.train_batch_size=64 \
    data.micro_batch_size=4 \
    model.partial_pretrain=Qwen/Qwen2.5-3B-Instruct \
    model.enable_gradient_checkpointing=True
