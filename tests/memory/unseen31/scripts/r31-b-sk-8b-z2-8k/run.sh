cat > /tmp/zero.yaml <<'YAML'
distributed_type: DEEPSPEED
num_machines: 1
num_processes: 8
mixed_precision: bf16
deepspeed_config:
  deepspeed_multinode_launcher: standard
  zero_stage: 2
  gradient_accumulation_steps: 2
  gradient_clipping: 1.0
  zero3_init_flag: false
  offload_optimizer_device: none
  offload_param_device: none
YAML
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
accelerate launch --config_file /tmp/zero.yaml train.py
