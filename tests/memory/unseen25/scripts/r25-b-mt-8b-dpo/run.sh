cat > defender.yaml <<'J'
agent:
  model_name: "Qwen/Qwen3-8B"
  quantization:
    load_in_4bit: true
    bnb_4bit_compute_dtype: "float16"
    bnb_4bit_quant_type: "nf4"
    bnb_4bit_use_double_quant: true
  lora:
    rank: 16
    alpha: 32
    dropout: 0.05
    target_modules: [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj]
sft:
  num_epochs: 3
  learning_rate: 5.0e-6
  per_device_train_batch_size: 1
  gradient_accumulation_steps: 8
  max_seq_length: 2048
  max_grad_norm: 0.3
  warmup_ratio: 0.1
  save_steps: 200
  logging_steps: 10
dpo:
  num_epochs: 1
  learning_rate: 5.0e-7
  beta: 0.1
  per_device_train_batch_size: 1
  gradient_accumulation_steps: 8
  max_length: 2048
  save_steps: 200
  logging_steps: 10
J
python train.py --config defender.yaml --sft-checkpoint experiments/sft_checkpoint
