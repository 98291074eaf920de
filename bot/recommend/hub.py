"""The name that a model has on the Hugging Face hub, so that a script can load it."""

from __future__ import annotations

import re

from bot.base.regex import regex

_OWNERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (regex(r"deepseek-(?!.*nvfp4)|r1-distill-"), "deepseek-ai"),
    (regex(r"qwen(?!.*nvfp4)|qwq-"), "Qwen"),
    (regex(r"meta-llama-|llama-(?!.*(?:nemotron|function|fp8))"), "meta-llama"),
    (regex(r"gemma-"), "google"),
    (regex(r"mistral-7b|mixtral-"), "mistralai"),
    (regex(r"phi-"), "microsoft"),
    (regex(r"smollm2-"), "HuggingFaceTB"),
    (regex(r"olmo-"), "allenai"),
    (regex(r"gpt-oss-"), "openai"),
    (regex(r"opt-"), "facebook"),
    (regex(r"mimo-7b"), "XiaomiMiMo"),
    (regex(r"moonlight-|kimi-k2"), "moonshotai"),
)
"""Beginning of a model's name in lower case, and who publishes it."""
_RENAMED: tuple[tuple[re.Pattern[str], str], ...] = (
    (regex(r"llama-3-(8|70)b", re.I), r"Meta-Llama-3-\1B"),
    (regex(r"llama-2-(7|13|70)b", re.I), r"Llama-2-\1b-hf"),
    (regex(r"r1-distill-(.+)", re.I), r"DeepSeek-R1-Distill-\1"),
    (regex(r"gemma-3-(.+)", re.I), r"gemma-3-\1-it"),
    (regex(r"(gemma-.+)", re.I), r"\1"),
    (regex(r"phi-4", re.I), "phi-4"),
    (regex(r"(phi-(?:3-mini-(?:4|128)k|3\.5-mini|4-mini))", re.I), r"\1-instruct"),
    (
        regex(r"(qwen2\.5-vl-.+|qwen3-vl-.+|qwen3-next-.+|qwen3-coder-.+)", re.I),
        r"\1-Instruct",
    ),
    (regex(r"moonlight-16b-a3b", re.I), "Moonlight-16B-A3B"),
    (regex(r"kimi-k2", re.I), "Kimi-K2-Instruct"),
    (regex(r"mistral-7b-v0\.2", re.I), "Mistral-7B-Instruct-v0.2"),
    (regex(r"mimo-7b", re.I), "MiMo-7B-Base"),
    (regex(r"llama-3\.3-70b", re.I), "Llama-3.3-70B-Instruct"),
    (regex(r"deepseek-llm-7b", re.I), "deepseek-llm-7b-base"),
    (regex(r"deepseek-coder-6\.7b", re.I), "deepseek-coder-6.7b-base"),
)
"""Names that differ on the hub: those as they are on each publisher's page in 2026."""


def hub_path(written: str, name: str) -> str:
    """The hub's name of a model that was written without its owner; as written if none is known.

    `name` is the model as its maker writes it; a written name that says more (-Instruct) is kept.
    """
    low = name.lower()
    owner = next((owner for pattern, owner in _OWNERS if pattern.match(low)), None)
    if owner is None:
        return written
    if written.lower() != low:
        return f"{owner}/{written}"
    for pattern, there in _RENAMED:
        match = pattern.fullmatch(name)
        if match:
            renamed = match.expand(there)
            return f"{owner}/{renamed.lower() if low.startswith('gemma') else renamed}"
    return f"{owner}/{name}"
