"""The name that a model has on the Hugging Face hub, so that a script can load it."""

from __future__ import annotations

import re

_OWNERS: tuple[tuple[str, str], ...] = (
    (r"deepseek-(?!.*nvfp4)|r1-distill-", "deepseek-ai"),
    (r"qwen(?!.*nvfp4)|qwq-", "Qwen"),
    (r"meta-llama-|llama-(?!.*(?:nemotron|function|fp8))", "meta-llama"),
    (r"gemma-", "google"),
    (r"mistral-7b|mixtral-", "mistralai"),
    (r"phi-", "microsoft"),
    (r"smollm2-", "HuggingFaceTB"),
    (r"olmo-", "allenai"),
    (r"gpt-oss-", "openai"),
    (r"opt-", "facebook"),
    (r"mimo-7b", "XiaomiMiMo"),
    (r"moonlight-|kimi-k2", "moonshotai"),
)
"""Beginning of a model's name in lower case, and who publishes it."""
_RENAMED: tuple[tuple[str, str], ...] = (
    (r"llama-3-(8|70)b", r"Meta-Llama-3-\1B"),
    (r"llama-2-(7|13|70)b", r"Llama-2-\1b-hf"),
    (r"r1-distill-(.+)", r"DeepSeek-R1-Distill-\1"),
    (r"gemma-3-(.+)", r"gemma-3-\1-it"),
    (r"(gemma-.+)", r"\1"),
    (r"phi-4", "phi-4"),
    (r"(phi-(?:3-mini-(?:4|128)k|3\.5-mini|4-mini))", r"\1-instruct"),
    (r"(qwen2\.5-vl-.+|qwen3-vl-.+|qwen3-next-.+|qwen3-coder-.+)", r"\1-Instruct"),
    (r"moonlight-16b-a3b", "Moonlight-16B-A3B"),
    (r"kimi-k2", "Kimi-K2-Instruct"),
    (r"mistral-7b-v0\.2", "Mistral-7B-Instruct-v0.2"),
    (r"mimo-7b", "MiMo-7B-Base"),
    (r"llama-3\.3-70b", "Llama-3.3-70B-Instruct"),
    (r"deepseek-llm-7b", "deepseek-llm-7b-base"),
    (r"deepseek-coder-6\.7b", "deepseek-coder-6.7b-base"),
)
"""Names that differ on the hub: those as they are on each publisher's page in 2026."""


def hub_path(written: str, name: str) -> str:
    """The hub's name of a model that was written without its owner; as written if none is known.

    `name` is the model as its maker writes it; a written name that says more (-Instruct) is kept.
    """
    low = name.lower()
    owner = next((owner for pattern, owner in _OWNERS if re.match(pattern, low)), None)
    if owner is None:
        return written
    if written.lower() != low:
        return f"{owner}/{written}"
    for pattern, there in _RENAMED:
        match = re.fullmatch(pattern, name, re.IGNORECASE)
        if match:
            renamed = match.expand(there)
            return f"{owner}/{renamed.lower() if low.startswith('gemma') else renamed}"
    return f"{owner}/{name}"
