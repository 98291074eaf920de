"""Names of metrics in the history of a run, by what they mean. Names drift, so each has several.

verl 0.1 to 0.9.1 logs them in trainer/ppo/metric_utils.py and its workers; verl main since 2026
puts the worker's role before them (`actor/`, `critic/`). OpenRLHF 0.3.8 to 0.11.2:
utils/logging_utils.py. TRL 0.13 to 1.16: trainer/grpo_trainer.py and rloo_trainer.py, of which
MLflow has no `train/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bot.base.regex import regex
from bot.evidence.facts import MetricSeries

RESERVED: Final = (
    "perf/max_memory_reserved_gb",
    "actor/perf/max_memory_reserved_gb",
    "critic/perf/max_memory_reserved_gb",
)
"""Most memory that PyTorch's allocator held on one rank, GiB; "gb" in the name is 2**30 bytes."""

ALLOCATED: Final = (
    "perf/max_memory_allocated_gb",
    "actor/perf/max_memory_allocated_gb",
    "critic/perf/max_memory_allocated_gb",
)
"""Most memory that tensors took on one rank, GiB."""

GLOBAL_STEP: Final = (
    "training/global_step",  # verl.
    "train/global_step",  # OpenRLHF, and transformers' trainers, TRL's among them.
)
"""Number of the training step, from 1."""

EACH_STEP: Final = (
    "timing_s/step",  # verl 0.2 to 0.3.1, whose tracker is told the number of the step alone.
    "timing/gen",  # verl 0.1.
    "train/loss",  # verl's fine-tuning.
)
"""What is logged once in each step, where the step's number is no metric."""

RESPONSE_MAX: Final = (
    "response_length/max",  # verl.
    "train/completions/max_length",  # TRL, as the next.
    "completions/max_length",
)
"""Tokens of the longest response of a step."""

RESPONSE_MEAN: Final = (
    "response_length/mean",  # verl.
    "train/response_length",  # OpenRLHF.
    "train/completions/mean_length",  # TRL, as the next.
    "completions/mean_length",
    "train/completion_length",  # TRL 0.14 to 0.16, as the next.
    "completion_length",
)
"""Tokens of the step's mean response."""

PROMPT_MAX: Final = ("prompt_length/max",)
PROMPT_MEAN: Final = ("prompt_length/mean",)
"""Tokens of a step's prompts, by verl."""

SEQUENCE_MAX: Final = ("global_seqlen/max",)
"""Tokens of the fullest rank in one step, by verl."""

GPU_MEMORY = regex(r"(?:system\.)?gpu\.([0-9]{1,4})\.memoryAllocatedBytes(?:/l:.*)?\Z", re.S)
"""NVML's used memory of one GPU, as W&B names it; `/l:` is the label of a writer in runs with
several."""

EVIDENCE: Final = frozenset(
    RESERVED
    + ALLOCATED
    + GLOBAL_STEP
    + RESPONSE_MAX
    + RESPONSE_MEAN
    + PROMPT_MAX
    + PROMPT_MEAN
    + SEQUENCE_MAX
)
"""All but EACH_STEP: what is read of a run's history wherever not all of it is."""

CHARTED: Final = (EVIDENCE - {*GLOBAL_STEP}) | {
    "perf/total_num_tokens",  # verl: tokens of the step's whole batch.
    "perf/throughput",  # verl: tokens per second and GPU.
}
"""Metrics whose curve is kept for the page of the run, where they are read."""

COMPARED: Final = CHARTED | {*GLOBAL_STEP}
"""Metrics of which some values are kept, to compare sources of one run."""


def highest(history: Mapping[str, MetricSeries], names: tuple[str, ...]) -> MetricSeries | None:
    """The series with the highest maximum among the names that the run has; None without any."""
    found = [history[name] for name in names if name in history]
    return max(found, key=lambda series: series.maximum, default=None)
