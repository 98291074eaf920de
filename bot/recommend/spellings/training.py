"""What is trained, and how: methods, models, settings with their values."""

from __future__ import annotations

from bot.recommend.spellings.spelling import Spelling

METHODS = (
    Spelling(
        r"\bdistill?(?:ing|s)?\s(?=.{2,60}\s(?:in)?to\s)",
        "distillation ",
        "distill qwen3-32b into qwen3-4b",
        "distillation qwen3-32b into qwen3-4b",
    ),
    Spelling(
        r"\binstruct(?:ion)?[\s-]{1,2}(?:fine[\s-]?)?tun(?:e|ed|ing)\b",
        "sft",
        "instruction tuning",
        "sft",
    ),
    Spelling(
        r"(?<![\w-])(?:supervised[\s-])?fine[\s-]{0,2}tun(?:es?|ed|ing)\b(?!-)",
        "finetune",
        "fine tuning",
        "finetune",
    ),
    Spelling(r"(?<![\w/-])online[\s-]dpo(?![\w-])", "online-dpo", "online DPO", "online-dpo"),
    Spelling(r"\bfrom[\s-]scratch\b", "pretraining", "from scratch", "pretraining"),
    Spelling(
        r"(?<![=\w])(?:8-?bit|paged|fused)[\s_-](?:paged[\s_-])?adamw?\b|\badamw?[\s_-]8-?bit\b",
        "left=8bit-adam",
        "8-bit Adam",
        "left=8bit-adam",
    ),
    Spelling(
        r"(?<=[\w.])-((?:unsloth-)?bnb-4bit|(?:awq|gptq|gguf|fp8|nvfp4|[48]bit|int[48]|w4a16|w8a8)"
        r"(?:-(?:int[48]|dynamic))?)(?![\w-])",
        r" left=\1",
        "Qwen3-32B-AWQ",
        "Qwen3-32B left=AWQ",
    ),
    Spelling(
        r"(?<![\w=-])(?=(?:awq|gptq|gguf|q[2-8]_[0k](?:_[sml])?)(?!\w))",
        "left=",
        "Q4_K_M",
        "left=Q4_K_M",
    ),
    Spelling(r"\bfull[\s-]+(?:param(?:eter)?|weight)s?\b", "full", "full parameter", "full"),
    Spelling(r"\bfull[\s-]+(?:finetune|ft)\b", "full finetune", "full ft", "full finetune"),
    Spelling(r"\breward[\s-]+model(?:l?ing)?\b", "rm", "reward model", "rm"),
)
SETTINGS = (
    Spelling(
        r"\b(q?lora|dora)\s(?:with\s)?r(?:\sof)?\s(\d{1,4})\b",
        r"\1 rank=\2",
        "dora r 32",
        "dora rank=32",
    ),
    Spelling(
        r"\b(?:(?:mbs|(?:ppo_)?(?:(?:micro|mini)[\s_-]{0,3}|per[\s_-]{0,3}(?:gpu|device|card)[\s_-]{0,3}(?:train[\s_-]{0,3})?){1,3}"
        r"(?:batch(?:[\s_-]{0,3}size)?|bsz?)(?:[\s_-]{0,3}per[\s_-]{0,3}gpu)?)[\s=:]{0,3}(\d{1,8})"
        r"|(?:batch(?:[\s_-]{0,3}size)?|bsz?)[\s=:]{0,3}(\d{1,8})[\s_-]{0,3}(?:per|each|a|/)[\s_-]{0,3}"
        r"(?:gpu|device|card))\b",
        r"micro-batch=\1\2",
        "micro batch size 4",
        "micro-batch=4",
    ),
    Spelling(
        r"\b(?:(?:train|global)[\s_-]?)?(?:batch(?:[\s_-]+size)?|bsz?)[\s=:]*(?:of\s+)?(\d{1,8})\b"
        r"|\b(\d{1,8})\s+(?:global\s+)?batch(?:\s+size)?(?=[\s,;.?!]|\Z)(?![\s=:]*(?:of\s+)?\d)",
        r"batch=\1\2",
        "global batch size of 128",
        "batch=128",
    ),
    Spelling(
        r"\b(?:(?:lora[\s_-])?(?:rank[\s=:-]*|r[=:]\s*)|lora[\s_-]r\s+)(\d{1,8})\b"
        r"|(?<![\w.-])r(8|16|32|64|128|256)\b",
        r"rank=\1\2",
        "lora rank 64",
        "rank=64",
    ),
    Spelling(
        r"\b(batch|rank)(=\d{1,8}\s(?:or|vs|and)\s)(?=\d{1,8}\b)",
        r"\1\2\1=",
        "batch=128 or 256",
        "batch=128 or batch=256",
    ),
    Spelling(
        r"(?<![\w.=-])([a-z]{2,20}(?:_[a-z]{1,20}){1,6})\s(0?\.\d{1,4}|\d{1,8})(?![\w.])",
        r"\1=\2",
        "gpu_memory_utilization 0.6",
        "gpu_memory_utilization=0.6",
    ),
)
MODELS = (
    Spelling(
        r"(?:\b(qwen|llama|phi|gemma|olmo|glm|hermes|tulu)\s+|(?<![\w/-])(llama|phi|gemma|olmo|glm))(\d)"
        r"(?=\s|\Z)",
        r"\1\2-\3",
        "qwen 3 or llama3",
        "qwen-3 or llama-3",
    ),
)
"""A family and its generation."""
