python train.py --rloo_k 4 --batch_size 4
