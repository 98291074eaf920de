"""Which savings of memory a launch of TRL's has on, as the estimate reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bot.base.fast_dataclass import dataclass
from bot.frameworks.launchers.processes import without_launcher
from bot.frameworks.plan import Plan
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.readers.trl.backend import (
    backend_of,
    deepspeed_file,
    offload_of,
    preset_path,
)
from bot.memory.readers.trl.recomputation import recomputes

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """What is on; None where the settings do not tell."""

    weights: bool | None
    """Whether they are on the host."""
    optimizer: bool | None
    checkpointing: bool | None


def saving_of(plan: Plan) -> Saving:
    """What a launch saves. Never raises: what a file says that was not read is not known."""
    get = MemorySettings(replace(plan, settings=(*plan.settings, *plan.made)))
    moved = _known(lambda: _moved(get))
    weights, optimizer = moved if moved is not None else (None, None)
    return Saving(
        weights=weights, optimizer=optimizer, checkpointing=_known(lambda: recomputes(get))
    )


def _moved(get: MemorySettings) -> tuple[bool, bool] | None:
    """Whether weights and optimizer are on the host."""
    if get.plan.train.value is None and not without_launcher(get.plan):
        return None  # A recipe alone, or a launcher whose file was not read.
    backend = backend_of(get)
    unread = preset_path(get) and deepspeed_file(get) is None
    if get.plan.train.value == "deepspeed" and unread:
        return None
    weights, _, optimizer = offload_of(get, backend)
    return weights != "none", optimizer != "none"


def _known(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except NoEstimateError:
        return None
