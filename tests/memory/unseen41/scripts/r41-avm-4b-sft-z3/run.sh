export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
cat > deepspeed_zero3.json <<'J'
{
  "train_batch_size": "auto",
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": "auto",
  "gradient_clipping": "auto",
  "steps_per_print": 100,
  "bf16": {"enabled": "auto"},
  "zero_optimization": {
    "stage": 3,
    "overlap_comm": true,
    "contiguous_gradients": true,
    "reduce_bucket_size": 50000000,
    "stage3_prefetch_bucket_size": 50000000,
    "stage3_param_persistence_threshold": 100000,
    "stage3_gather_16bit_weights_on_model_save": true
  },
  "wall_clock_breakdown": false
}
J
torchrun --standalone --nproc_per_node=4 train.py
