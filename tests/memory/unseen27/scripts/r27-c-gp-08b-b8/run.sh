python train.py --model Qwen/Qwen3.5-0.8B-Base \
    --num_generations 8 --per_device_train_batch_size 8 --grad_accum 4 \
    --max_completion_length 1024
