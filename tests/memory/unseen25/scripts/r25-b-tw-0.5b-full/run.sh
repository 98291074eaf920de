python train.py --mode full --model_id Qwen/Qwen2.5-0.5B-Instruct --run_name full-0.5b
