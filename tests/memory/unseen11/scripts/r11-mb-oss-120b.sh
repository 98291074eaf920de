torchrun --nnodes=4 --nproc_per_node=8 -m verl.trainer.sft_trainer \
    engine=megatron \
    optim=megatron \
    data.train_batch_size=512 \
    data.micro_batch_size_per_gpu=1 \
    data.max_length=4096 \
    data.use_dynamic_bsz=True \
    data.max_token_len_per_gpu=4096 \
    data.pad_mode=no_padding \
    model.path=openai/gpt-oss-120b \
    model.use_remove_padding=True \
    engine.tensor_model_parallel_size=2 \
    engine.pipeline_model_parallel_size=4 \
    engine.expert_model_parallel_size=8 \
    engine.expert_tensor_parallel_size=1 \
    model.enable_gradient_checkpointing=False \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes=4
