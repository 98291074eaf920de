python train.py --base Qwen/Qwen3-8B --epochs 2 --batch-size 1 --grad-accum 8
