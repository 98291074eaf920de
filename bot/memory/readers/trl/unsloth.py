"""What unsloth changes of a trainer's memory: adapters, layers, the loss.

Source: unsloth and unsloth_zoo 2026.8. Adapters are in fp32, and nothing else is made fp32
(`prepare_model_for_training` of `training_utils.py`). What a layer keeps to be recomputed goes to
the host (`Unsloth_Offloaded_Gradient_Checkpointer` of `gradient_checkpointing.py`).

The supervised loss differs by release. Up to unsloth 2024.11.7 it takes whole logits, and makes
their gradient in their place (`kernels/cross_entropy_loss.py`); accelerate has made a copy in fp32
by then. From 2024.11.8 on only passes of 1024 tokens and less have logits (`CausalLM_fast_forward`
of `models/llama.py`, `fused_linear_cross_entropy` of unsloth_zoo's `loss_utils.py`). From
unsloth_zoo 2025.8.4 on those of a part of the tokens are made at once (`_get_chunk_multiplier` and
`get_chunk_size` of `fused_losses/cross_entropy_loss.py`): 1 GiB in fp32, from 2025.9.1 on what half
of the free memory takes, from 2026.7.1 on 4 GiB at most, from 2026.9.3 on as much at 16 bytes each.
They are compiled, so that they and their gradient are there in the type that is computed with
(`accumulate_chunk`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.base.messages import message
from bot.frameworks.plan_values import version_at_least
from bot.frameworks.python.unsloth import QUANTIZED
from bot.frameworks.trl.unsloth_release import LOSSES
from bot.memory.components.states import states
from bot.memory.readers.lengths import Lengths
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.shapes.shape import Shape
from bot.memory.workload import LEVELS, Engine, MemoryLevel, Role
from bot.shell.words import Unsloth

_STANDBY: Final = 0.85
"""The least share of an engine that stands by: 0.74 to 0.88 by the card's size."""
_CHUNK: Final = 1 << 28
"""Logits of 1 GiB in fp32."""
_ALL: Final = 1 << 40
"""More tokens than a pass has."""
_FEW: Final = 1024
"""Tokens of a pass whose logits are made where those of longer ones are not."""
_WHOLE, _NONE, _, _FILLING, _MOST, _NEWEST = LOSSES
_BY_TRL: Final = ((0, 25, _NEWEST), (0, 22, _FILLING), (0, 12, _NONE), (0, 0, _WHOLE))
"""A release of TRL's, and the loss that unsloth had at its time. unsloth takes TRL up to 0.24.0
from 2025.11.1 to 2026.9.9, and later ones since 2026.10 (its metadata)."""


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
    """Tokens whose logits unsloth makes at once; None where the trainer makes them itself.

    Without known lengths GRPO has fewer: those that are taken for granted are long, and the public
    peaks are nearest with it.
    """
    loss, more = _loss(get), of.measured
    if algorithm == "sft":
        if loss in (_WHOLE, _NONE):
            return _FEW if loss == _NONE else _ALL
        more = loss == _MOST
    elif algorithm not in ("grpo", "rloo"):
        return None
    return max(1, _CHUNK * (4 if more else 1) // shape.vocab)


def filling(get: MemorySettings, algorithm: str) -> tuple[MemoryLevel, ...]:
    """The levels at which logits are made by what is free of the card.

    That is the conservative one where no file says which release there is.
    """
    found = _unsloth(get)
    if found is None or algorithm != "sft":
        return ()
    if _loss(get) == _FILLING:
        return LEVELS
    return () if found.asked else ("conservative",)


def logit_bytes(get: MemorySettings, computes: float) -> float:
    """Bytes of a logit with its gradient, or before with accelerate's copy in fp32."""
    return computes + 4 if _loss(get) in (_WHOLE, _NONE) else 2 * computes


def keeps_wrapper(get: MemorySettings, algorithm: str) -> bool:
    """Whether accelerate makes the logits of a model fp32.

    unsloth has its mixed precision where an adapter is trained (`models/rl.py`), unwraps the model
    for GRPO alone (`models/rl_replacements.py`), and hands over no logits of a supervised loss.
    """
    return bool(get.plan.adapter.value) and algorithm not in ("sft", "grpo", "rloo")


def _loss(get: MemorySettings) -> str:
    """The release whose loss counts: by a file or an install, else by TRL's, else the newest."""
    found, read_by = _unsloth(get), get.plan.configuration
    if found is not None and found.loss_of:
        return found.loss_of
    if read_by.guessed:
        return _NEWEST
    return next(loss for *since, loss in _BY_TRL if version_at_least(get.plan, *since))


def assumed(get: MemorySettings, algorithm: str) -> Iterator[str]:
    """Whose layers and loss are taken and why, where unsloth makes the model."""
    if (found := _unsloth(get)) is None:
        return
    read_by = get.plan.configuration
    reason = found.asked or (
        message("nothing names its release")
        if read_by.guessed
        else message("TRL {release} is of its time", release=read_by.release)
    )
    yield message(
        "layers and loss of unsloth as since {since} ({reason})", since=_loss(get), reason=reason
    )
    if filling(get, algorithm) == ("conservative",):
        yield message(
            "at the conservative level a loss that fills the card, as unsloth 2025.9 to 2026.6 "
            "have it"
        )
