cat > ds_config.json <<'J'
{
  "bf16": {"enabled": true},
  "zero_optimization": {"stage": 2},
  "gradient_accumulation_steps": "auto",
  "gradient_clipping": "auto",
  "train_batch_size": "auto",
  "train_micro_batch_size_per_gpu": "auto"
}
J
accelerate launch --multi_gpu --mixed_precision bf16 --num_machines 1 --num_processes 4 train.py \
    --model_name EleutherAI/pythia-6.9b \
    --dataset_name allenai/Dolci-Think-DPO-7B \
    --deepspeed ds_config.json \
    --max_samples 1000 \
    --beta 5.0 \
    --num_train_epochs 1 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 8 \
    --max_length 8192 \
    --max_prompt_length 4096 \
    --bf16 true \
    --gradient_checkpointing true \
    --dataloader_num_workers 4 \
    --use_liger_kernel false
