python train.py --mode lora --r 64 --alpha 128 --run_name lora_r64
