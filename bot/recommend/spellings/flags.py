"""Flags, keys and lines of a scheduler, as people paste them."""

from __future__ import annotations

import re

from bot.base.regex import regex
from bot.recommend.spellings.spelling import Spelling

FLAGS = (
    Spelling(
        regex(r"(?:^|\n)[ \t]{0,8}(?:\d{1,2}[.)]|[*\u2022-])\s"),
        "\n",
        "- 4xA100",
        "\n4xA100",
    ),
    Spelling(
        regex(
            r"(?<![\w.])\+{0,2}(?:data|algorithm|trainer"
            r"|actor_rollout_ref(?:\.(?:actor|rollout|model|ref))?)\.(?=[a-z])",
            re.I,
        ),
        "",
        "data.max_prompt_length=1024",
        "max_prompt_length=1024",
    ),
    Spelling(
        regex(
            r"(?:#sbatch\s)?-{0,2}\bgres=gpu:([a-z][\w-]{1,20}):(\d{1,3})\b"
            r"|(?<![\w:])([a-z]{1,3}\d{2,4}[\w-]{0,12}):(\d{1,3})(?![\w:.])",
            re.I,
        ),
        r" \2\4x\1\3 ",
        "--gres=gpu:a100:4",
        " 4xa100 ",
    ),
    Spelling(
        regex(
            r"(?<![\w.-])-{0,2}(?:(?:num[_-]?gpus?|n[_-]?gpus?|gpus?[_-]?count|nproc[_-]per[_-]node"
            r"|gpus[_-]per[_-]node)[\s:=\"']{1,4}|(?:gpus|count|quantity)\s?[:=]\s?|(?<=--)gpus\s)(\d{1,4})(?![\w.])",
            re.I,
        ),
        r" \1 gpus ",
        "--nproc_per_node=8",
        " 8 gpus ",
    ),
    Spelling(
        regex(r"(?<![\w.-])-{0,2}(?:num[_-]?)?nodes[:=]\s?(\d{1,4})(?![\w.])", re.I),
        r" nodes=\1_ ",
        "--nodes=2",
        " nodes=2_ ",
    ),
    Spelling(
        regex(
            r"(?<![\w.-])-{0,2}(?:model|base_model|model[_-](?:name|path)|model_name_or_path|path"
            r"|pretrain|task|train_type|tuner_type|algo(?:rithm)?|adv_estimator|gpu(?:_type)?|device"
            r"|hardware)[:=]\s?(?=[\w\"'/])",
            re.I,
        ),
        " ",
        "model=Qwen/Qwen3-14B",
        " Qwen/Qwen3-14B",
    ),
    Spelling(
        regex(
            r"(?<![\w-])--(?:model|base_model|model[_-](?:name|path)|model_name_or_path|pretrain|task"
            r"|train_type|tuner_type|algo(?:rithm)?|gpu(?:_type)?|device)\s(?=[\w\"'/])",
            re.I,
        ),
        " ",
        "--model Qwen3-8B",
        " Qwen3-8B",
    ),
    Spelling(
        regex(
            r"(?<![\w-])-{0,2}(?:prompt|(response|completion))_len(?:gth)?[\s:=\"']{1,4}(?=\d)",
            re.I,
        ),
        lambda found: "response=" if found[1] else "prompt=",
        "prompt_len: 2048",
        "prompt=2048",
    ),
    Spelling(
        regex(r"(?<![\w-])-{0,2}(?:max|cutoff|seq)_len(?:gth)?[\s:=\"']{1,4}(?=\d)", re.I),
        "length=",
        "--max_length 2048",
        "length=2048",
    ),
    Spelling(
        regex(
            r"\b(q?lora|peft|quantization|quantisation)[\s:=]{1,3}(?:no|none|false|off|disabled)\b",
            re.I,
        ),
        r"without=\1",
        "lora: false",
        "without=lora",
    ),
    Spelling(
        regex(r"(?<![\w.-])(?:python3?\s-m\s)?(verl|trl|openrlhf)\.[a-z][\w.]{1,60}", re.I),
        r" \1 ",
        "python3 -m verl.trainer.main_ppo",
        " verl ",
    ),
    Spelling(
        regex(r"(?<![\w.-])([a-z_]{2,30}):\s(\d{0,4}\.\d{1,6}|true|false|null)(?![\w.])", re.I),
        r" left=\1=\2 ",
        "beta: 0.1",
        " left=beta=0.1 ",
    ),
)
