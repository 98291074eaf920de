"""Further trainings whose names do not say what they were made from, by their makers' own cards.

A pattern stands for whole words of a name in lower case; its group is the size of the base.
Training adds a token or two to some vocabularies, so that such a shape is taken for the model's and
never makes anything impossible.
"""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex

_R1: Final = "DeepSeek-R1-Distill-Qwen-"
FROM: Final = (
    (regex(r"\bfsfairx-llama3\b"), "Llama-3-8B"),
    (regex(r"\beurus-2-(7b)\b"), "Qwen2.5-"),
    (regex(r"\b(?:deepscaler|nemotron-research-reasoning-qwen)-(1\.5b)\b"), _R1),
    (regex(r"\bdeepcoder-(1\.5b|14b)\b"), _R1),
    (regex(r"\bskywork-or1-(?:math-)?(7b|32b)\b"), _R1),
    (regex(r"\bacereason-nemotron-(?:1\.1-)?(7b|14b)\b"), _R1),
    (regex(r"\blight-r1-(7b|14b)-ds\b"), _R1),
    (regex(r"\blight-r1-(32b)\b"), "Qwen2.5-"),
    (regex(r"\bopenthinker[23]?-(7b|32b)\b"), "Qwen2.5-"),
    (regex(r"\bopen-reasoner-zero-(0\.5b|1\.5b|7b|32b)\b"), "Qwen2.5-"),
    (regex(r"\bs1(?:\.1)?-(32b)\b"), "Qwen2.5-"),
    (regex(r"\br1-distill-qwen-math-(7b)\b"), "Qwen2.5-"),
    (regex(r"\bllama-3\.1-tulu-3(?:\.1)?-(8b|70b)\b"), "Llama-3.1-"),
    (regex(r"\b(?:devstral|magistral)-small-(?:2505|2506|2507)\b"), "Mistral-Small-24B"),
    (regex(r"\bzephyr-7b\b"), "Mistral-7B-v0.1"),
    (regex(r"\bdeepseek-(?:math-7b|prover-v1\.5)\b"), "deepseek-llm-7b"),
)


def trained_from(name: str) -> str | None:
    """The name of the known model that a further training was made from; None when not known."""
    low = name.lower().replace("_", "-")
    for pattern, base in FROM:
        found = pattern.search(low)
        if found is not None:
            return base + (found[1] if pattern.groups else "")
    return None
