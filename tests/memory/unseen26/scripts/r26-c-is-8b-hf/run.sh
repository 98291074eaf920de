cat > accelerate_grpo.yaml <<'Y'
compute_environment: LOCAL_MACHINE
debug: false
deepspeed_config:
  offload_optimizer_device: none
  offload_param_device: none
  zero3_init_flag: true
  zero3_save_16bit_model: true
  zero_stage: 3
distributed_type: DEEPSPEED
downcast_bf16: 'no'
mixed_precision: bf16
num_machines: 1
num_processes: 4
Y
accelerate launch --config_file accelerate_grpo.yaml train.py --model_path Qwen/Qwen3-8B --max_steps 200
