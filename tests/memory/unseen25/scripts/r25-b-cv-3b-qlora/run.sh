cat > config.yaml <<'J'
model:
  name: "Qwen/Qwen2.5-3B-Instruct"
  load_in_4bit: true
lora:
  r: 16
  alpha: 16
  dropout: 0
  target_modules: [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj]
training:
  output_dir: "./llama-alpaca-finetune"
  max_steps: 100
  num_epochs: 100
  per_device_train_batch_size: 2
  gradient_accumulation_steps: 4
  learning_rate: 2.0e-4
  warmup_steps: 2
  lr_scheduler_type: "linear"
  optim: "adamw_8bit"
  weight_decay: 0.01
  logging_steps: 1
  save_steps: 10
  seed: 42
J
python train.py --config config.yaml
