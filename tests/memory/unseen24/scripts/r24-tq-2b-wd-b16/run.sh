python train.py --dataset TQE --model_context wrong_date_context --batch_size 16 --base_model gemma-2b --epochs 6
