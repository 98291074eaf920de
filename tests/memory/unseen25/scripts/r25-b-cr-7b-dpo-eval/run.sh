python train.py --train-file data/dpo_train.jsonl --eval-file data/dpo_val.jsonl --sft-checkpoint runs/sft --condition filtered --output-dir runs/dpo_filtered
