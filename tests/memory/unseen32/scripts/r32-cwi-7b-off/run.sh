cat > /tmp/zero3.yaml <<'YAML'
compute_environment: LOCAL_MACHINE
deepspeed_config:
  deepspeed_multinode_launcher: standard
  offload_optimizer_device: cpu
  offload_param_device: cpu
  zero3_init_flag: true
  zero3_save_16bit_model: true
  zero_stage: 3
  overlap_comm: true
  gradient_clip: 1
distributed_type: DEEPSPEED
downcast_bf16: 'auto'
mixed_precision: 'bf16'
num_machines: 1
YAML
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
accelerate launch --config_file /tmp/zero3.yaml --num_processes 8 --gradient_accumulation_steps 128 train.py
