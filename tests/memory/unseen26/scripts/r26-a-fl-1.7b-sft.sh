torchrun --standalone --nnodes=1 --nproc_per_node=2 -m verl.trainer.fsdp_sft_trainer \
    data.prompt_key=extra_info \
    data.response_key=extra_info \
    data.prompt_dict_keys=[question] \
    +data.response_dict_keys=[answer] \
    data.train_batch_size=16 \
    data.micro_batch_size_per_gpu=4 \
    data.max_length=2048 \
    model.partial_pretrain=Qwen/Qwen3-1.7B \
    model.enable_gradient_checkpointing=True \
    model.fsdp_config.model_dtype=bf16 \
    model.lora_rank=0 \
    optim.lr=1e-5 \
    optim.weight_decay=0.01 \
    trainer.total_epochs=3 \
    trainer.save_freq=100
