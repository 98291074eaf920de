"""Whether a program of TRL's lays one model over several GPUs."""

from __future__ import annotations

from bot.base.messages import Message, message
from bot.frameworks.launchers.one_process import lies_over_several, refuses_several
from bot.frameworks.launchers.processes import devices_listed, without_launcher
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory.device_map import over_cards
from bot.memory.readers.settings import NoEstimateError
from bot.memory.workload import Workload

_WITHIN = ("sft", "rm")
"""Whose loss the model makes itself, or makes no logits for."""


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
    if placed == "spread" or (placed == "balanced" and not without_launcher(plan)):
        raise NoEstimateError(
            "device_map spreads the layers of the model over the GPUs, which is not modelled; with "
            "--gpus 1 all are on one."
        )
    return count if lies_over_several(plan) else 1


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
    if refuses_several(plan):
        return message(
            "a process on each GPU, as accelerate launch starts them: without, TRL refuses several"
        )
    return message("a process on each GPU, though no launcher starts them")
