cat > deepspeed_zero3.yaml <<'YAML'
distributed_type: DEEPSPEED
num_machines: 1
num_processes: 4
mixed_precision: bf16
deepspeed_config:
  deepspeed_multinode_launcher: standard
  offload_optimizer_device: none
  offload_param_device: none
  zero3_init_flag: true
  zero3_save_16bit_model: true
  zero_stage: 3
YAML
accelerate launch --config_file deepspeed_zero3.yaml --num_processes=4 train.py
