"""RLB059: a mini batch cannot be divided among the data-parallel ranks."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues, version_at_least
from bot.rules._support import multiples
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import (
    ACTOR,
    LIMITS,
    ROLLOUT,
    data_parallel,
    doubted,
    is_fsdp,
    only_validates,
    refuses,
    trainers,
)

_MINI = f"{ACTOR}.ppo_mini_batch_size"

META = Meta(
    id="RLB059",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="ppo_mini_batch_size × rollout.n is no multiple of the data-parallel size.",
    why=(
        "Since verl 0.8.0 every rank takes an equal share of a mini batch; the worker stops with "
        "an AssertionError at the first update, after the first rollout has been paid for."
    ),
    instead=(
        "Choose ppo_mini_batch_size so that its product with rollout.n is a multiple of the GPUs "
        "divided by sequence- or model-parallel size."
    ),
    limits=(
        f"{LIMITS} Not checked before 0.8.0, which divided in another way; a warning where nobody "
        "names the release and an older one takes the settings too. Silent where "
        "batch-divisibility says it of the same value, and for a launch that only validates."
    ),
    source=(
        "TrainingWorker.train_mini_batch in verl/workers/engine_workers.py: "
        "mini_batch_size % data-parallel size == 0; _update_actor in "
        "verl/trainer/ppo/ray_trainer.py multiplies by rollout.n"
    ),
    example=Example(
        bad=verl(f"{_MINI}=36", f"{ROLLOUT}.n=5", before="# verl: 0.9.1"),
        good=verl(f"{_MINI}=40", f"{ROLLOUT}.n=5"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's assertion in the worker that updates the actor."""
    for values in trainers(context):
        mini, n, ranks = values.number(_MINI), values.number(f"{ROLLOUT}.n"), data_parallel(values)
        if not mini or not n or not ranks or (mini * n) % ranks == 0:
            continue
        if not version_at_least(values.plan, 0, 8) or _one_finding(context, values):
            continue
        if only_validates(values):
            continue
        better = multiples.at_least(mini, multiples.step(n, ranks))
        yield hit(
            values.place(_MINI, f"{ROLLOUT}.n"),
            "ppo_mini_batch_size {mini} × rollout.n {n} = {product} is no multiple of the "
            "data-parallel size {ranks}",
            mini=mini,
            n=n,
            product=mini * n,
            ranks=ranks,
            severity=doubted(values.plan, "0.7.1"),
            help=message("use {key}={better}", key=_MINI, better=better),
        )


def _one_finding(context: RuleContext, values: PlanValues) -> bool:
    """Whether one value is batch and mini batch, of which batch-divisibility says as much."""
    places = [values.place(key, f"{ROLLOUT}.n") for key in (_MINI, "data.train_batch_size")]
    same = places[0] == places[1] and values.number("data.train_batch_size") == values.number(_MINI)
    static = values.flag(f"{ACTOR}.use_dynamic_bsz") is False
    return same and is_fsdp(values) and static and refuses(context, "real_train_batch_size")
