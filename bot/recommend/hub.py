"""The name that a model has on the Hugging Face hub, so that a script can load it."""

from __future__ import annotations

import re

_OWNERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"deepseek-(?!.*nvfp4)|r1-distill-"), "deepseek-ai"),
    (re.compile(r"qwen(?!.*nvfp4)|qwq-"), "Qwen"),
    (re.compile(r"meta-llama-|llama-(?!.*(?:nemotron|function|fp8))"), "meta-llama"),
    (re.compile(r"gemma-"), "google"),
    (re.compile(r"mistral-7b|mixtral-"), "mistralai"),
    (re.compile(r"phi-"), "microsoft"),
    (re.compile(r"smollm2-"), "HuggingFaceTB"),
    (re.compile(r"olmo-"), "allenai"),
    (re.compile(r"gpt-oss-"), "openai"),
    (re.compile(r"opt-"), "facebook"),
    (re.compile(r"mimo-7b"), "XiaomiMiMo"),
    (re.compile(r"moonlight-|kimi-k2"), "moonshotai"),
)
"""Beginning of a model's name in lower case, and who publishes it."""
_RENAMED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"llama-3-(8|70)b", re.I), r"Meta-Llama-3-\1B"),
    (re.compile(r"llama-2-(7|13|70)b", re.I), r"Llama-2-\1b-hf"),
    (re.compile(r"r1-distill-(.+)", re.I), r"DeepSeek-R1-Distill-\1"),
    (re.compile(r"gemma-3-(.+)", re.I), r"gemma-3-\1-it"),
    (re.compile(r"(gemma-.+)", re.I), r"\1"),
    (re.compile(r"phi-4", re.I), "phi-4"),
    (re.compile(r"(phi-(?:3-mini-(?:4|128)k|3\.5-mini|4-mini))", re.I), r"\1-instruct"),
    (
        re.compile(r"(qwen2\.5-vl-.+|qwen3-vl-.+|qwen3-next-.+|qwen3-coder-.+)", re.I),
        r"\1-Instruct",
    ),
    (re.compile(r"moonlight-16b-a3b", re.I), "Moonlight-16B-A3B"),
    (re.compile(r"kimi-k2", re.I), "Kimi-K2-Instruct"),
    (re.compile(r"mistral-7b-v0\.2", re.I), "Mistral-7B-Instruct-v0.2"),
    (re.compile(r"mimo-7b", re.I), "MiMo-7B-Base"),
    (re.compile(r"llama-3\.3-70b", re.I), "Llama-3.3-70B-Instruct"),
    (re.compile(r"deepseek-llm-7b", re.I), "deepseek-llm-7b-base"),
    (re.compile(r"deepseek-coder-6\.7b", re.I), "deepseek-coder-6.7b-base"),
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
