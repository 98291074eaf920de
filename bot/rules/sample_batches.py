"""RLB068: fewer batches of samples than processes that take them."""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import openrlhf
from bot.rules._support.openrlhf import (
    ACTOR_GPUS,
    ACTOR_NODES,
    LIMITS,
    RING,
    ROLLOUT_BATCH,
    ROLLOUT_MICRO,
    SAMPLES,
    SOURCE,
    TENSOR,
    place,
    product,
    ray_trainers,
    size,
)

META = Meta(
    id="RLB068",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="A rollout gives fewer micro batches of samples than the actor has processes.",
    why="Some process would get no sample; OpenRLHF asserts against it at its start.",
    instead=(
        "Raise the rollout batch or the samples per prompt, or lower the rollout's micro batch."
    ),
    limits=f"{LIMITS} Checked since OpenRLHF 0.8.0.",
    source=SOURCE,
    example=Example(
        bad=openrlhf(
            "--rollout.batch_size 8",
            "--rollout.n_samples_per_prompt 2",
            "--rollout.micro_batch_size 4",
        ),
        good=openrlhf(
            "--rollout.batch_size 128",
            "--rollout.n_samples_per_prompt 2",
            "--rollout.micro_batch_size 4",
        ),
        path="examples/scripts/train_ppo.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """OpenRLHF's last assertion before it starts."""
    for values in ray_trainers(context):
        samples, batch = values.whole(*SAMPLES), values.whole(*ROLLOUT_BATCH)
        micro, gpus = values.whole(*ROLLOUT_MICRO), product(values, ACTOR_NODES, ACTOR_GPUS)
        ring, tensor = size(values, *RING), size(values, *TENSOR)
        if not samples or not batch or not micro or not gpus or not ring or not tensor:
            continue
        batches, ranks = samples * batch // micro, gpus // ring // tensor
        if batches >= ranks or not version_at_least(values.plan, 0, 8):
            continue
        yield hit(
            place(values, ROLLOUT_BATCH, SAMPLES, ROLLOUT_MICRO),
            "{samples} samples × {batch} prompts ÷ micro batch {micro} = {batches} batches, "
            "fewer than the actor's {ranks} processes",
            samples=samples,
            batch=batch,
            micro=micro,
            batches=batches,
            ranks=ranks,
            help=message("raise the rollout batch, or lower its micro batch"),
        )
