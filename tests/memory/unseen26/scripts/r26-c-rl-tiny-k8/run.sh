python train.py --rloo_k 8 --batch_size 8
