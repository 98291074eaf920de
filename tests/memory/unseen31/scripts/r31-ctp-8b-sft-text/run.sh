export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
torchrun --standalone --nproc_per_node 2 train.py \
  --model-id Qwen/Qwen3-VL-8B-Instruct \
  --train-file sft_text_train.jsonl \
  --eval-file sft_text_eval.jsonl \
  --output-dir outputs/text_sft_lora \
  --train-mode text \
  --assistant-only-loss \
  --learning-rate 5e-5 \
  --lora-r 32 --lora-alpha 64 --lora-dropout 0.05 \
  --num-train-epochs 3 \
  --per-device-train-batch-size 1 \
  --per-device-eval-batch-size 1 \
  --gradient-accumulation-steps 8 \
  --save-steps 60 --eval-steps 60
