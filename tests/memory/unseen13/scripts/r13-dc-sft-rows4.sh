torchrun --standalone --nnodes=1 --nproc_per_node=2 -m verl.trainer.fsdp_sft_trainer \
    model.partial_pretrain=Qwen/Qwen2.5-1.5B \
    model.enable_gradient_checkpointing=True \
    data.train_batch_size=256 \
    data.micro_batch_size=8 \
    data.max_length=4096 \
    trainer.total_epochs=1
