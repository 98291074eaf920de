cat > ds_zero3.json <<'J'
{
  "bf16": {"enabled": true},
  "zero_optimization": {
    "stage": 3,
    "offload_optimizer": {"device": "cpu", "pin_memory": true},
    "offload_param": {"device": "cpu", "pin_memory": true},
    "overlap_comm": true,
    "contiguous_gradients": true,
    "reduce_bucket_size": "auto",
    "stage3_prefetch_bucket_size": "auto",
    "stage3_param_persistence_threshold": "auto",
    "sub_group_size": 1e9,
    "stage3_max_live_parameters": 1e9,
    "stage3_max_reuse_distance": 1e9,
    "stage3_gather_16bit_weights_on_model_save": true
  },
  "gradient_accumulation_steps": "auto",
  "gradient_clipping": "auto",
  "train_batch_size": "auto",
  "train_micro_batch_size_per_gpu": "auto"
}
J
cat > accelerate_ds3.yaml <<'Y'
compute_environment: LOCAL_MACHINE
deepspeed_config:
  deepspeed_config_file: ds_zero3.json
  zero3_init_flag: true
distributed_type: DEEPSPEED
num_machines: 1
num_processes: 4
Y
accelerate launch --config_file accelerate_ds3.yaml train.py --model_path Qwen/Qwen3-8B --max_steps 200
