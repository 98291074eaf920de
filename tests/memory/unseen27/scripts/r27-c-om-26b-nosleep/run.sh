export TOKENIZERS_PARALLELISM=false VLLM_SKIP_P2P_CHECK=0
torchrun --nproc_per_node 2 --standalone train.py \
  --model ManniX-ITA/gemma-4-A4B-98e-v7-coder-it \
  --pool pool.jsonl \
  --output outputs/grpo \
  --max-completion-len 8192 --grad-accum 32 --steps 4
