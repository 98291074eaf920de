"""RLB055: the actor sizes its batches by tokens and the rollout does not, or the reverse."""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.keys import title
from bot.rules._support.verl import ACTOR, LIMITS, ROLLOUT, trainers

_TRAIN = f"{ACTOR}.use_dynamic_bsz"
_INFER = f"{ROLLOUT}.log_prob_use_dynamic_bsz"

META = Meta(
    id="RLB055",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="use_dynamic_bsz of the actor and log_prob_use_dynamic_bsz of the rollout differ.",
    why=(
        "One engine computes the update and the log-probabilities. Since verl 0.8.0 its worker "
        "stops with an AssertionError when the two flags differ."
    ),
    instead="Set the actor's flag alone: the rollout's follows it by default.",
    limits=f"{LIMITS} Not checked before verl 0.8.0, where the two may differ.",
    source=(
        "ActorRolloutRefWorker.init_model in verl/workers/engine_workers.py (verl 0.8.0 to 0.9.1): "
        "https://github.com/volcengine/verl/blob/main/verl/workers/engine_workers.py"
    ),
    example=Example(
        bad=verl(f"{_TRAIN}=True", f"{_INFER}=False"), good=verl(f"{_TRAIN}=True", f"{_INFER}=True")
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's assertion that the two flags are equal."""
    for values in trainers(context):
        train, infer = values.flag(_TRAIN), values.flag(_INFER)
        if train is None or infer is None or train == infer:
            continue
        if version_at_least(values.plan, 0, 8):
            yield hit(
                values.place(_INFER, _TRAIN),
                "{infer} is {one} and {train} is {other}; {verl} needs them equal",
                infer=_INFER,
                one=infer,
                train=_TRAIN,
                other=train,
                verl=title(values.plan),
                help=message("remove {infer}, which then follows the actor", infer=_INFER),
            )
