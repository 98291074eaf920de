"""RLB104: a training backend whose section the configuration does not have."""

from __future__ import annotations

from typing import Final

from bot.frameworks.plan_values import PlanValues
from bot.rules._support.base import Example, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, LIMITS, trainers

_KEY = f"{ACTOR}.strategy"

META = Meta(
    id="RLB104",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="`actor.strategy` names a backend that the launch's configuration is not for.",
    why=(
        "verl's configuration holds the settings of one backend, FSDP's by default. The strategy "
        "alone does not change that: the workers of the other backend look for settings that are "
        "not there and stop."
    ),
    instead=(
        "Choose the configuration of the backend: model_engine=megatron since 0.8.0, "
        "--config-name=ppo_megatron_trainer.yaml before."
    ),
    limits=f"{LIMITS} Knows megatron, veomni and torchtitan.",
    source=(
        "verl/trainer/config/ppo_trainer.yaml, ppo_megatron_trainer.yaml and model_engine/ (0.2 to "
        "0.9.1); main_ppo.py (until 0.7.1) and verl/workers/config/actor.py (since 0.8.0), which "
        "read the section that the strategy names"
    ),
    example=Example(
        bad=verl(f"{_KEY}=megatron"),
        good=verl("model_engine=megatron"),
        path="examples/tuning/7b/qwen2.5-7b_grpo_8_h100_megatron_vllm.sh",
    ),
)

_SECTIONS: Final = ("megatron", "veomni", "torchtitan")
"""Strategies whose settings stand in a section of the same name beside them."""


def check(context: RuleContext) -> Hits:
    """The strategies that a launch sets beside the configuration of another one."""
    for values in trainers(context):
        given = values.plan.last(_KEY)
        strategy = values.text(_KEY) if given else None
        section = f"{ACTOR}.{strategy}"
        if strategy not in _SECTIONS or values.has(section) is not False:
            continue
        if any(setting.key.startswith(f"{section}.") for setting in values.plan.settings):
            continue  # Settings of a section that is not there are another rule's.
        yield hit(
            values.place(_KEY),
            "actor.strategy is {strategy}, but the configuration has no {section}",
            strategy=strategy,
            section=section,
            help=_help(values, strategy),
        )


def _help(values: PlanValues, strategy: str) -> Message:
    engines = getattr(values.plan.table, "groups", {}).get("model_engine", ())
    if strategy in engines:
        return message("choose the whole configuration: model_engine={name}", name=strategy)
    if strategy == "megatron":
        option = "--config-name=ppo_megatron_trainer.yaml"
        return message("choose the whole configuration: {option}", option=option)
    return message("choose a configuration of {strategy}", strategy=strategy)
