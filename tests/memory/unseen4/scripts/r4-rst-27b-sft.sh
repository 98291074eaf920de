torchrun --nnodes=4 --nproc_per_node=8 -m verl.trainer.sft_trainer \
    data.train_batch_size=128 \
    data.max_length=32768 \
    data.use_dynamic_bsz=True \
    data.max_token_len_per_gpu=32768 \
    data.pad_mode=no_padding \
    model.path=Qwen/Qwen3.5-27B \
    model.use_liger=True \
    model.enable_gradient_checkpointing=True \
    engine.strategy=fsdp2 \
    engine.fsdp_size=-1 \
    engine.ulysses_sequence_parallel_size=8 \
    engine.optimizer_offload=True \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes=4
