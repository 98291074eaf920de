"""The memory estimate of a launch."""

from __future__ import annotations

from typing import Literal

from bot.base.fast_dataclass import dataclass
from bot.report.base import ReportPart


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateStage(ReportPart):
    """What one stage of a training step takes of each GPU, GiB (2**30 bytes)."""

    stage: str
    """loading, rollout, weight sync, log-prob, reward, critic, update, optimizer, evaluation."""
    pool: str
    """Which of the job's GPUs: "all roles", "training", "rollout", …"""
    floor_gib: float
    """What must be resident."""
    expected_gib: float
    conservative_gib: float
    """With long sequences: half of every maximum, one of full length in each pass."""
    components: dict[str, float]
    """What takes it, at the expected level, GiB."""
    card_gib: float | None = None
    """What a card shows: what is expected, and freed blocks that the allocator keeps while there is
    room."""
    card_conservative_gib: float | None = None
    """The same with long sequences, and as far above as nine of ten measured peaks at most were."""
    allocated_gib: float | None = None
    """What torch reports as allocated by the trainers' processes, no engine's part among it."""
    allocated_conservative_gib: float | None = None
    """The same with long sequences, and as far above as nine of ten measured peaks at most were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateAllocated(ReportPart):
    """What torch reports of the training process: its own peak of allocated memory, GiB."""

    floor_gib: float
    expected_gib: float
    conservative_gib: float
    engine_gib: float
    """The part of what is expected that an inference engine in the same process keeps, asleep or
    not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateShortage(ReportPart):
    """An inference engine that does not start, since its share of the card is too little, GiB."""

    share_gib: float
    """What `gpu_memory_utilization` or `mem_fraction_static` gives it."""
    needed_gib: float
    components: dict[str, float]
    """What has to go into the share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateLengths(ReportPart):
    """At which lengths a launch is likely to run out of memory, where none are given."""

    oom: Literal["any", "from", "none"]
    """any: whatever the lengths; none: at none that the settings allow; from: from some on."""
    from_tokens: int | None = None
    """From which mean length of a whole sequence on, tokens; two digits count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateCard(ReportPart):
    """What a launch takes of one card, where nothing says on which it runs."""

    device: str
    outcome: Literal["impossible", "likely OOM", "tight", "fits", "no prediction"]
    """no prediction where a setting that is not modelled may decide it on this card."""
    usable_gib: float
    peak_gib: float | None
    """Expected peak; null without a prediction."""
    host_gib: float | None = None
    """Memory of one host that offloaded states take."""
    host_memory_gib: float | None = None
    """Memory that a host has, where it was given."""
    host_outcome: Literal["impossible", "likely OOM", "tight", "fits"] | None = None
    """What the two say together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateOption(ReportPart):
    """A setting that would lower the peak."""

    setting: str
    """As the framework writes it: actor_rollout_ref.actor.fsdp_config.param_offload=True."""
    saves_gib: float
    """By how much the expected peak falls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(ReportPart):
    """What a launch takes of a device, as the memory model expects it."""

    outcome: Literal["impossible", "likely OOM", "tight", "fits", "no prediction"]
    """impossible rests on the floor alone; no prediction comes with its reason."""
    reason: str | None = None
    """Why there is no prediction."""
    cards: tuple[EstimateCard, ...] = ()
    """The verdict on common cards, where that the device is not known is the reason."""
    unknown_model: str | None = None
    """The model whose shape is not known, where that is the reason."""
    model: str | None = None
    device: str | None = None
    gpus: int | None = None
    memory_gib: float | None = None
    """Memory of the device."""
    usable_gib: float | None = None
    """What a process can take of it."""
    binding: str | None = None
    """The stage that takes the most."""
    peak_gib: float | None = None
    """Expected peak."""
    stages: tuple[EstimateStage, ...] = ()
    engine_short: EstimateShortage | None = None
    """The engine that lacks the most to start, None where all do."""
    allocated: EstimateAllocated | None = None
    """What a run logs as `perf/max_memory_allocated_gb` (verl)."""
    options: tuple[EstimateOption, ...] = ()
    """What would help, the most first."""
    applied: tuple[str, ...] = ()
    """Memory-saving settings that are on already."""
    host_gib: float | None = None
    """Memory of one host that offloaded states take."""
    host_memory_gib: float | None = None
    """Memory that a host has, where it was given."""
    host_outcome: Literal["impossible", "likely OOM", "tight", "fits"] | None = None
    """What the two say together."""
    assumptions: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    """What the framework refuses of the launch, so that it cannot start: by `rlbot estimate`."""
    by_lengths: EstimateLengths | None = None
    """At which lengths it is likely to fail: by `rlbot estimate`, where none are given."""
    measured_lengths: bool = False
    """True when the lengths are those of the run."""
