"""Whether a program of TRL's lays one model over several GPUs."""

from __future__ import annotations

from bot.base.messages import Message, message
from bot.frameworks.launchers.processes import devices_listed, without_launcher
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory.device_map import over_cards
from bot.memory.readers.settings import NoEstimateError
from bot.memory.workload import Workload

_WITHIN = ("sft", "rm")
"""Whose loss the model makes itself, or makes no logits for."""
_OF_SCRIPTS = {"sft": (1, 5), "dpo": (1, 5), "kto": (1, 8)}
"""Algorithm to the first release of TRL whose script hands on a model's name; the others' do since
the release that loads a name so."""
_BITS = ("load_in_4bit", "load_in_8bit")
_NAMED = (0, 26)
"""The first release whose trainers load a name with `device_map="auto"`, where one process is all
(`create_model_from_path` of its `trainer/utils.py`)."""
_ALONE = {"rm": (1, 16)}
"""Algorithm to the first release that refuses several GPUs in one process; others' is 1.15."""


def cards(plan: Plan, gpus: int | None) -> int:
    """The GPUs over which one process lays its model; 1 where it has it on one.

    Raises NoEstimateError for several by a map that is not modelled, or by several processes.
    """
    shown = plan.launch.command.environment.get("CUDA_VISIBLE_DEVICES")
    listed = devices_listed(shown) if shown is not None else None
    count = plan.gpus.value or gpus or listed or 1
    placed = plan.written.placed if plan.written is not None else None
    if count < 2 or plan.framework != "trl":
        return 1
    alone = without_launcher(plan)
    if placed == "spread" or (placed == "balanced" and not alone):
        raise NoEstimateError(
            "device_map spreads the layers of the model over the GPUs, which is not modelled; with "
            "--gpus 1 all are on one."
        )
    return count if alone and (placed == "balanced" or _by_name(plan)) else 1


def _by_name(plan: Plan) -> bool:
    """Whether a trainer of TRL's loads the model by its name, and lays it over what it finds."""
    if plan.written is not None:
        return plan.written.placed == "named" and version_at_least(plan, *_NAMED)
    since = _OF_SCRIPTS.get(plan.algorithm.value or "", _NAMED)
    # Its scripts put a quantized model on one (`get_kbit_device_map`).
    whole = plan.own_trainer or any(plan.last(key) for key in _BITS)
    return not whole and version_at_least(plan, *since)


def laid_out(workload: Workload, plan: Plan, count: int) -> Workload:
    """The workload of one GPU over so many; how it lies is guessed by the release of TRL.

    TRL 0.28 and later are of the time of transformers 5, and work with 4 too.
    """
    since_transformers_5 = version_at_least(plan, 0, 28)
    within = plan.algorithm.value in _WITHIN
    return over_cards(workload, count, counts_ends=since_transformers_5, within=within)


def one_on_each(plan: Plan) -> Message:
    """What is taken of a program that nothing starts on each of several GPUs.

    transformers' trainer then copies the model to each GPU for every pass (`DataParallel`), which
    newer releases of TRL refuse.
    """
    if version_at_least(plan, *_ALONE.get(plan.algorithm.value or "", (1, 15))):
        return message(
            "a process on each GPU, as accelerate launch starts them: without, TRL refuses several"
        )
    return message("a process on each GPU, though no launcher starts them")
