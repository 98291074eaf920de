"""Names of metrics in the history of a run, by what they mean. Names drift, so aliases are data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.evidence.facts import MetricSeries

Unit: TypeAlias = Literal["GiB", "steps", "tokens"]

_VERL: Final = "verl 0.1 to 0.9.1, trainer/ppo/metric_utils.py and workers"
_VERL_2026: Final = "verl main since 2026, metrics prefixed with the worker's role"
_TRL: Final = (
    "TRL 0.13 to 1.16, trainer/grpo_trainer.py and rloo_trainer.py; MLflow has no `train/`"
)
_OPENRLHF: Final = "OpenRLHF 0.3.8 to 0.11.2, utils/logging_utils.py"


@dataclass(frozen=True, slots=True)
class Alias:
    """One name under which a framework logs a metric."""

    key: str
    unit: Unit
    source: str
    """Which framework and releases log it so."""


RESERVED: Final = (
    Alias("perf/max_memory_reserved_gb", "GiB", _VERL),
    Alias("actor/perf/max_memory_reserved_gb", "GiB", _VERL_2026),
    Alias("critic/perf/max_memory_reserved_gb", "GiB", _VERL_2026),
)
"""Most memory that PyTorch's allocator held on one rank; "gb" in the name is 2**30 bytes."""

ALLOCATED: Final = (
    Alias("perf/max_memory_allocated_gb", "GiB", _VERL),
    Alias("actor/perf/max_memory_allocated_gb", "GiB", _VERL_2026),
    Alias("critic/perf/max_memory_allocated_gb", "GiB", _VERL_2026),
)
"""Most memory that tensors took on one rank."""

GLOBAL_STEP: Final = (
    Alias("training/global_step", "steps", _VERL),
    Alias("train/global_step", "steps", f"{_OPENRLHF}; transformers' trainers, TRL's among them"),
)
"""Number of the training step, from 1."""

RESPONSE_MAX: Final = (
    Alias("response_length/max", "tokens", _VERL),
    Alias("train/completions/max_length", "tokens", _TRL),
    Alias("completions/max_length", "tokens", _TRL),
)
RESPONSE_MEAN: Final = (
    Alias("response_length/mean", "tokens", _VERL),
    Alias("train/response_length", "tokens", _OPENRLHF),
    Alias("train/completions/mean_length", "tokens", _TRL),
    Alias("completions/mean_length", "tokens", _TRL),
)
PROMPT_MAX: Final = (Alias("prompt_length/max", "tokens", _VERL),)
PROMPT_MEAN: Final = (Alias("prompt_length/mean", "tokens", _VERL),)
SEQUENCE_MAX: Final = (Alias("global_seqlen/max", "tokens", _VERL),)
"""Tokens of the fullest rank in one step."""

GROUPS: Final = (
    RESERVED,
    ALLOCATED,
    GLOBAL_STEP,
    RESPONSE_MAX,
    RESPONSE_MEAN,
    PROMPT_MAX,
    PROMPT_MEAN,
    SEQUENCE_MAX,
)

CHARTED: Final = frozenset(
    {
        *(alias.key for group in GROUPS for alias in group if group is not GLOBAL_STEP),
        "perf/total_num_tokens",  # verl: tokens of the step's whole batch.
        "perf/throughput",  # verl: tokens per second and GPU.
    }
)
"""Metrics whose curve is kept for the page of the run, where they are read."""

COMPARED: Final = CHARTED | {alias.key for alias in GLOBAL_STEP}
"""Metrics of which some values are kept, to compare sources of one run."""


def highest(history: Mapping[str, MetricSeries], aliases: tuple[Alias, ...]) -> MetricSeries | None:
    """The series with the highest maximum among the names that the run has; None without any."""
    found = [history[alias.key] for alias in aliases if alias.key in history]
    return max(found, key=lambda series: series.maximum, default=None)
