torchrun --nnodes=1 --standalone --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \
    data.max_length=16384 \
    data.train_batch_size=32 \
    data.multiturn.enable=true \
    data.multiturn.messages_key=messages \
    data.multiturn.tools_key=tools \
    data.micro_batch_size_per_gpu=4 \
    model.partial_pretrain=Qwen/Qwen2.5-32B-Instruct \
    model.strategy=fsdp \
    model.fsdp_config.model_dtype=fp32 \
    trainer.total_epochs=6 \
    ulysses_sequence_parallel_size=4 \
    use_remove_padding=true
