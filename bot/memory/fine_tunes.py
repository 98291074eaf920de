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
    # Llama
    (regex(r"\b(?:llama|alpaca|vicuna|tulu-2(?:-dpo)?)-(7b|13b)\b"), "Llama-2-"),
    (regex(r"\b(?:fsfairx-|ultra)?llama3-(?:rm|sft|iterative-dpo)\b"), "Llama-3-8B"),
    (regex(r"\bllama-guard-3-(8b)\b"), "Llama-3.1-"),
    (regex(r"\bllama-3\.1-(?:tulu-3(?:\.1)?|nemotron-nano|nemotron-ultralong)-(8b|70b|405b)\b"),
     "Llama-3.1-"),
    (regex(r"\bllama-xlam-2-(8b|70b)\b"), "Llama-3.1-"),
    # Mistral
    (regex(r"\b(?:zephyr-7b|mistral-7b-sft|openhermes-2(?:\.5)?-mistral-7b|openchat-3\.5|"
           r"starling-lm-7b)\b"), "Mistral-7B-v0.1"),
    (regex(r"\b(?:devstral|magistral)-small-(?:2505|2506|2507)\b"), "Mistral-Small-24B"),
    (regex(r"\bmistral-small-3\.2-(24b)\b"), "Mistral-Small-3.1-"),
    (regex(r"\bmagistral-small-2509\b"), "Mistral-Small-3.1-24B"),
    # DeepSeek
    (regex(r"\bdeepseek-(?:math-7b|prover-v1\.5|prover-v2-7b)\b"), "deepseek-llm-7b"),
    (regex(r"\b(?:numinamath-7b|goedel-prover-(?:sft|dpo))\b"), "deepseek-llm-7b"),
    (regex(r"\bdeepseek-coder-v2-lite\b"), "DeepSeek-V2-Lite"),
    # R1's distilled Qwen2.5
    (regex(r"\b(?:deepscaler|nemotron-research-reasoning-qwen|zr1|still-3|deepmath)-(1\.5b)\b"),
     _R1),
    (regex(r"\bdeepcoder-(1\.5b|14b)\b"), _R1),
    (regex(r"\bskywork-or1-(?:math-)?(7b|32b)\b"), _R1),
    (regex(r"\bacereason-nemotron-(?:1\.1-)?(7b|14b)\b"), _R1),
    (regex(r"\blight-r1-(7b|14b)-ds\b"), _R1),
    (regex(r"\bpolaris-(7b)\b"), _R1),
    (regex(r"\bqwenlong-l1-(32b)\b"), _R1),
    # Qwen2.5
    (regex(r"\blight-r1-(32b)\b"), "Qwen2.5-"),
    (regex(r"\b(?:eurus-2|deepmath-zero|openr1-qwen|openr1-distill|r1-distill-qwen-math)-(7b)\b"),
     "Qwen2.5-"),
    (regex(r"\bopenthinker[23]?-(7b|32b)\b"), "Qwen2.5-"),
    (regex(r"\bopen-reasoner-zero-(0\.5b|1\.5b|7b|32b)\b"), "Qwen2.5-"),
    (regex(r"\bs1(?:\.1)?-(32b)\b"), "Qwen2.5-"),
    (regex(r"\bsky-t1-(32b)\b"), "Qwen2.5-"),
    (regex(r"\bam-thinking-v1\b"), "Qwen2.5-32B"),
    (regex(r"\b(?:openreasoning|openmath)-nemotron-(1\.5b|7b|14b|32b)\b"), "Qwen2.5-"),
    (regex(r"\bace(?:math|instruct)-(1\.5b|7b|72b)\b"), "Qwen2.5-"),
    (regex(r"\bkimina-prover-preview-distill-(1\.5b|7b)\b"), "Qwen2.5-"),
    (regex(r"\bweb(?:sailor|shaper)-(3b|7b|32b|72b)\b"), "Qwen2.5-"),
    (regex(r"\bui-tars-1\.5-(7b)\b"), "Qwen2.5-VL-"),
    (regex(r"\bui-tars-(2b|7b|72b)\b"), "Qwen2-VL-"),
    # Qwen3
    (regex(r"\b(?:goedel-prover-v2|nemotron-cascade)-(8b|32b)\b"), "Qwen3-"),
    (regex(r"\bpolaris-(1\.7b|4b)\b"), "Qwen3-"),
    (regex(r"\bjan-nano\b"), "Qwen3-4B"),
    (regex(r"\brstar2-agent-(14b)\b"), "Qwen3-"),
    (regex(r"\btongyi-deepresearch-(30b-a3b)\b"), "Qwen3-"),
    (regex(r"\bqwen3-coder-next\b"), "Qwen3-Next-80B-A3B"),
    # Others
    (regex(r"\bopenresearcher-(30b-a3b)\b"), "Nemotron-3-Nano-"),
    (regex(r"\bfalcon-h1r-(7b)\b"), "Falcon-H1-"),
    (regex(r"\blfm2\.5-(350m|1\.2b)\b"), "LFM2-"),
    (regex(r"\bminicpm4\.1-(8b)\b"), "MiniCPM4-"),
    (regex(r"\bdeepseek-v3\.2-(?:exp|speciale)\b"), "DeepSeek-V3.2"),
    (regex(r"\bmedgemma-(4b|27b)\b"), "Gemma-3-"),
    (regex(r"\byi-1\.5-(6b|9b|34b)\b"), "Yi-"),
    (regex(r"\binternlm2[.-]5-(7b|20b)\b"), "internlm2-"),
    (regex(r"\bolmo-3\.1-(32b)\b"), "Olmo-3-"),
    (regex(r"\bglm-4\.6v-flash\b"), "GLM-4.1V-9B"),
    (regex(r"\bglm-4\.6\b"), "GLM-4.5"),
    (regex(r"\bsmolvlm-instruct\b"), "SmolVLM2-2.2B"),
    (regex(r"\bgpt2-imdb\b"), "gpt2"),
)  # fmt: skip


def trained_from(name: str) -> str | None:
    """The name of the known model that a further training was made from; None when not known."""
    low = name.lower().replace("_", "-")
    for pattern, base in FROM:
        found = pattern.search(low)
        if found is not None:
            return base + (found[1] if pattern.groups else "")
    return None
