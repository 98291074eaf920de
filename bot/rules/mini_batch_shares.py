"""RLB059: a mini batch cannot be divided among the data-parallel ranks."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues, version_at_least
from bot.rules._support import multiples
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import (
    ACTOR,
    LIMITS,
    ROLLOUT,
    data_parallel,
    doubted,
    has_text,
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
    summary="ppo_mini_batch_size × rollout.n cannot be shared among the data-parallel ranks.",
    why=(
        "Since verl 0.8.0 every rank takes an equal share of a mini batch; the worker stops with "
        "an AssertionError at the first update, after the first rollout has been paid for. The "
        "FSDP workers of 0.3.0 to 0.7.1 round the share down, and stop at their start where "
        "nothing is left."
    ),
    instead=(
        "Choose ppo_mini_batch_size so that its product with rollout.n is a multiple of the GPUs "
        "divided by sequence- or model-parallel size."
    ),
    limits=(
        f"{LIMITS} A warning since 0.8.0 where nobody names the release and an older one takes the "
        "settings too. Before, only a share of 0 is wrong, for FSDP, and not with "
        "trainer.use_legacy_worker_impl=disable. Silent where batch-divisibility says it of the "
        "same value, and since 0.8.0 for a launch that only validates."
    ),
    source=(
        "TrainingWorker.train_mini_batch in verl/workers/engine_workers.py: "
        "mini_batch_size % data-parallel size == 0; _update_actor in "
        "verl/trainer/ppo/ray_trainer.py multiplies by rollout.n; ActorRolloutRefWorker in "
        "verl/workers/fsdp_workers.py (0.3.0 to 0.7.1)"
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
        if _one_finding(context, values):
            continue
        if not version_at_least(values.plan, 0, 8):
            if mini * n < ranks and _rounds_down(context, values):
                yield _nothing_left(values, mini, n, ranks)
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


def _rounds_down(context: RuleContext, values: PlanValues) -> bool:
    """Whether the actor's worker is the one that asserts that a rank's share is not 0."""
    if not version_at_least(values.plan, 0, 3) or not is_fsdp(values):
        return False
    legacy = values.text("trainer.use_legacy_worker_impl") in (None, "auto", "enable")
    kept = ("ppo_mini_batch_size *= self.config.rollout.n\n", "should be larger than 0")
    return legacy and all(has_text(context, "workers/fsdp_workers.py", text) for text in kept)


def _nothing_left(values: PlanValues, mini: int, n: int, ranks: int) -> Hit:
    return hit(
        values.place(_MINI, f"{ROLLOUT}.n"),
        "ppo_mini_batch_size {mini} × rollout.n {n} = {product} leaves nothing to each of the "
        "{ranks} data-parallel ranks",
        mini=mini,
        n=n,
        product=mini * n,
        ranks=ranks,
        help=message("use {key}={better}", key=_MINI, better=-(-ranks // n)),
    )


def _one_finding(context: RuleContext, values: PlanValues) -> bool:
    """Whether one value is batch and mini batch, of which batch-divisibility says as much."""
    places = [values.place(key, f"{ROLLOUT}.n") for key in (_MINI, "data.train_batch_size")]
    same = places[0] == places[1] and values.number("data.train_batch_size") == values.number(_MINI)
    static = values.flag(f"{ACTOR}.use_dynamic_bsz") is False
    return same and is_fsdp(values) and static and refuses(context, "real_train_batch_size")
