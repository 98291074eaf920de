python train.py --reward partial --init Qwen/Qwen2.5-Coder-1.5B-Instruct --out checkpoints/a3-partial
