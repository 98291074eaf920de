python train.py --base Qwen/Qwen3-8B --epochs 2 --batch-size 2 --grad-accum 4
