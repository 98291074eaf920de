"""RLB054: sequence parallelism without use_remove_padding."""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, LIMITS, SOURCE, trainers

_KEY = f"{ACTOR}.ulysses_sequence_parallel_size"
_PADDING = "actor_rollout_ref.model.use_remove_padding"

META = Meta(
    id="RLB054",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="Sequence parallelism is on and use_remove_padding is off.",
    why="Ulysses splits packed sequences; verl stops at its start when they are padded instead.",
    instead="Set actor_rollout_ref.model.use_remove_padding=True.",
    limits=(
        f"{LIMITS} Looks at the FSDP actor's ulysses_sequence_parallel_size, as verl's check does."
    ),
    source=SOURCE,
    example=Example(
        bad=verl(f"{_KEY}=2", f"{_PADDING}=False"),
        good=verl(f"{_KEY}=2", f"{_PADDING}=True"),
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's check of ulysses_sequence_parallel_size against use_remove_padding."""
    for values in trainers(context):
        # Until 0.5.0 the check left FSDP 2 out.
        fsdp2 = ("fsdp2",) if version_at_least(values.plan, 0, 6) else ()
        if values.text(f"{ACTOR}.strategy") not in ("fsdp", *fsdp2):
            continue
        parallel = values.number(_KEY)
        if parallel is not None and parallel > 1 and values.flag(_PADDING) is False:
            default = "" if values.plan.last(_PADDING) else message(" by default")
            yield hit(
                values.place(_PADDING, _KEY),
                "sequence-parallel size {parallel} needs use_remove_padding, which is off{default}",
                parallel=parallel,
                default=default,
                help=message("set {padding}=True", padding=_PADDING),
            )
