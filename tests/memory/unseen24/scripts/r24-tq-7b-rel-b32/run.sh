python train.py --dataset TQE --model_context relevant_context --batch_size 32 --base_model gemma-1.1-7b-it --epochs 6
