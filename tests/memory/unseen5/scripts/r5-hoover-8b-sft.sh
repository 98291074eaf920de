torchrun --standalone --nnodes=1 --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer \
    model.partial_pretrain=Qwen/Qwen3-8B \
    model.lora_rank=0 \
    data.train_batch_size=256 \
    data.micro_batch_size_per_gpu=1 \
    model.enable_gradient_checkpointing=True \
    model.strategy=fsdp2 \
    data.max_length=1024 \
    data.truncation=error
