"""Flags, keys and lines of a scheduler, as people paste them."""

from __future__ import annotations

from bot.recommend.spellings.spelling import Spelling, left_out

_KEYS = (
    r"model|base_model|model[_-](?:name|path)|model_name_or_path|pretrain|task|train_type|tuner_type"
    r"|algo(?:rithm)?|advantage_estimator|module|gpu(?:_type)?|device"
)
"""Keys whose values are words of a question by themselves."""
FLAGS = (
    Spelling(r"(?:^|\n)[ \t]{0,8}(?:\d{1,2}[.)]|[*\u2022-])\s", "\n", "- 4xA100", "\n4xA100"),
    left_out(
        r"(?<![\w.])\+{0,2}(?:data|algorithm|trainer"
        r"|actor_rollout_ref(?:\.(?:actor|rollout|model|ref))?|actor|rollout)\.(?=[a-z])",
        "data.max_prompt_length=1024",
        "max_prompt_length=1024",
    ),
    Spelling(
        r"(?:#sbatch\s)?-{0,2}\bgres=gpu:([a-z][\w-]{1,20}):(\d{1,3})\b"
        r"|(?<![\w:])([a-z]{1,3}\d{2,4}[\w-]{0,12}):(\d{1,3})(?![\w:.])",
        r" \2\4x\1\3 ",
        "--gres=gpu:a100:4",
        " 4xa100 ",
    ),
    Spelling(
        r"(?<![\w.-])-{0,2}(?:(?:num[_-]?gpus?|n[_-]?gpus?|gpus?[_-]?count|nproc[_-]per[_-]node"
        r"|(?:n[_-])?gpus[_-]per[_-]node)[\s:=\"']{1,4}|(?:gpus|count|quantity)\s?[:=]\s?|(?<=--)gpus\s)"
        r"(\d{1,4})(?![\w.])",
        r" \1 gpus ",
        "--nproc_per_node=8",
        " 8 gpus ",
    ),
    Spelling(
        r"(?<![\w.-])-{0,2}(?:(?:num[_-]?)?nodes[:=]\s?|nnodes[\s=:]{1,2})(\d{1,4})(?![\w.])",
        r" nodes=\1_ ",
        "--nodes=2",
        " nodes=2_ ",
    ),
    Spelling(r"(?<![\w-])--lora_(?:r|rank)[\s=](?=\d)", "rank=", "--lora_r 16", "rank=16"),
    left_out(r"(?<![\w-])--config_file[\s=]\S{1,80}", "--config_file zero3.yaml"),
    Spelling(
        r"(?<![\w-])--(?:ref_|actor_|critic_|reward_)?num_gpus_per_node[\s=](\d{1,3})\b",
        r" \1 gpus ",
        "--actor_num_gpus_per_node 8",
        " 8 gpus ",
    ),
    Spelling(
        r"(?<![\w-])--rollout_batch_size[\s=](?=\d)",
        "batch=",
        "--rollout_batch_size 512",
        "batch=512",
    ),
    Spelling(
        r"(?<![\w-])--(?:micro_\w{1,30}|per_device_\w{1,10}_)batch_size[\s=](?=\d)",
        "micro-batch=",
        "--micro_train_batch_size 2",
        "micro-batch=2",
    ),
    Spelling(
        r"(?<![\w-])--((?:train_batch_size|zero_stage|num_episodes|gradient_accumulation_steps|num_train_epochs"
        r"|max_epochs|lora_(?:alpha|dropout)|(?:actor_|critic_)?learning_rate|\w{1,30}_coef|vllm_\w{1,30})"
        r")[\s=]([\d.]{1,9}(?:e-?\d\d?)?)(?!\w)",
        r"left=\1=\2",
        "--zero_stage 3",
        "left=zero_stage=3",
    ),
    Spelling(
        r"(?<![\w-])--(?:(actor)|ref|critic|reward)_num_nodes[\s=](\d{1,3})\b",
        lambda found: f" nodes={found[2]}_ " if found[1] else " ",
        "--actor_num_nodes 2 --ref_num_nodes 2",
        " nodes=2_   ",
    ),
    Spelling(
        rf"(?:(?<![\w.-])-{{0,2}}(?:path|adv_estimator|hardware|{_KEYS})[:=]\s?|(?<![\w-])--(?:{_KEYS})\s)"
        r"(?=[\w\"'/])",
        " ",
        "--model Qwen3-8B --task=grpo",
        " Qwen3-8B  grpo",
    ),
    Spelling(
        r"(?<!\w)-{0,2}(?:(?P<prompt>(?:max[_-])?prompt[_-](?:max[_-])?len(?:gth)?)"
        r"|(?P<response>(?:max[_-])?(?:response|completion)[_-]len(?:gth)?|max[_-]new[_-]tokens"
        r"|generate_max_len)|(?P<context>max[_-](?:model|seq(?:uence)?)[_-]len(?:gth)?)"
        r"|(?P<length>(?:max|cutoff|seq)_len(?:gth)?))[\s=:\"']{1,4}(?=\d)",
        lambda found: f"{found.lastgroup}=",
        "--max_prompt_length 1024",
        "prompt=1024",
    ),
    Spelling(
        r"\b(?:num_generations|num_return_sequences|n_samples_per_prompt)[\s=:]{1,3}(\d{1,8})\b",
        r"group=\1",
        "num_generations=16",
        "group=16",
    ),
    Spelling(
        r"\b(q?lora|peft|quantization|quantisation)[\s:=]{1,3}(?:no|none|false|off|disabled)\b",
        r"without=\1",
        "lora: false",
        "without=lora",
    ),
    Spelling(
        r"(?<![\w.-])(?:python3?\s-m\s)?(verl|trl|openrlhf)\.[a-z][\w.]{1,60}",
        r" \1 ",
        "python3 -m verl.trainer.main_ppo",
        " verl ",
    ),
    Spelling(
        r"(?<![\w.-])(?:([a-z_]{2,30}):|(beta|gamma|epsilon))\s(\d{0,4}\.\d{1,6}|true|false|null)(?![\w.])",
        r" left=\1\2=\3 ",
        "beta: 0.1",
        " left=beta=0.1 ",
    ),
    Spelling(
        r"(?<![\w-])--(?=[a-z]{2,20}_[a-z\d_]{1,40}(?![\w=-]))",
        "left=",
        "--packing_samples",
        "left=packing_samples",
    ),
    left_out(
        r"(?<![\w=-])flash[\s_-]?att(?:entio)?n(?:[\s_-]?[23])?(?![\w-])", "flash attention 2"
    ),
)
