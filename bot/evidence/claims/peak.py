"""Peak memory: against the device, and whether the figures can be what they say they are.

Units: GiB is 2**30 bytes, also where a metric's name says "gb". The physical figure is NVML's, of
all processes on one GPU, from W&B's system stream. The allocator's is PyTorch's, of one rank, and
a running maximum: verl logs `max_memory_allocated` and never resets it while it trains
(verl/workers/fsdp_workers.py, megatron_workers.py).
"""

from __future__ import annotations

from typing import Final

from bot.base.devices import GIB, by_token
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, message, plural_message
from bot.evidence.facts import Facts, MetricSeries
from bot.evidence.metrics import ALLOCATED, RESERVED, highest
from bot.evidence.origins import how_often
from bot.evidence.subject import ClaimSubject, Observation, known
from bot.evidence.values import Missing
from bot.report import Claim
from bot.report.claims import ClaimName, ClaimSource, SourceName, SourcePart, claim_source
from bot.script.name import model_size, parameters

ABOVE: Final = 1.01
"""A physical peak above the device's memory by more than 1 % is another device's."""
_NOMINAL: Final = 0.9
"""Models are rounded up to their names' size by no more than a tenth (DeepSeek-R1-Distill-8B: 8.03,
Qwen2.5-0.5B: 0.494, Llama-3.2-3B: 3.2)."""
_BYTES: Final = 2
"""Bytes of a parameter in bfloat16, the smallest form that is trained or served unquantized."""


_MOST: Final = 1024.0
"""GiB that no GPU has; a figure beyond it is counted in another unit."""
_LEAST: Final = 0.05
"""GiB; what is shown as 0.0 is no peak of a training."""
_LONG: Final = 1e9
"""A figure that is shown by its power of ten."""
_LIKELY: Final = (0.5, 512.0)
"""Between which GiB a peak lies in one unit alone."""
_UNITS: Final = (("MiB", 2**10), ("KiB", 2**20), ("bytes", 2**30))


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest memory that was seen, and where."""

    gib: float
    source: ClaimSource
    series: MetricSeries
    gpu: int | None
    """Index of the GPU; None for the allocator's figure."""

    @property
    def physical(self) -> bool:
        """Whether it is memory of the device rather than of one process' allocator."""
        return self.gpu is not None


def peak_seen(facts: Facts) -> Peak | None:
    """The highest physical figure, else the allocator's; None when the run has neither.

    An allocator's figure that no GPU can have is none, nor one in which nothing trains.
    """
    if facts.system:
        index, series = max(facts.system.items(), key=lambda item: item[1].maximum)
        source = claim_source(SourceName.SYSTEM_STREAM, SourcePart(None, f"GPU {index}"))
        return Peak(series.maximum / GIB, source, series, index)
    for name, keys in (("reserved", RESERVED), ("allocated", ALLOCATED)):
        found = _possible(facts, keys)
        if found is not None:
            key = SourcePart(SourceName.HISTORY, f"{found.key} ({name})")
            return Peak(found.maximum, claim_source(key), found, None)
    return None


def _possible(facts: Facts, keys: tuple[str, ...]) -> MetricSeries | None:
    """The highest series with one of these names, where a GPU can have so much."""
    found = highest(facts.history, keys)
    return found if found is not None and _LEAST <= found.maximum <= _MOST else None


def device_memory(facts: Facts) -> int | None:
    """Bytes of the smallest GPU that the run names; None when it names none."""
    listed = [gpu.memory_bytes for gpu in facts.gpus if gpu.memory_bytes is not None]
    return min(listed, default=None)


def peak_claims(subject: ClaimSubject) -> list[Claim]:
    """The claim "peak memory", then those on whether the figures can be what they say they are."""
    found = [
        peak_claim(subject),
        _allocator(subject),
        _running_maximum(subject),
        _above_weights(subject),
        _against_estimate(subject),
    ]
    return [claim for claim in found if claim is not None]


def peak_claim(subject: ClaimSubject) -> Claim:
    """Peak memory against the device's: the physical figure first, the allocator's second."""
    facts, claim = subject.facts, ClaimName.PEAK
    total = _total(subject)
    claimed = None if total is None else message("at most {size} GiB", size=f"{total / GIB:.1f}")
    peak = peak_seen(facts)
    if peak is None:
        source = claim_source(SourceName.SYSTEM_STREAM, SourceName.HISTORY)
        return Observation(claim, claimed, None, source).inconclusive(_without_peak(facts))
    observed = f"{peak.gib:.1f} GiB"
    seen = plural_message(
        "{gib}, the only value",
        "{gib}, the highest of {count} values",
        peak.series.rows,
        gib=observed,
    )
    against = Observation(claim, claimed, observed, peak.source)
    if total is None:
        return against.inconclusive("{seen}; the device's memory is not known.", seen=seen)
    if peak.physical:
        return _physical(subject, against, peak, total, seen)
    if peak.gib * GIB > total:
        return against.inconclusive(
            "{seen} of one rank: more than the device has, as the allocator's figure may include "
            "memory that an inference engine has given back.",
            seen=seen,
        )
    return against.consistent(
        "{seen} of one rank; the allocator's figure may leave the inference engine out.", seen=seen
    )


def _without_peak(facts: Facts) -> Message:
    """Why a run shows no peak, a sentence."""
    series = highest(facts.history, RESERVED) or highest(facts.history, ALLOCATED)
    if series is None:
        return message(
            "The run has no memory metric, neither in the system stream nor {key} in the history.",
            key=ALLOCATED[0],
        )
    for unit, of_a_gib in _UNITS:
        if _LIKELY[0] < (size := series.maximum / of_a_gib) <= _LIKELY[1]:
            return message(
                "{key} reaches {value}, which no GPU has in GiB, the unit that frameworks log it "
                "in; taken for {unit} it is {size} GiB.",
                key=series.key,
                value=f"{series.maximum:,.0f}",
                unit=unit,
                size=f"{size:.1f}",
            )
    if series.maximum < _LEAST:
        value = f"{series.maximum:.1f}"
        return message(
            "{key} reaches {value} GiB: nothing trains in that.", key=series.key, value=value
        )
    value = f"{series.maximum:,.1f}" if series.maximum < _LONG else f"{series.maximum:.1e}"
    return message("{key} reaches {value} GiB, which no GPU can hold.", key=series.key, value=value)


def _physical(
    subject: ClaimSubject, against: Observation, peak: Peak, total: int, seen: str
) -> Claim:
    """The claim of a figure that is of all processes on one GPU."""
    facts = subject.facts
    if peak.gib * GIB > ABOVE * total:
        return against.inconsistent(
            "{seen} of GPU {gpu}: more than the device has.", seen=seen, gpu=peak.gpu
        )
    allocated = _possible(facts, ALLOCATED)
    if peak.gib <= 0:
        return against.inconclusive("{seen}: these are not the GPUs that trained.", seen=seen)
    if allocated is not None and peak.gib < allocated.maximum / 2:
        return against.inconclusive(
            "{seen} of GPU {gpu}, less than half of what the job allocated: these may not be the "
            "GPUs that trained.",
            seen=seen,
            gpu=peak.gpu,
        )
    sampled = message(
        "{seen} of GPU {gpu}; physical memory of all processes, sampled ({often}).",
        seen=seen,
        gpu=peak.gpu,
        often=how_often(facts),
    )
    used, watched = subject.plan.gpus_per_node.value, len(facts.system)
    if used is not None and used < watched:
        why = plural_message(
            "The job used {count} GPU of the {watched} that were watched: the fullest may be "
            "another's.",
            "The job used {count} GPUs of the {watched} that were watched: the fullest may be "
            "another's.",
            used,
            watched=watched,
        )
        return against.consistent("{said} {why}", said=sampled, why=why)
    return against.consistent(sampled)


def _total(subject: ClaimSubject) -> int | None:
    token = subject.name.device
    total = device_memory(subject.facts)
    if total is None and token is not None:
        total = max((device.memory_bytes for device in by_token(token)), default=None)
    return total


def _allocator(subject: ClaimSubject) -> Claim | None:
    """The allocator's figure beside the physical one; None when it is the only one, or missing."""
    facts, claim = subject.facts, ClaimName.ALLOCATOR_PEAK
    allocated = _possible(facts, ALLOCATED)
    if not facts.system or allocated is None:
        return None
    reserved = _possible(facts, RESERVED)
    observed = message("{gib} GiB allocated", gib=f"{allocated.maximum:.1f}")
    if reserved is not None:
        observed = message(
            "{gib} GiB allocated, {more} GiB reserved",
            gib=f"{allocated.maximum:.1f}",
            more=f"{reserved.maximum:.1f}",
        )
    source = claim_source(SourcePart(SourceName.HISTORY, allocated.key))
    total, physical = _total(subject), peak_seen(facts)
    most = max(series.maximum for series in (allocated, reserved) if series is not None)
    seen = Observation(claim, None, observed, source)
    if total is not None and most * GIB > total:
        return seen.inconclusive(
            "Of one rank; more than the device has, as it may include memory that an inference "
            "engine has given back."
        )
    if physical is not None and allocated.maximum > ABOVE * physical.gib:
        return seen.inconclusive(
            "Of one rank; more than the {gib} that were seen in use on a GPU: samples are 15 s "
            "apart, or these are not the GPUs that trained.",
            gib=f"{physical.gib:.1f} GiB",
        )
    return seen.consistent("Of one rank, and not more than what was in use on the fullest GPU.")


def _running_maximum(subject: ClaimSubject) -> Claim | None:
    """That the allocator's maximum never falls; None without two values of it."""
    facts = subject.facts
    series = _possible(facts, ALLOCATED) or _possible(facts, RESERVED)
    if subject.plan.framework != "verl" or series is None or series.rows < 2:
        return None
    claim = ClaimName.RUNNING_MAXIMUM
    source = claim_source(SourcePart(SourceName.HISTORY, series.key))
    claimed = message("never falls")
    observed = message("ends at {size} GiB", size=f"{series.last:.1f}")
    seen = Observation(claim, claimed, observed, source)
    if series.monotone:
        return seen.consistent(
            "The allocator's running maximum never falls, as in one process it cannot."
        )
    return seen.inconclusive(
        "The allocator's running maximum reached {gib} and fell again, which it does not within "
        "one process: the run was resumed, or its values are not those that were logged.",
        gib=f"{series.maximum:.1f} GiB",
    )


def _above_weights(subject: ClaimSubject) -> Claim | None:
    """That the physical peak holds at least the model's weights, spread over all GPUs."""
    peak, gpus = peak_seen(subject.facts), subject.plan.gpus.value
    path = subject.plan.model.value
    size = model_size(path) if path else None
    if peak is None or not peak.physical or not gpus or size is None or _quantized(subject):
        return None
    least = _NOMINAL * parameters(size) * _BYTES / gpus / GIB
    claim, claimed = ClaimName.ABOVE_WEIGHTS, message("at least {gib}", gib=f"{least:.1f} GiB")
    observed = f"{peak.gib:.1f} GiB"
    seen = Observation(claim, claimed, observed, peak.source)
    if peak.gib < least:
        reason = plural_message(
            "The weights of a model of {size} alone take {least} on {count} GPU in 16 bits, more "
            "than was seen in use: the model or the evidence is another one.",
            "The weights of a model of {size} alone take {least} on each of {count} GPUs in 16 "
            "bits, more than was seen in use: the model or the evidence is another one.",
            gpus,
            size=size.upper(),
            least=f"{least:.1f} GiB",
        )
        return seen.inconclusive(reason)
    reason = plural_message(
        "The weights of a model of {size} take {least} on {count} GPU in 16 bits.",
        "The weights of a model of {size} take {least} on each of {count} GPUs in 16 bits.",
        gpus,
        size=size.upper(),
        least=f"{least:.1f} GiB",
    )
    return seen.consistent(reason)


def _quantized(subject: ClaimSubject) -> bool:
    name = (subject.plan.model.value or "").casefold()
    if any(word in name for word in ("awq", "gptq", "int4", "4bit", "4-bit", "fp8", "int8", "bnb")):
        return True
    for key, given in subject.plan.resolved().items():
        value = known(given)
        if ("quant" in key or "4bit" in key or "8bit" in key) and (
            isinstance(value, Missing) or value not in (None, False, "", "null")
        ):
            return True
    return False


def _against_estimate(subject: ClaimSubject) -> Claim | None:
    """The physical peak against the prediction, when there is one."""
    estimate, peak = subject.context.estimate, peak_seen(subject.facts)
    if estimate is None or peak is None or not peak.physical:
        return None
    claim = ClaimName.AGAINST_ESTIMATE
    claimed = message(
        "{low} to {high} GiB",
        low=f"{estimate.floor_gib:.1f}",
        high=f"{estimate.conservative_gib:.1f}",
    )
    observed = f"{peak.gib:.1f} GiB"
    seen = Observation(claim, claimed, observed, peak.source)
    if peak.gib < estimate.floor_gib:
        return seen.inconclusive(
            "Below {floor}, which must be resident by the memory model: the estimate or the "
            "evidence is wrong, which a person should look at.",
            floor=f"{estimate.floor_gib:.1f} GiB",
        )
    if peak.gib > ABOVE * estimate.conservative_gib:
        return seen.inconclusive("Above what the memory model expects at most.")
    return seen.consistent(
        "Within what the memory model allows; it expects {expected}.",
        expected=f"{estimate.expected_gib:.1f} GiB",
    )
