python train.py --rloo_k 2 --batch_size 2
