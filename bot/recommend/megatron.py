"""How Megatron divides a model over many GPUs: the layouts that are tried where FSDP does not do.

The order is that of what they cost in time: tensor parallelism talks in every layer and stays in a
node, a pipeline waits at its ends. Experts are shared out as far as they go, as verl's scripts of
large models have it.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.devices import GIB
from bot.memory.shapes.mixers import Mamba, ShortConvolution, SlidingAttention
from bot.memory.shapes.shape import Shape
from bot.recommend.options import Step
from bot.recommend.request import MegatronLayout, Request

_LEAST: tuple[Step, ...] = (("checkpointing", 1), ("micro", 1))
_ON_HOST: tuple[Step, ...] = (("offload", 1), ("cpu-optimizer", 1))
TENSORS = (1, 2, 4, 8, 16, 32)
"""Sizes of the engine's tensor parallelism."""
_NODE = 8
_BYTES = 6.0
"""Of a parameter: the weight in bf16, its gradient in fp32."""
_LEAST_LAYERS = 2
"""Layers of a stage, but for the last one."""


def has_megatron(request: Request, gpus: int) -> bool:
    """Whether a way with Megatron is made: whole nodes, full training of a policy, no critic.

    None for models of Mamba's layers, of convolutions or of two attentions: mbridge, by which
    verl's Megatron makes its models, has none of them (`register_model`, 10cb17f).
    """
    unbuilt = isinstance(request.model.shape.linear, (Mamba, ShortConvolution, SlidingAttention))
    return not unbuilt and (
        request.framework == "verl"
        and request.online
        and request.task != "ppo"
        and request.method == "full"
        and gpus % _NODE == 0
    )


def beside_layout(request: Request) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """What is on besides the layout, the cheaper first."""
    if not request.may_offload:
        return _LEAST, _LEAST
    return (*_LEAST, *_ON_HOST[:1]), (*_LEAST, *_ON_HOST)


def layouts(shape: Shape, gpus: int, usable_gib: float) -> Iterator[MegatronLayout]:
    """Each layout of the GPUs whose weights and gradients a card holds, the least divided first."""
    found = []
    for tensor in (1, 2, 4, 8):
        if shape.heads % tensor:
            continue
        for pipeline in range(1, gpus // tensor + 1):
            if gpus % (tensor * pipeline) or last_stage(shape.layers, pipeline) is None:
                continue
            layout = MegatronLayout(tensor, pipeline, _experts(shape, gpus, pipeline))
            if states(shape, layout) <= usable_gib * GIB:
                found.append(layout)
    yield from sorted(found, key=lambda one: (one.tensor * one.pipeline, one.pipeline))


def states(shape: Shape, layout: MegatronLayout) -> float:
    """Bytes of the weights and gradients on each GPU while the model is updated."""
    experts = shape.expert_parameters
    plain = (shape.parameters - experts) / (layout.tensor * layout.pipeline)
    return _BYTES * (plain + experts / (layout.expert * layout.pipeline))


def last_stage(layers: int, pipeline: int) -> int | None:
    """Layers of the last stage where the others have equally many; None where it cannot be.

    Of the two numbers that the others can have, the one with the smaller largest stage.
    """
    if pipeline == 1:
        return layers
    splits = [
        (each, layers - each * (pipeline - 1))
        for each in (layers // pipeline, -(-layers // pipeline))
    ]
    able = [split for split in splits if split[0] >= _LEAST_LAYERS and split[1] > 0]
    return min(able, key=max)[1] if able else None


def _experts(shape: Shape, gpus: int, pipeline: int) -> int:
    """The largest size of expert parallelism, at most a node, that shares the experts evenly."""
    if shape.experts is None:
        return 1
    sizes = (size for size in (8, 4, 2) if shape.experts.count % size == 0)
    return next((size for size in sizes if gpus % (size * pipeline) == 0), 1)
