torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \
    data.train_files=train.parquet \
    data.val_files=val.parquet \
    data.prompt_key=prompt \
    data.response_key=output \
    data.micro_batch_size_per_gpu=1 \
    model.partial_pretrain=Qwen/Qwen2.5-14B-Instruct \
    trainer.total_epochs=4
