"""RLB021: `+` adds a key that is there already."""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.rules._support.keys import refused, replaced

META = Meta(
    id="RLB021",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="`+` stands before a key that is there already.",
    why="Hydra's `+` adds a new key and stops with an error when the key has a value already.",
    instead="Write the key without `+`; `++` sets it whether it is there or not.",
    limits="`+` on a key whose value is null is allowed by Hydra and is not reported.",
    source="https://hydra.cc/docs/1.3/advanced/override_grammar/basic/, section on modifying the "
    "configuration",
    refusal=True,
    example=Example(
        bad=verl("+actor_rollout_ref.rollout.gpu_memory_utilization=0.6"),
        good=verl("actor_rollout_ref.rollout.gpu_memory_utilization=0.6"),
    ),
)


def check(context: RuleContext) -> Hits:
    """The overrides whose `+` Hydra would refuse."""
    for plan, setting, _ in refused(context, "exists"):
        earlier = _earlier(plan, setting)
        if earlier is not None:
            line = context.source.place(earlier.key_span).line
            text = message(
                "{key} is set at line {line} already, so + cannot add it again",
                key=setting.key,
                line=line,
            )
        else:
            text = message("{key} exists, so + cannot add it", key=setting.key)
        edits = replaced(context, setting, setting.key)
        yield Hit(
            message=text,
            span=setting.key_span,
            help=message("write {key} without the +", key=setting.key),
            fix_title=message("remove the +"),
            # Hydra refuses the script as it is, and advises exactly this.
            fix_safe=earlier is None,
            edits=edits,
        )


def _earlier(plan: Plan, setting: Setting) -> Setting | None:
    for other in plan.settings:
        if other is setting:
            return None
        if other.key == setting.key:
            return other
    return None
