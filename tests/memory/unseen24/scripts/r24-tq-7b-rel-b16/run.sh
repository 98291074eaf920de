python train.py --dataset TQE --model_context relevant_context --batch_size 16 --base_model gemma-1.1-7b-it --epochs 6
