CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model Qwen/Qwen3-8B --tensor-parallel-size 1 --gpu-memory-utilization 0.9 --max-model-len 4096 --dtype bfloat16 &
CUDA_VISIBLE_DEVICES=1,2,3 accelerate launch --num_processes 3 --multi_gpu train.py --model_path Qwen/Qwen3-8B --max_steps 200
