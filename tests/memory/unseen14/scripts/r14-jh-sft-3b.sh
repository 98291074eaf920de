torchrun --standalone --nnodes=1 --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer \
    data.train_batch_size=32 \
    data.micro_batch_size_per_gpu=4 \
    data.max_length=16384 \
    data.multiturn.enable=True \
    model.partial_pretrain=Qwen/Qwen2.5-3B-Instruct \
    model.enable_gradient_checkpointing=True \
    model.strategy=fsdp \
    ulysses_sequence_parallel_size=4 \
    use_remove_padding=True
