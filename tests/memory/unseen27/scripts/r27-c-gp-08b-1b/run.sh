export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
python train.py --model Qwen/Qwen3.5-0.8B-Base \
    --max_steps 800 \
    --num_generations 16 --per_device_train_batch_size 4 --grad_accum 32 \
    --generation_batch_size 1024 --max_completion_length 1024 \
    --use_vllm --vllm_gpu_memory_utilization 0.45 \
    --no_grad_ckpt --epsilon_high 0.28
