CUDA_VISIBLE_DEVICES=1 python train.py --model_name Qwen/Qwen2.5-7B-Instruct --dataset_path data/dpo_pairs.jsonl --output_dir data/finetuned/dpo --max_length 4864
