torchrun --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \
    data.train_files=train.parquet \
    data.val_files=train.parquet \
    data.max_length=16384 \
    data.train_batch_size=32 \
    data.micro_batch_size_per_gpu=4 \
    data.multiturn.enable=true \
    data.multiturn.messages_key=messages \
    data.multiturn.tools_key=tools \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct \
    model.strategy=fsdp \
    model.fsdp_config.model_dtype=bf16 \
    model.fsdp_config.cpu_offload=True \
    model.fsdp_config.offload_params=True \
    ulysses_sequence_parallel_size=2 \
    use_remove_padding=true \
    trainer.total_epochs=6
