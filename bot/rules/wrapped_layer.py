"""RLB141: the layers that FSDP is told to wrap are those of another model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from bot.base.regex import regex
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import Plan
from bot.memory.shapes.models import find
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.shell.source import Span

_KEY: Final = "fsdp_transformer_layer_cls_to_wrap"
_LAYERS: Final = {
    "Qwen2DecoderLayer": regex(
        r"(?:DeepSeek-R1-Distill-)?Qwen(?:1\.5|2|2\.5)-(?:Coder-|Math-)?[\d.]+B|QwQ-32B"
    ),
    "Qwen3DecoderLayer": regex(r"Qwen3-[\d.]+B"),
    "Qwen3MoeDecoderLayer": regex(r"Qwen3-(?:Coder-)?\d+B-A\d+B"),
    "LlamaDecoderLayer": regex(
        r"(?:Meta-)?Llama-(?:2|3|3\.1|3\.2|3\.3)-\d+[bB]|"
        r"DeepSeek-R1-Distill-Llama-\d+B|CodeLlama-\d+b|"
        r"TinyLlama-1\.1B|SmolLM2?-[\d.]+[BM]|Yi-\d+B|deepseek-llm-7b"
    ),
    "MistralDecoderLayer": regex(r"Mistral-(?:7B-v0\.\d|Nemo)|Mathstral-7B-v0\.1"),
    "MixtralDecoderLayer": regex(r"Mixtral-8x\d+B-v0\.1"),
    "GemmaDecoderLayer": regex(r"Gemma-[27]b"),
    "Gemma2DecoderLayer": regex(r"Gemma-2-\d+b"),
    "Phi3DecoderLayer": regex(r"Phi-(?:3-\w+-\d+k|3\.5-mini|4|4-mini)|phi-4"),
    "GptOssDecoderLayer": regex(r"gpt-oss-\d+b"),
    "SmolLM3DecoderLayer": regex(r"SmolLM3-3B"),
    "OPTDecoderLayer": regex(r"opt-[\d.]+[bm]"),
    "GPTNeoXLayer": regex(r"pythia-[\d.]+[bm]"),
    "GPT2Block": regex(r"(?:distil)?gpt2(?:-\w+)?"),
}
"""Class of transformers (`_no_split_modules`) to the models whose layers are of it."""
_HUB: Final = regex(r"[\w.-]{1,96}/[\w.-]{1,96}")
_EXAMPLE: Final = """accelerate launch --num_processes 8 \\
    --use_fsdp --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP \\
    --fsdp_transformer_layer_cls_to_wrap {} \\
    -m trl.scripts.sft --model_name_or_path Qwen/Qwen3-8B --dataset_name trl-lib/Capybara
"""

META = Meta(
    id="RLB141",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="FSDP is told to wrap layers that the model does not have.",
    why=(
        "The class is looked for by its name when the model is divided, after it was loaded on "
        "every GPU; where no module has it, the run ends with a ValueError."
    ),
    instead="Name the model's own class, or leave it out: it is known for every model.",
    limits=(
        "fsdp_transformer_layer_cls_to_wrap of accelerate and of transformers' trainers, where "
        "FSDP wraps by layers, on more than one GPU. Knows the classes of Llama, Qwen, Mistral, "
        "Gemma, Phi, gpt-oss, SmolLM, OPT, Pythia and GPT-2, and compares these alone. A warning "
        "where the model is a folder, which may hold another one."
    ),
    source=(
        "accelerate/utils/dataclasses.py, FullyShardedDataParallelPlugin.set_auto_wrap_policy, and "
        "fsdp_utils.py, fsdp2_prepare_auto_wrap_policy; _no_split_modules of transformers' models"
    ),
    example=Example(
        bad=_EXAMPLE.format("LlamaDecoderLayer"), good=_EXAMPLE.format("Qwen3DecoderLayer")
    ),
)


def check(context: RuleContext) -> Hits:
    """The layers that launches name, and the model that they train."""
    for plan in context.plans:
        divides = plan.framework == "trl" and plan.train.value in ("fsdp", "fsdp2")
        if not divides or plan.gpus.value == 1:
            continue
        own = _layer_of(plan.model.value or "")
        for name, span in _named(plan) if own is not None else ():
            if name in _LAYERS and name != own:
                yield hit(
                    span,
                    "{model} has no layer {name}, which FSDP is told to wrap: its layers are {own}",
                    model=plan.model.value,
                    name=name,
                    own=own,
                    help=message("write {own}, or leave it out", own=own),
                    severity=None if _HUB.fullmatch(plan.model.value or "") else "warning",
                )


def _layer_of(path: str) -> str | None:
    """The class of a model's layers; None where that is not known."""
    model = find(path)
    if model is None:
        return None
    return next((name for name, of in _LAYERS.items() if of.fullmatch(model.name)), None)


def _named(plan: Plan) -> Iterator[tuple[str, Span]]:
    """The classes that accelerate or transformers' trainer is told of, with their places."""
    option = launcher_option(plan.launch, _KEY)
    policy = launcher_option(plan.launch, "fsdp_auto_wrap_policy")
    if option is not None and policy is not None and policy.value == "TRANSFORMER_BASED_WRAP":
        yield from ((name.strip(), option.span) for name in (option.value or "").split(","))
    way = plan.last("fsdp")
    wraps = way is not None and "auto_wrap" in str(way.value)
    for key in (_KEY, "fsdp_config") if wraps else ():
        setting = plan.last(key)
        if setting is not None and isinstance(setting.value, str):
            given = setting.value if key == _KEY else _of_json(setting.value)
            names = given if isinstance(given, list) else [given]
            yield from ((str(name), setting.value_span) for name in names)


def _of_json(text: str) -> object:
    """What a `fsdp_config` says of it that is no file's name."""
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        return None
    words = words if isinstance(words, dict) else {}
    return words.get(_KEY, words.get(_KEY.removeprefix("fsdp_")))
