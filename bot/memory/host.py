"""What is said of a host's memory: offloaded states and a sleeping engine against what it has.

The states have to be there. What the processes take besides (buffers, pinned copies, what data and
objects hold) is not modelled: the level above them is DeepSpeed's, whose estimators multiply the
states on the host by 1.5 (`additional_buffer_factor` of `estimate_zero3_model_states_mem_needs`).
Ray kills workers above 95 % of a node's memory (`RAY_memory_usage_threshold`, its documentation of
out-of-memory prevention).
"""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.memory.estimate import Fit

BUFFERS = 1.5
"""What DeepSpeed's estimators multiply states on the host by."""
RAY_SHARE = 0.95
"""Share of a node's memory above which Ray kills workers, unless it is told another."""


def uses_ray(plan: Plan) -> bool:
    """Whether Ray starts the workers: those of every framework with an engine but TRL."""
    return plan.framework != "trl" and plan.infer.value is not None


def host_outcome(states: float, memory: float, *, ray: bool) -> Fit:
    """The verdict on a host of `memory` GiB that holds `states` GiB."""
    if states > memory:
        return "impossible"
    usable = memory * RAY_SHARE if ray else memory
    if states > usable:
        return "likely OOM"
    return "tight" if states * BUFFERS > usable else "fits"
