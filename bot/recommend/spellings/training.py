"""What is trained, and how: methods, models, settings with their values."""

from __future__ import annotations

import re

from bot.base.regex import regex
from bot.recommend.spellings.spelling import Spelling

METHODS = (
    Spelling(
        regex(r"\binstruct(?:ion)?[\s-]{1,2}(?:fine[\s-]?)?tun(?:e|ed|ing)\b", re.I),
        "sft",
        "instruction tuning",
        "sft",
    ),
    Spelling(
        regex(r"(?<![\w-])(?:supervised[\s-])?fine[\s-]{0,2}tun(?:es?|ed|ing)\b(?!-)", re.I),
        "finetune",
        "fine tuning",
        "finetune",
    ),
    Spelling(
        regex(r"(?<![\w/-])online[\s-]dpo(?![\w-])", re.I),
        "online-dpo",
        "online DPO",
        "online-dpo",
    ),
    Spelling(
        regex(r"\bfrom[\s-]scratch\b", re.I),
        "pretraining",
        "from scratch",
        "pretraining",
    ),
    Spelling(
        regex(
            r"(?<![=\w])(?:8-?bit|paged|fused)[\s_-](?:paged[\s_-])?adamw?\b|\badamw?[\s_-]8-?bit\b",
            re.I,
        ),
        "left=8bit-adam",
        "8-bit Adam",
        "left=8bit-adam",
    ),
    Spelling(
        regex(
            r"(?<=[\w.])-((?:unsloth-)?bnb-4bit|(?:awq|gptq|gguf|fp8|nvfp4|[48]bit|int[48]|w4a16|w8a8)"
            r"(?:-(?:int[48]|dynamic))?)(?![\w-])",
            re.I,
        ),
        r" left=\1",
        "Qwen3-32B-AWQ",
        "Qwen3-32B left=AWQ",
    ),
    Spelling(
        regex(r"(?<![\w=-])(?=(?:awq|gptq|gguf|q[2-8]_[0k](?:_[sml])?)(?!\w))", re.I),
        "left=",
        "Q4_K_M",
        "left=Q4_K_M",
    ),
    Spelling(
        regex(r"\bfull[\s-]+(?:param(?:eter)?|weight)s?\b", re.I), "full", "full parameter", "full"
    ),
    Spelling(
        regex(r"\bfull[\s-]+(?:finetune|ft)\b", re.I),
        "full finetune",
        "full ft",
        "full finetune",
    ),
    Spelling(regex(r"\breward[\s-]+model\b", re.I), "rm", "reward model", "rm"),
)
"""What is trained, and how."""
SETTINGS = (
    Spelling(
        regex(r"\b(q?lora|dora)\s(?:with\s)?r(?:\sof)?\s(\d{1,4})\b", re.I),
        r"\1 rank=\2",
        "dora r 32",
        "dora rank=32",
    ),
    Spelling(
        regex(
            r"\b(?:(?:mbs|(?:(?:micro|mini)[\s_-]{0,3}|per[\s_-]{0,3}(?:gpu|device|card)[\s_-]{0,3}(?:train[\s_-]{0,3})?){1,3}"
            r"(?:batch(?:[\s_-]{0,3}size)?|bsz?)(?:[\s_-]{0,3}per[\s_-]{0,3}gpu)?)[\s=:]{0,3}(\d{1,8})"
            r"|(?:batch(?:[\s_-]{0,3}size)?|bsz?)[\s=:]{0,3}(\d{1,8})[\s_-]{0,3}(?:per|each|a|/)[\s_-]{0,3}"
            r"(?:gpu|device|card))\b",
            re.I,
        ),
        r"micro-batch=\1\2",
        "micro batch size 4",
        "micro-batch=4",
    ),
    Spelling(
        regex(
            r"\b(?:(?:train|global)[\s_-]?)?(?:batch(?:[\s_-]+size)?|bsz?)[\s=:]*(?:of\s+)?(\d{1,8})\b"
            r"|\b(\d{1,8})\s+(?:global\s+)?batch(?:\s+size)?(?=[\s,;.?!]|\Z)(?![\s=:]*(?:of\s+)?\d)",
            re.I,
        ),
        r"batch=\1\2",
        "global batch size of 128",
        "batch=128",
    ),
    Spelling(
        regex(
            r"\b(?:(?:lora[\s_-])?(?:rank[\s=:-]*|r[=:]\s*)|lora[\s_-]r\s+)(\d{1,8})\b"
            r"|(?<![\w.-])r(8|16|32|64|128|256)\b",
            re.I,
        ),
        r"rank=\1\2",
        "lora rank 64",
        "rank=64",
    ),
)
"""Settings with their values."""
MODELS = (
    Spelling(
        regex(r"\b(qwen|llama|phi|gemma|olmo|glm|hermes|tulu)\s+(\d)(?=\s|\Z)", re.I),
        r"\1-\2",
        "qwen 3",
        "qwen-3",
    ),
    Spelling(
        regex(r"(?<![\w/-])(llama|phi|gemma|olmo|glm)(\d)(?=\s|\Z)", re.I),
        r"\1-\2",
        "llama3",
        "llama-3",
    ),
)
"""A family and its generation."""
