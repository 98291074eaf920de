"""What torch reports of the training process, for comparing a run's own figures with.

verl logs `torch.cuda.max_memory_allocated()` of the actor's process as
`perf/max_memory_allocated_gb`, over the whole run (`fsdp_workers.py`, `megatron_workers.py`,
`engine_workers.py`). Contexts and other processes are not in it. Of an engine in the same process
weights and cache are, asleep or not: vLLM's sleep mode unmaps the memory below blocks that the
allocator still counts (`CuMemAllocator.sleep`).
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.memory.estimate import Spread, Stage
from bot.memory.units import NOTHING, Bytes, together
from bot.memory.workload import LEVELS, MemoryLevel, Pool

_KEPT_BY_ENGINE = frozenset(("engine weights", "engine cache"))


@dataclass(frozen=True, slots=True)
class ProcessPeak:
    """What the trainers' process has allocated at most."""

    allocated: Spread
    engine: Bytes
    """The expected part of it that an engine in the process keeps."""


def process_peak(pool: Pool, stages: Sequence[Stage]) -> ProcessPeak:
    """The peak of the process that trains a pool's roles; `stages` are the pool's."""
    inside = pool.engine is not None and pool.engine.in_process and pool.engine.name != "hf"

    def at(level: MemoryLevel) -> tuple[Bytes, Bytes]:
        most = max(stage.allocated(level) for stage in stages)
        engine = NOTHING
        if inside:
            rollout = next(stage for stage in stages if stage.name == "rollout")
            parts = rollout.components[level].items()
            engine = together(amount for name, amount in parts if name in _KEPT_BY_ENGINE)
        return most, engine

    floor, expected, conservative = (together(at(level)) for level in LEVELS)
    expected = max(floor, expected)
    allocated = Spread(floor, expected, max(expected, conservative))
    return ProcessPeak(allocated, at("expected")[1])
