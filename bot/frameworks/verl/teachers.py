"""The teachers of verl's on-policy distillation, as a launch names them.

Source: `DistillationConfig` in `verl/workers/config/distillation.py` of verl 0.8 to 0.9.1.
"""

from __future__ import annotations

from typing import Final

from bot.frameworks.plan import Plan

ENTRIES: Final = "distillation.teacher_models"
ALONE: Final = "teacher_model"
"""The entry that verl's configuration has, which goes where another one is added."""


def teachers(plan: Plan) -> tuple[str, ...]:
    """The entries whose models are started: `teacher_model`, or all others where there are any."""
    keys = [setting.key for setting in plan.settings if setting.operator != "~"]
    keys += plan.table or ()
    under = f"{ENTRIES}."
    named = dict.fromkeys(k.removeprefix(under).split(".")[0] for k in keys if k.startswith(under))
    for setting in plan.settings:
        if setting.key == ENTRIES and isinstance(setting.value, dict):
            named |= dict.fromkeys(map(str, setting.value))
    return tuple(name for name in named if name != ALONE) or (ALONE,)
