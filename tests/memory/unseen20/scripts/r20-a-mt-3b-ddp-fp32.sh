accelerate launch --multi_gpu --mixed_precision bf16 --num_processes 8 -m trl.scripts.dpo \
    --dataset_name trl-lib/ultrafeedback_binarized \
    --model_name_or_path ibm-granite/granite-4.0-micro \
    --bf16 true \
    --learning_rate 5.0e-7 \
    --num_train_epochs 1 \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 8 \
    --max_steps 10 \
    --eval_strategy no
