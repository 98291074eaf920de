"""RLB140: the sequences of a rollout cannot be divided among the agent loop's workers."""

from __future__ import annotations

from math import gcd

from bot.frameworks.plan_values import PlanValues
from bot.rules._support import multiples
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import LIMITS, ROLLOUT, has_text, only_validates, trainers

_WORKERS = f"{ROLLOUT}.agent.num_workers"
_BATCHES = ("data.gen_batch_size", "data.train_batch_size")
_STATED = ("# verl: 0.8.0", "data.train_batch_size=12", f"{ROLLOUT}.n=5")

META = Meta(
    id="RLB140",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Prompts × responses cannot be divided evenly among the agent loop's workers.",
    why=(
        "An asynchronous rollout is divided among rollout.agent.num_workers processes, 8 by "
        "default. They must get equally many sequences; verl stops with an AssertionError as it "
        "first generates, after the models are loaded."
    ),
    instead=(
        "Choose rollout.agent.num_workers so that it divides train_batch_size × rollout.n, or a "
        "larger batch."
    ),
    limits=(
        f"{LIMITS} The releases 0.5.0 to 0.8.0 with rollout.mode=async, the default since 0.7.0; "
        "the trainer of 0.9.0 (trainer.use_v1) takes any number. Silent where VERL_AUTO_PADDING "
        "is set, for a launch that only validates, and for a copy of verl that does not divide so."
    ),
    source=(
        "AgentLoopManager.generate_sequences in verl/experimental/agent_loop/agent_loop.py and "
        "DataProto.chunk in verl/protocol.py; RayPPOTrainer.fit repeats the prompts before"
    ),
    example=Example(
        bad=verl(*_STATED[1:], before=_STATED[0]),
        good=verl(*_STATED[1:], f"{_WORKERS}=4", before=_STATED[0]),
    ),
)


def check(context: RuleContext) -> Hits:
    """The assertion of DataProto.chunk over what a step generates."""
    for values in trainers(context):
        batch, n = _batch(values), values.number(f"{ROLLOUT}.n")
        workers = values.number(_WORKERS)
        if not batch or not n or not workers or batch * n % workers == 0:
            continue
        if not _divides(values) or only_validates(values):
            continue
        if not has_text(
            context,
            "experimental/agent_loop/agent_loop.py",
            ".chunk(len(self.agent_loop_workers))",
        ):
            continue
        yield hit(
            values.place(_WORKERS, *_BATCHES, f"{ROLLOUT}.n"),
            "train_batch_size {batch} × rollout.n {n} = {product} is no multiple of the "
            "{workers} workers of the agent loop",
            batch=batch,
            n=n,
            product=batch * n,
            workers=workers,
            # Who names no release may run the newest one's trainer.
            severity="warning" if values.plan.configuration.guessed else None,
            help=message(
                "use {key}={fits}, or data.train_batch_size={better}",
                key=_WORKERS,
                fits=gcd(batch * n, workers),
                better=multiples.at_least(batch, multiples.step(n, workers)),
            ),
        )


def _batch(values: PlanValues) -> int | None:
    """The prompts of a step; None when that is not known."""
    key = next((key for key in _BATCHES if values.plan.last(key) is not None), _BATCHES[1])
    return values.number(key)


def _divides(values: PlanValues) -> bool:
    """Whether this trainer divides what it generates among the workers."""
    first = values.flag("trainer.use_v1") is True
    padded = "VERL_AUTO_PADDING" in values.plan.launch.command.environment
    return values.text(f"{ROLLOUT}.mode") == "async" and not first and not padded
