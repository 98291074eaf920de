"""RLB109: settings that the trainer of verl's mode separate_async, or its filter, refuses."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan_values import PlanValues
from bot.report import Severity
from bot.rules._support.base import Example, Hits, Message, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, LIMITS, ROLLOUT, has_text, refuses, trainers

_MODE = "trainer.v1.trainer_mode"
_STEP = "trainer.v1.separate_async.parameter_sync_step"
_BATCH, _MINI = "data.train_batch_size", f"{ACTOR}.ppo_mini_batch_size"
_BACKEND = f"{ROLLOUT}.checkpoint_engine.backend"
_NODES = f"{ROLLOUT}.nnodes"
_STEPPED = ("train_batch_size", "parameter_sync_step")
_FILE, _ALIKE = (
    "trainer/ppo/v1/trainer_separate_async.py",
    "train_batch_size == ppo_mini_batch_size",
)
"""What verl asserted until July 2026, before any release, in the place of the product."""
_FILTER, _METRIC = "algorithm.filter_groups.enable", "algorithm.filter_groups.metric"
_GOOD = (
    f"{_MODE}=separate_async",
    f"{_NODES}=1",
    f"{_BACKEND}=nccl",
    f"{_BATCH}=1024",
    f"{_MINI}=256",
)

META = Meta(
    id="RLB109",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Settings that verl's trainer refuses in its mode separate_async.",
    why=(
        "In this mode the rollout has GPUs of its own, which are none by default, weights go there "
        "by a backend other than the default, and a step is a whole number of mini batches. verl "
        "asserts all three before it starts."
    ),
    instead=(
        "Give the rollout nodes, choose a backend such as nccl, and make train_batch_size "
        "parameter_sync_step × ppo_mini_batch_size."
    ),
    limits=(
        f"{LIMITS} Since 0.9.0, with trainer.use_v1. Knows the filter of groups, too, which needs "
        "a metric. A warning where the repository's own copy of verl counts, which may ask for "
        "something else."
    ),
    source=(
        "PPOTrainerSeparateAsync in verl/trainer/ppo/v1/trainer_separate_async.py and "
        "_resolve_filter_groups_metric in trainer_base.py (verl 0.9.0 and 0.9.1)"
    ),
    example=Example(
        bad=verl(f"{_MODE}=separate_async"),
        good=verl(*_GOOD),
        path="examples/tuning/7b/qwen2.5-7b_grpo_16_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """What the trainer asserts of the settings when it is made."""
    for values in trainers(context):
        if values.flag("trainer.use_v1") is not True:
            continue
        severity: Severity | None = (
            "warning" if values.plan.configuration.source == "tree" else None
        )
        if values.text(_MODE) == "separate_async":
            for key, what, better in _refused(context, values):
                yield hit(
                    values.place(key, _MODE),
                    "separate_async: {what}",
                    what=what,
                    severity=severity,
                    help=message("set {key}", key=better),
                )
        metric = values.get(_METRIC)
        if values.flag(_FILTER) and metric is not None and metric.value is None:
            yield hit(
                values.place(_FILTER),
                "filter_groups is on and has no metric",
                severity=severity,
                help=message("set {key}", key=f"{_METRIC}=acc"),
            )


def _refused(context: RuleContext, values: PlanValues) -> Iterator[tuple[str, Message, str]]:
    """The setting at fault, what is wrong with it, and what to write."""
    if values.number(_NODES) == 0:
        text = message("the rollout has no nodes of its own, {key} is 0", key=_NODES)
        yield _NODES, text, f"{_NODES}=1"
    if values.text(_BACKEND) == "naive":
        text = message("{key} is naive, which knows colocated engines alone", key=_BACKEND)
        yield _BACKEND, text, f"{_BACKEND}=nccl"
    batch, mini, step = (values.number(key) for key in (_BATCH, _MINI, _STEP))
    if batch and mini and not refuses(context, *_STEPPED):
        if batch != mini and has_text(context, _FILE, _ALIKE):
            text = message(
                "train_batch_size {batch} is not ppo_mini_batch_size {mini}", batch=batch, mini=mini
            )
            yield _BATCH, text, f"{_BATCH}={mini}"
    elif batch and mini and step and batch != step * mini:
        text = message(
            "train_batch_size {batch} is not parameter_sync_step {step} × ppo_mini_batch_size "
            "{mini} = {product}",
            batch=batch,
            step=step,
            mini=mini,
            product=step * mini,
        )
        yield _BATCH, text, f"{_BATCH}={step * mini}"
