python train.py --max-steps 1000 --lr 5e-6 --micro-batch 8 --vllm-mem 0.20
