python train.py --dataset AQA --model_context wrong_date_context --batch_size 16 --base_model gemma-1.1-2b-it --epochs 4
