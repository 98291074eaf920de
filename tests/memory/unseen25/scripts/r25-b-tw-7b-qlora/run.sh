python train.py --mode lora --r 64 --alpha 128 --load_in_4bit --model_id Qwen/Qwen2.5-7B-Instruct --run_name sft-qlora-7b
