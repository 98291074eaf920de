"""RLB061: rollout.mode=sync, which is no more."""

from __future__ import annotations

from bot.frameworks.plan_values import values_of, version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.code import without_word
from bot.rules._support.example import verl
from bot.rules._support.verl import ROLLOUT, refuses

_KEY = f"{ROLLOUT}.mode"

META = Meta(
    id="RLB061",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The rollout's mode is sync, which verl removed.",
    why="Since verl 0.7.0 the configuration of the rollout raises a ValueError for sync.",
    instead="Remove the setting; async is what is left and the default.",
    limits=(
        "Not checked before 0.7.0, where sync was the default, nor where the repository's own copy "
        "of verl has no such check. A warning where nobody names the release."
    ),
    source="RolloutConfig.__post_init__ in verl/workers/config/rollout.py (since 0.7.0)",
    example=Example(bad=verl(f"{_KEY}=sync", before="# verl: 0.9.1"), good=verl()),
)


def check(context: RuleContext) -> Hits:
    """Launches of verl that set the removed mode."""
    for plan in context.plans:
        setting = plan.last(_KEY)
        if plan.framework != "verl" or setting is None or setting.value != "sync":
            continue
        if plan.table is None or not version_at_least(plan, 0, 7):
            continue
        if values_of(plan).text(_KEY) != "sync" or not refuses(context, "self.mode"):
            continue
        edits = without_word(context, setting.word)
        yield hit(
            setting.value_span,
            "rollout.mode sync was removed in verl 0.7.0",
            # Who names no release may run an older one.
            severity="warning" if plan.configuration.guessed else None,
            help=message("remove the setting: async is the default"),
            fix_title=message("remove {key}", key=_KEY),
            fix_safe=True,
            edits=edits,
        )
