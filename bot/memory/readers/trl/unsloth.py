"""What unsloth changes of a trainer's memory: adapters, layers, the loss.

Source: unsloth and unsloth_zoo 2026.8. Adapters are in fp32, and nothing else is made fp32
(`prepare_model_for_training` of `training_utils.py`). What a layer keeps to be recomputed goes to
the host (`Unsloth_Offloaded_Gradient_Checkpointer` of `gradient_checkpointing.py`). The supervised
loss makes the logits of a part of the tokens at once, as many as half of what is free takes in fp32
and at most 4 GiB (`_get_chunk_multiplier` of `fused_losses/cross_entropy_loss.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.base.messages import message
from bot.frameworks.python.unsloth import QUANTIZED
from bot.memory.components.states import states
from bot.memory.readers.lengths import Lengths
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Engine, Role
from bot.shell.words import Unsloth

_STANDBY: Final = 0.85
"""The least share of an engine that stands by: 0.74 to 0.88 by the card's size."""
_CHUNK: Final = 4 << 30
"""Bytes of the fp32 logits that are made at once."""
_USUAL: Final = 1 << 30
"""The same where lengths are not known: those that are taken for granted are long, and the public
peaks are nearest with it (`tests/memory/judge_unsloth.py`)."""
LOGIT: Final = 8.0
"""Bytes of one of them: in the type that is computed with, in fp32, and its gradient."""


def by_unsloth(get: MemorySettings) -> bool:
    """Whether unsloth makes the model."""
    return _unsloth(get) is not None


def has_engine(get: MemorySettings) -> bool:
    """Whether its vLLM has the model's frozen weights, which the adapter is trained on.

    Raises NoEstimateError for a model that is trained in full beside one.
    """
    found = _unsloth(get)
    if found is None or found.engine is None:
        return False
    if not get.plan.adapter.value:
        raise NoEstimateError("unsloth's engine (fast_inference=True) takes an adapter.")
    return True


def engine(get: MemorySettings, role: Role, of: Lengths) -> Engine | None:
    """That vLLM; None without one.

    Its share is of what is free when it starts, which is the card; while it stands by that is
    raised (`load_vllm` of `vllm_utils.py`).
    """
    found = _unsloth(get)
    if found is None or found.engine is None:
        return None
    base = states(replace(role, base_shared=False)).weights.count
    return Engine(
        name="vllm",
        shape=role.shape,
        tensor=1,
        fraction=max(found.engine, _STANDBY) if found.standby else found.engine,
        weight_bytes=base / role.shape.parameters,
        sequence_tokens=of.longest,
        sleeps=found.standby,
        keeps_weights=True,
        in_process=True,
    )


def offloads(get: MemorySettings) -> bool:
    """Whether what layers keep is on the host until it is needed."""
    found = _unsloth(get)
    return found is not None and found.offloads


def keeps_embedding_on_host(get: MemorySettings) -> bool:
    """Whether the embedding is there, and looked up there (`offload_embedding` of `vision.py`)."""
    found = _unsloth(get)
    return found is not None and found.embedding_on_host


def _unsloth(get: MemorySettings) -> Unsloth | None:
    program = get.plan.written
    return program.unsloth if program is not None else None


def plain_name(name: str | None) -> str | None:
    """The name of the model that one which unsloth has quantized is made of, else as it is."""
    return QUANTIZED.sub("", name) if name else None


def is_quantized(get: MemorySettings) -> bool:
    """Whether the model's files hold what bitsandbytes made of it, by their name."""
    name = get.plan.model.value or get.text("model_name_or_path")
    return name is not None and QUANTIZED.search(name) is not None


def tokens_at_once(get: MemorySettings, algorithm: str, shape: Shape, of: Lengths) -> int | None:
    """Tokens whose logits are made at once; None where the trainer makes them itself."""
    if not by_unsloth(get) or algorithm not in ("sft", "grpo", "rloo"):
        return None
    return max(1, (_CHUNK if of.measured else _USUAL) // (4 * shape.vocab))


def keeps_wrapper(get: MemorySettings, algorithm: str) -> bool:
    """Whether accelerate makes the logits of a model fp32.

    unsloth has its mixed precision where an adapter is trained (`models/rl.py`), unwraps the model
    for GRPO alone (`models/rl_replacements.py`), and hands over no logits of a supervised loss.
    """
    return bool(get.plan.adapter.value) and algorithm not in ("sft", "grpo", "rloo")


def assumed(get: MemorySettings) -> Iterator[str]:
    """An assumption, where unsloth makes the model."""
    if by_unsloth(get):
        yield message("layers and loss of unsloth, as of 2026.8")
