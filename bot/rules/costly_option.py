"""RLB080: a script of recommended settings has an option on that costs time."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, RECOMMENDED_ONLY, advised
from bot.rules._support.verl import ACTOR, ROLLOUT

_OFFLOAD = f"{ACTOR}.fsdp_config.param_offload"

META = Meta(
    id="RLB080",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A script tagged RECOMMENDED has an option on that costs time.",
    why=(
        "RECOMMENDED means the best throughput: a script that avoids what takes time, on hardware "
        "where it can be avoided. Moving states to the host and back does take time, at every step."
    ),
    instead="Switch it off where the memory allows, or tag the script MIN.",
    limits=(
        f"{RECOMMENDED_ONLY} Offloading of the actor's parameters, optimizer and activations, and "
        "enforce_eager."
    ),
    source=f"verl's docs/perf/device_tuning.rst, on the two kinds of scripts; {GUIDE}",
    example=Example(
        bad=verl(f"{_OFFLOAD}=True", before="# tag: RECOMMENDED"),
        good=verl(f"{_OFFLOAD}=False", before="# tag: RECOMMENDED"),
    ),
)


def check(context: RuleContext) -> Hits:
    """The options that are known to be on."""
    states = message("states move to the host and back at every step")
    costs = {
        _OFFLOAD: states,
        f"{ACTOR}.fsdp_config.optimizer_offload": states,
        f"{ACTOR}.megatron.param_offload": states,
        f"{ACTOR}.megatron.optimizer_offload": states,
        "actor_rollout_ref.model.enable_activation_offload": message(
            "activations move to the host and back"
        ),
        f"{ROLLOUT}.enforce_eager": message("generation runs without CUDA graphs"),
    }
    for values in advised(context, ("RECOMMENDED",)):
        for key, cost in costs.items():
            if values.flag(key) is True:
                yield hit(
                    values.place(key),
                    "tagged RECOMMENDED, but {key} is on: {cost}",
                    key=key,
                    cost=cost,
                    help=message("set {key}=False if the memory allows", key=key),
                )
