"""Models that a program has unsloth make: `FastLanguageModel.from_pretrained("…")`.

unsloth trains with TRL's trainers, whose classes it gives settings of its own. What its functions
are given, and their defaults, are options of TRL's scripts here. Source: unsloth 2026.8
(`models/loader.py`, `models/llama.py`, `models/vision.py`, `models/rl.py`, `trainer.py`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from bot.base.regex import regex
from bot.frameworks.python.source import UnfollowedError, nodes, written

PACKAGE: Final = "unsloth"
ARGUMENTS: Final = {"UnslothTrainingArguments": "sft"}
TRAINERS: Final = {"UnslothTrainer": "sft"}
"""Its own classes of settings and trainers, and the script of TRL's that they are as."""
ADDED: Final = frozenset(
    (
        "embedding_learning_rate",
        "importance_sampling_level",
        "q_galore_config",
        "unsloth_grpo_mini_batch",
        "unsloth_logit_chunk_multiplier",
        "unsloth_num_chunks",
        "vllm_sampling_params",
    )
)
"""Settings that it adds to TRL's classes, or has earlier than they do."""
_STANDBY: Final = "UNSLOTH_VLLM_STANDBY"
_MODEL: Final = regex(r"(?:unsloth\.)?Fast\w{0,40}Model\.(from_pretrained|get_peft_model)")
QUANTIZED: Final = regex(r"-(?:unsloth-)?bnb-4bit\Z", re.IGNORECASE)
"""How it calls the model that it has quantized before."""
LOADING: Final = ("model_name", "max_seq_length", "dtype", "load_in_4bit")
"""The parameters of `from_pretrained` in their order."""
ADAPTING: Final = ("model", "r", "target_modules", "lora_alpha", "lora_dropout")
_ENDS: Final = ("embed_tokens", "lm_head")
_PARTS: Final = ("finetune_language_layers", "finetune_attention_modules", "finetune_mlp_modules")
"""Parts of a model that have no adapter where they are told so."""
_UNREAD: Final = ("load_in_fp8", "unsloth_tiled_mlp")
"""What makes another model of it."""
READ: Final = frozenset(
    (
        *_UNREAD,
        *_PARTS,
        "fast_inference",
        "full_finetuning",
        "gpu_memory_utilization",
        "load_in_16bit",
        "load_in_4bit",
        "load_in_8bit",
        "lora_dropout",
        "max_seq_length",
        "model_name",
        "modules_to_save",
        "offload_embedding",
        "r",
        "target_modules",
        "target_parameters",
        "use_dora",
        "use_gradient_checkpointing",
    )
)
"""What is read of their parameters."""
UNCUT: Final = frozenset(("ref_model", "reward_funcs"))
"""What trainers take (DPO, KTO, GRPO) whose limits it leaves, whatever a model's
`max_seq_length` is (`models/rl.py`)."""
OPEN: Final = frozenset(("model_name", "max_seq_length"))
"""Those that may be what only a run knows."""


def method_of(call: ast.Call) -> str:
    """`from_pretrained` or `get_peft_model` of one of its models; empty for any other call."""
    found = _MODEL.fullmatch(written(call.func))
    return found[1] if found is not None else ""


def loaded(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a model by the constants that `from_pretrained` is given.

    Four bits unless it is told otherwise; else bf16, or fp16 where the GPU has no bf16. Raises
    UnfollowedError for what is not counted.
    """
    for unread in _UNREAD:
        if given.get(unread):
            raise UnfollowedError(unread)
    full = bool(given.get("full_finetuning"))
    eight = bool(given.get("load_in_8bit"))
    whole = full or eight or bool(given.get("load_in_16bit"))
    four = bool(given.get("load_in_4bit", True)) and not whole
    options: dict[str, Any] = {"dtype": "bfloat16"}
    if four:
        options |= {"load_in_4bit": True, "use_bnb_nested_quant": True}
    if eight and not full:
        options["load_in_8bit"] = True
    if isinstance(name := given.get("model_name"), str):
        options["model_name_or_path"] = QUANTIZED.sub("", name)
    return options


def adapted(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an adapter by the constants that `get_peft_model` is given.

    Embedding and head among the matrices are trained in full. Raises UnfollowedError where only a
    part of the model has one.
    """
    parts = [name for name in _PARTS if given.get(name) is False]
    if parts or given.get("target_parameters"):
        raise UnfollowedError(parts[0] if parts else "target_parameters")
    named = given.get("target_modules") or "all-linear"
    matrices = list(named) if isinstance(named, (list, tuple)) else [str(named)]
    saved = [*(given.get("modules_to_save") or ()), *(one for one in matrices if one in _ENDS)]
    options = {
        "use_peft": True,
        "lora_r": given.get("r", 16),
        "lora_dropout": given.get("lora_dropout", 0.0),
        "lora_target_modules": [one for one in matrices if one not in _ENDS],
    }
    if given.get("use_dora"):
        options["use_dora"] = True
    return options | ({"lora_modules_to_save": saved} if saved else {})


def recomputes(given: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether layers are recomputed, and whether what they keep for that is on the host."""
    how = given.get("use_gradient_checkpointing", PACKAGE)
    return bool(how), how == PACKAGE


def longest(given: Mapping[str, Any]) -> int:
    """Tokens of the longest sequence of a model; 0 where that is not told."""
    told = given.get("max_seq_length")
    return told if isinstance(told, int) else 0


def engine(given: Mapping[str, Any]) -> float | None:
    """The share of the card for its vLLM, by what `from_pretrained` is given; None without one."""
    share = given.get("gpu_memory_utilization", 0.5)
    return float(share) if given.get("fast_inference") and isinstance(share, (int, float)) else None


def stands_by(tree: ast.Module) -> bool:
    """Whether a program has its engine give its cache away (`UNSLOTH_VLLM_STANDBY`)."""
    constants = (node for node in nodes(tree) if isinstance(node, ast.Constant))
    return any(node.value == _STANDBY for node in constants)


@lru_cache(maxsize=16)
def patches(tree: ast.Module) -> bool:
    """Whether a program imports it, which changes TRL's classes."""
    return any(module.partition(".")[0] == PACKAGE for module in _imported(tree))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
