python train.py --beta 0.1 --load_in_4bit --model_id Qwen/Qwen2.5-7B-Instruct --sft_adapter_path outputs/sft-sft-qlora-7b --run_name dpo-qlora-7b
