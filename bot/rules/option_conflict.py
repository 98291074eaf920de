"""RLB069: options of OpenRLHF that exclude or need each other."""

from __future__ import annotations

from bot.base.messages import pmessage
from bot.frameworks.plan_values import PlanValues, values_of, version_at_least
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import openrlhf
from bot.rules._support.openrlhf import (
    ALL,
    ASYNC,
    ENGINES,
    LIMITS,
    REMOTE,
    RING,
    ROLLOUT_BATCH,
    SAMPLES,
    SOURCE,
    has_no_reward_source,
    option,
    place,
    ray_trainers,
)
from bot.shell.source import Span

META = Meta(
    id="RLB069",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Two options of OpenRLHF's trainers exclude each other, or one needs another.",
    why="The trainer asserts against such pairs before it starts.",
    instead="Remove one of the two, or add the one that is needed.",
    limits=(
        f"{LIMITS} Knows: packing without vLLM, asynchronous training with sleeping engines, "
        "partial rollout or a larger batch to generate (since 0.10.2) without asynchronous "
        "training, evaluation or dynamic filtering without a reward URL or an agent, filtering of "
        "one sample a prompt, images with packing. Of SFT, DPO and reward models, since 0.6: ring "
        "attention without packing, turns without a chat template."
    ),
    source=f"{SOURCE}; the main parts of train_sft.py, train_dpo.py and train_rm.py beside it",
    example=Example(
        bad=openrlhf("--train.partial_rollout_enable"),
        good=openrlhf("--train.partial_rollout_enable", "--train.async_enable"),
        path="examples/scripts/train_ppo.sh",
    ),
)

_PACKING = ("ds.packing_samples", "packing_samples")
_SLEEP = ("vllm.enable_sleep", "vllm_enable_sleep")
_PARTIAL = ("train.partial_rollout_enable", "partial_rollout")
_EVALUATION = ("eval.dataset", "eval_dataset")
_GENERATED = ("rollout.vllm_generate_batch_size", "vllm_generate_batch_size")
_IMAGES = ("data.max_images_per_prompt", "max_images_per_prompt")
_TURNS, _TEMPLATE = (
    ("data.multiturn", "multiturn"),
    ("data.apply_chat_template", "apply_chat_template"),
)
_COLLECTED = tuple(f"openrlhf.cli.train_{name}" for name in ("sft", "dpo", "rm"))
_FILTERING = ("algo.dynamic_filtering_enable", "dynamic_filtering")


def check(context: RuleContext) -> Hits:
    """The trainer's assertions on pairs of options."""
    for values in ray_trainers(context):
        if values.on(*_PACKING) and values.on(*ENGINES) is False:
            yield _needs(values, _PACKING, ENGINES)
        if values.on(*_PARTIAL) and values.on(*ASYNC) is False:
            yield _needs(values, _PARTIAL, ASYNC)
        if values.on(*ASYNC) and values.on(*_SLEEP) and values.on(*ALL):
            # Without colocation the trainer switches the sleep off by itself.
            yield _excluded(values, ASYNC, _SLEEP)
        if has_no_reward_source(values):
            for keys in (_EVALUATION, _FILTERING):
                if values.on(*keys):
                    yield _needs(values, keys, REMOTE)
        yield from _batches(values)
    yield from _of_samples(context)


def _batches(values: PlanValues) -> Hits:
    """What the Ray trainer asks of the batches and samples that it generates."""
    generated, batch = values.whole(*_GENERATED), values.whole(*ROLLOUT_BATCH)
    larger = generated is not None and batch is not None and generated > batch
    if larger and version_at_least(values.plan, 0, 10, 2) and values.on(*ASYNC) is False:
        yield _needs(values, _GENERATED, ASYNC)
    if values.on(*_FILTERING) and values.whole(*SAMPLES) == 1:
        yield hit(
            _key(values, _FILTERING),
            "{first} filters groups of samples, and {second} is 1",
            first=option(values, *_FILTERING),
            second=option(values, *SAMPLES),
            help=message("set {second} above 1", second=option(values, *SAMPLES)),
        )
    if values.whole(*_IMAGES) and values.on(*_PACKING):
        yield _excluded(values, _IMAGES, _PACKING)


def _of_samples(context: RuleContext) -> Hits:
    """The assertions of the trainers on samples that are collected."""
    for plan in context.plans:
        if plan.framework != "openrlhf" or plan.table is None or not version_at_least(plan, 0, 6):
            continue
        values = values_of(plan)
        ring = plan.launch.entry in _COLLECTED and (values.whole(*RING) or 1) > 1
        if ring and values.on(*_PACKING) is False:
            yield _needs(values, RING, _PACKING)
        turns = plan.launch.entry == _COLLECTED[0] and values.on(*_TURNS)
        if turns and values.on(*_TEMPLATE) is False:
            yield _needs(values, _TURNS, _TEMPLATE)


def _excluded(values: PlanValues, first: tuple[str, ...], second: tuple[str, ...]) -> Hit:
    return hit(
        _key(values, second),
        "{first} and {second} exclude each other",
        first=option(values, *first),
        second=option(values, *second),
        help=pmessage("option-conflict", "remove one of the two"),
    )


def _needs(values: PlanValues, first: tuple[str, ...], second: tuple[str, ...]) -> Hit:
    names = {"first": option(values, *first), "second": option(values, *second)}
    return Hit(
        message=message("{first} needs {second}", **names),
        span=_key(values, first),
        help=message("add {second}, or remove {first}", **names),
    )


def _key(values: PlanValues, keys: tuple[str, ...]) -> Span:
    found = next((s for key in keys if (s := values.plan.last(key))), None)
    return found.key_span if found else place(values, keys)
