"""Whether a model can be divided as the settings ask: what frameworks and engines assert."""

from __future__ import annotations

from bot.memory.settings import NoEstimateError
from bot.memory.shape import Shape
from bot.memory.workload import Layout, Workload


def check_sizes(workload: Workload) -> Workload:
    """The workload as it is; raises NoEstimateError with a sentence for what cannot start."""
    for pool in workload.pools:
        for role in pool.roles:
            _layout(role.layout, role.shape, role.name)
        if pool.engine is not None:
            tensor, heads = pool.engine.tensor, pool.engine.shape.heads
            if heads % tensor:
                raise NoEstimateError(
                    f"The engine's tensor parallel {tensor} does not divide the model's {heads} "
                    "attention heads."
                )
            if pool.engine.pipeline > pool.engine.shape.layers:
                raise NoEstimateError(
                    f"The engine's pipeline of {pool.engine.pipeline} stages is longer than the "
                    f"model's {pool.engine.shape.layers} layers."
                )
    return workload


def _layout(layout: Layout, shape: Shape, role: str) -> None:
    for name, size in (("tensor", layout.tensor), ("sequence", layout.sequence)):
        if shape.heads % size:
            raise NoEstimateError(
                f"The {role}'s {name} parallel {size} does not divide the model's {shape.heads} "
                "attention heads."
            )
    if layout.pipeline > shape.layers:
        raise NoEstimateError(
            f"The {role}'s pipeline of {layout.pipeline} stages is longer than the model's "
            f"{shape.layers} layers."
        )
    if layout.expert > 1:
        count = shape.experts.count if shape.experts else 0
        if not count:
            raise NoEstimateError(
                f"The {role}'s expert parallel is {layout.expert}, but its model has no experts."
            )
        if count % layout.expert:
            raise NoEstimateError(
                f"The {role}'s expert parallel {layout.expert} does not divide the model's {count} "
                "experts."
            )
