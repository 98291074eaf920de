"""A program of TRL's that is one process, and several GPUs."""

from __future__ import annotations

from typing import Final

from bot.frameworks.launchers.processes import without_launcher
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least

_REFUSED: Final = {
    **dict.fromkeys(("distillation", "dpo", "grpo", "kto", "rloo", "sft"), (1, 15)),
    "rm": (1, 16),
}
"""Algorithm to the first release whose trainer refuses `nn.DataParallel`, to which transformers'
`Trainer` takes where one process finds several GPUs. Source: `__init__` of the trainers in
`trl/trainer`; those in `trl/experimental` refuse nothing."""
_OF_SCRIPTS: Final = {"sft": (1, 5), "dpo": (1, 5), "kto": (1, 8)}
"""Algorithm to the first release of TRL whose script hands on a model's name; the others' do since
the release that loads a name so."""
_BITS: Final = ("load_in_4bit", "load_in_8bit")
_NAMED: Final = (0, 26)
"""The first release whose trainers load a name with `device_map="auto"`, where one process is all
(`create_model_from_path` of its `trainer/utils.py`)."""


def refuses_several(plan: Plan) -> bool:
    """Whether TRL's trainer refuses several GPUs in one process that has its model on one."""
    since = _REFUSED.get(plan.algorithm.value or "")
    return plan.framework == "trl" and since is not None and version_at_least(plan, *since)


def lies_over_several(plan: Plan) -> bool:
    """Whether one process of TRL's has the layers of its model on all GPUs that it finds."""
    if not without_launcher(plan):
        return False
    return (plan.written is not None and plan.written.placed == "balanced") or _by_name(plan)


def _by_name(plan: Plan) -> bool:
    """Whether a trainer of TRL's loads the model by its name, and lays it over what it finds."""
    if plan.written is not None:
        return plan.written.placed == "named" and version_at_least(plan, *_NAMED)
    since = _OF_SCRIPTS.get(plan.algorithm.value or "", _NAMED)
    # Its scripts put a quantized model on one (`get_kbit_device_map`).
    whole = plan.own_trainer or any(plan.last(key) for key in _BITS)
    return not whole and version_at_least(plan, *since)
