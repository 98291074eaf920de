export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
torchrun --standalone --nproc_per_node 2 train.py \
  --model-id Qwen/Qwen3-VL-8B-Instruct \
  --train-file sft_vlm_train.jsonl \
  --eval-file sft_vlm_eval.jsonl \
  --output-dir outputs/vlm_sft_lora \
  --train-mode vlm \
  --max-pixels 1003520 \
  --learning-rate 3e-5 \
  --num-train-epochs 2 \
  --per-device-train-batch-size 1 \
  --per-device-eval-batch-size 1 \
  --gradient-accumulation-steps 8 \
  --save-steps 60 --eval-steps 60
