"""RLB060: a way of averaging the loss that verl does not have."""

from __future__ import annotations

import difflib

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import ACTOR, LIMITS, has_code_for, trainers

_KEY = f"{ACTOR}.loss_agg_mode"

META = Meta(
    id="RLB060",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="loss_agg_mode is none of the modes that verl knows.",
    why="verl checks the mode at its start and stops with a ValueError.",
    instead="Use token-mean, seq-mean-token-sum, seq-mean-token-mean or seq-mean-token-sum-norm.",
    limits=(
        f"{LIMITS} token-sum, which newer releases add, is never reported, nor is a mode that the "
        "repository's own copy of verl names, or that it registers."
    ),
    source=(
        "ActorConfig.__post_init__ in verl/workers/config/actor.py (since 0.6.0), _validate_config "
        "in verl/trainer/ppo/ray_trainer.py (0.4.0 to 0.5.0)"
    ),
    example=Example(bad=verl(f"{_KEY}=seq-mean"), good=verl(f"{_KEY}=seq-mean-token-sum")),
)

_MODES = ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm")


def check(context: RuleContext) -> Hits:
    """Verl's check of the mode."""
    for values in trainers(context):
        mode = values.text(_KEY)
        if mode is None or mode in (*_MODES, "token-sum"):
            continue
        if not version_at_least(values.plan, 0, 4) or has_code_for(context, mode):
            continue
        near = difflib.get_close_matches(mode, _MODES, n=1)
        yield hit(
            values.place(_KEY),
            "loss_agg_mode {mode} is none that verl knows: {known}",
            mode=mode,
            known=", ".join(_MODES),
            help=message("did you mean {near}?", near=near[0])
            if near
            else message("use one of them"),
        )
