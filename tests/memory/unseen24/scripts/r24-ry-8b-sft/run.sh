cat > SFT_config.yaml <<'J'
model_name: "meta-llama/Meta-Llama-3.1-8B-Instruct"
dataset_path: "."
max_length: 512
output_dir: "./results/llama-3.1-korean-8b-4-epoch"
report_to: "wandb"
learning_rate: 5e-5
lr_scheduler_type: "cosine_with_restarts"
lr_scheduler_kwargs:
  num_cycles: 3
num_train_epochs: 4
per_device_train_batch_size: 4
per_device_eval_batch_size: 4
gradient_accumulation_steps: 4
optim: "adamw_torch_fused"
logging_steps: 100
save_strategy: "epoch"
weight_decay: 0.01
max_grad_norm: 0.5
warmup_ratio: 0.03
bf16: true
tf32: true
gradient_checkpointing: true
packing: true
dataloader_num_workers: 4
dataset_kwargs:
  add_special_tokens: false
  append_concat_token: false
r: 64
lora_alpha: 32
lora_dropout: 0.05
bias: "none"
task_type: "CAUSAL_LM"
J
python train.py --config SFT_config.yaml
