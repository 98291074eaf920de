"""What a claim is about and where an observation comes from, as values that decisions compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

from bot.base.fast_dataclass import dataclass


class ClaimName(StrEnum):
    """The claims of a contribution; a setting's claim is called by the setting's key instead."""

    RUN = "run"
    SOURCES_AGREE = "sources agree"
    MODEL = "model"
    ALGORITHM = "algorithm"
    ADAPTER = "adapter"
    GPUS = "gpus"
    DEVICE = "device"
    TRAIN_BACKEND = "train backend"
    INFERENCE_ENGINE = "inference engine"
    TRAIN_BATCH = "train batch"
    MINI_BATCH = "mini batch"
    MICRO_BATCH = "micro batch per GPU"
    ROLLOUT_N = "rollout n"
    PROMPT_LENGTH = "prompt length"
    RESPONSE_LENGTH = "response length"
    STEPS = "steps without OOM"
    PEAK = "peak memory"
    ALLOCATOR_PEAK = "peak memory, allocator"
    RUNNING_MAXIMUM = "running maximum"
    ABOVE_WEIGHTS = "peak above the weights"
    AGAINST_ESTIMATE = "peak against the estimate"
    MAX_BATCH = "max batch"
    LEAST_HARDWARE = "least hardware"
    CONTRIBUTOR = "contributor"
    RELEASE_DATE = "newer than its release"
    USED_ONCE = "run used once"


class SourceName(StrEnum):
    """The parts of a run, of the page and of the script that an observation can come from."""

    RUN_CONFIG = "run config"
    PRINTED_CONFIG = "printed configuration"
    RECORDED_ARGUMENTS = "recorded arguments"
    RUN_RECORD = "run record"
    HOST_METADATA = "host metadata"
    REQUIREMENTS = "requirements.txt"
    SYSTEM_STREAM = "system stream"
    HISTORY = "history"
    PRINTED_STEPS = "printed steps"
    CONSOLE = "console"
    EXIT_RECORD = "exit record"
    RUN_STATE = "run state"
    OTHER_RUNS = "other runs of the project"
    TRIAL_LOG = "the script's trial log"
    PAGE = "page"
    SCRIPTS = "scripts"
    EVERY_SOURCE = "every source"


@dataclass(frozen=True, slots=True)
class SourcePart:
    """One place that an observation comes from."""

    name: SourceName | None
    """None where the detail says all: "GPU 3"."""
    detail: str = ""
    """Such as the key of the run's configuration."""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.name, self.detail)))


SourceGroups: TypeAlias = tuple[tuple[SourcePart, ...], ...]


class ClaimSource(str):
    """Where an observation comes from: the text of a report, which remembers its parts.

    Parts of a group are read together; a later group is what they were compared with.
    """

    __slots__ = ("groups",)

    groups: SourceGroups

    def __new__(cls, groups: SourceGroups) -> ClaimSource:
        """Make the text: "run config: KEY, requirements.txt; other runs of the project"."""
        source = super().__new__(cls, "; ".join(", ".join(map(str, group)) for group in groups))
        source.groups = groups
        return source

    def __reduce__(self) -> tuple[type[ClaimSource], tuple[SourceGroups]]:
        """How it is copied and pickled: reports are copied when they are printed."""
        return ClaimSource, (self.groups,)

    def renamed(self, names: Mapping[SourceName, SourceName]) -> ClaimSource:
        """The source with some parts under other names."""
        return ClaimSource(
            tuple(
                tuple(
                    replace(part, name=names.get(part.name, part.name)) if part.name else part
                    for part in group
                )
                for group in self.groups
            )
        )


def claim_source(*parts: SourceName | SourcePart) -> ClaimSource:
    """A source of these parts, read together."""
    listed = tuple(SourcePart(p) if isinstance(p, SourceName) else p for p in parts)
    return ClaimSource((listed,))


def source_groups(source: str) -> SourceGroups:
    """The parts of a claim's source; a text that was read back is one part without a name."""
    if isinstance(source, ClaimSource):
        return source.groups
    if isinstance(source, SourceName):
        return ((SourcePart(source),),)
    return ((SourcePart(None, source),),)


def source_names(source: str) -> frozenset[SourceName]:
    """The names of all parts of a claim's source."""
    return frozenset(p.name for group in source_groups(source) for p in group if p.name)


def read_together(first: str, second: str) -> ClaimSource:
    """Two sources that were read together: "run config: KEY, requirements.txt"."""
    *before, last = source_groups(first)
    following, *after = source_groups(second)
    return ClaimSource((*before, last + following, *after))


def compared_with(source: str, other: SourceName) -> ClaimSource:
    """A source and what it was compared with: "run config: KEY; other runs of the project"."""
    return ClaimSource((*source_groups(source), (SourcePart(other),)))
