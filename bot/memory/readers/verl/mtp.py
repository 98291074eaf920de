"""verl's multi-token prediction (`mtp` of the model since 0.7): a layer behind the last one.

Megatron's engine has it where it is on, trained or not (`check_mtp_config` of verl's
`utils/megatron_utils.py`). The reference has none, and transformers' models, which FSDP divides,
leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.base.messages import message
from bot.memory import constants
from bot.memory.readers.settings import MemorySettings
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Role

_LAYERS = 1
"""Those of DeepSeek V3, GLM-4.5, MiMo-7B, Qwen3-Next and Qwen3.5."""


def is_on(get: MemorySettings, model: str) -> bool:
    """Whether `model`'s settings ask for it."""
    return get.on(False, f"{model}.mtp.enable")


def with_mtp(role: Role, get: MemorySettings, model: str) -> Role:
    """A trained role with it: its states, and where it is trained its logits.

    Its loss is taken before that of the model and waits for its backward pass
    (`MTPLossAutoScaler`): the softmax in fp32 of Megatron's vocabulary-parallel cross entropy.
    """
    if not is_on(get, model) or role.backend != "megatron":
        return role
    trained = get.on(False, f"{model}.mtp.enable_train")
    return replace(
        role,
        shape=_longer(role.shape, role.layout.pipeline),
        update_logits=role.update_logits + (constants.MTP_LOGITS * _LAYERS if trained else 0.0),
    )


def assumed(get: MemorySettings, model: str, backend: str) -> Iterator[str]:
    """What is taken for granted of it."""
    if is_on(get, model) and backend == "megatron":
        yield message("one layer of multi-token prediction")


def _longer(shape: Shape, stages: int) -> Shape:
    """A model with it on the fullest stage of a pipeline, so one more on each.

    `MultiTokenPredictionLayer` of Megatron's `multi_token_prediction.py`: a layer as the others,
    three norms, and a matrix that makes one hidden state of two. Behind the first stage it has an
    embedding of its own.
    """
    more = _LAYERS * stages
    matrix = 2 * shape.hidden**2 + 3 * shape.norm + (shape.embedding if stages > 1 else 0)
    moe = shape.experts
    return replace(
        shape,
        layers=shape.layers + more,
        attending=None if shape.attending is None else shape.attending + more,
        dense=None if shape.dense is None else shape.dense + (0 if moe else more),
        experts=replace(moe, layers=moe.layers + more) if moe else None,
        beside=shape.beside + more * matrix,
    )
