"""RLB066: colocated vLLM engines that take another number of GPUs than the actor."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import openrlhf
from bot.rules._support.openrlhf import (
    ACTOR_GPUS,
    ACTOR_NODES,
    ALL,
    ASYNC,
    ENGINE_SIZE,
    ENGINES,
    LIMITS,
    SOURCE,
    is_on,
    option,
    place,
    product,
    ray_trainers,
)

META = Meta(
    id="RLB066",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Colocated vLLM engines take another number of GPUs than the actor.",
    why=(
        "With all models on the same GPUs OpenRLHF asserts that the actor's nodes × GPUs equal "
        "engines × tensor-parallel size, and stops at its start."
    ),
    instead="Choose engines × tensor-parallel size equal to the actor's GPUs.",
    limits=f"{LIMITS} Not checked for asynchronous training, where the engines stand apart.",
    source=SOURCE,
    example=Example(
        bad=openrlhf("--vllm.num_engines 8"),
        good=openrlhf("--vllm.num_engines 4"),
        path="examples/scripts/train_ppo.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """OpenRLHF's assertion for --colocate_all."""
    for values in ray_trainers(context):
        engines, size = values.whole(*ENGINES), values.whole(*ENGINE_SIZE)
        actor = product(values, ACTOR_NODES, ACTOR_GPUS)
        if values.on(*ALL) is not True or is_on(values, ASYNC) is not False:
            continue
        if not engines or not size or not actor or engines * size == actor:
            continue
        yield hit(
            place(values, ENGINES, ENGINE_SIZE, ACTOR_GPUS),
            "{flag}: the actor has {nodes} × {gpus} = {actor} GPUs, the engines take "
            "{engines} × {size} = {taken}",
            flag=option(values, *ALL),
            nodes=values.whole(*ACTOR_NODES),
            gpus=values.whole(*ACTOR_GPUS),
            actor=actor,
            engines=engines,
            size=size,
            taken=engines * size,
            help=message("use {key} {better}", key=option(values, *ENGINES), better=actor // size)
            if actor % size == 0
            else message("make the two products equal"),
        )
