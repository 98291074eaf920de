"""What the run went through: steps without an out-of-memory error, peak memory, the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.devices import GIB, by_token
from bot.evidence.facts import Facts, Series
from bot.evidence.metrics import ALLOCATED, GLOBAL_STEP, RESERVED, RESPONSE_MAX, highest
from bot.evidence.subject import Subject, made, setting_claim, unknown
from bot.report import Claim

MIN_STEPS: Final = 20
"""Steps after which responses of full length have been seen (verl's runs reach them within 20)."""
FULL_LENGTH: Final = 0.9
"""Share of max_response_length that counts as near it."""
ABOVE: Final = 1.01
"""A physical peak above the device's memory by more than 1 % is another device's."""
_ENDED_BY_HAND: Final = frozenset({0, 130, 143, 255})
"""Exit codes that are no failure: success, SIGINT, SIGTERM, and the SDK's own for Ctrl-C."""


def steps_completed(facts: Facts) -> int | None:
    """Training steps of this run; None when it logged no step number.

    Not more than the rows that hold it, since a resumed run goes on counting, and not more than the
    number itself, since a row may be written twice.
    """
    series = highest(facts.history, GLOBAL_STEP)
    return None if series is None else max(0, min(series.rows, int(series.maximum)))


def steps_claim(subject: Subject) -> Claim:
    """Whether the run got through enough steps, at full length, without running out of memory."""
    facts = subject.facts
    claim, claimed, steps = "steps without OOM", f"at least {MIN_STEPS}", steps_completed(facts)
    if facts.out_of_memory is not None:
        after = "" if steps is None else f" after {steps} steps"
        reason = f"The run reports an out-of-memory error{after}."
        return made(claim, claimed, facts.out_of_memory, "console", "inconsistent", reason)
    if steps is None:
        reason = f"The run's history has no {GLOBAL_STEP[0].key}."
        return unknown(claim, claimed, None, "history", reason)
    if steps < MIN_STEPS:
        reason = f"{steps} steps are too few to have seen responses of full length."
        return unknown(claim, claimed, steps, "history", reason)
    if facts.exit_code is not None and facts.exit_code not in _ENDED_BY_HAND:
        reason = f"The run ended with exit code {facts.exit_code}; its log does not say why."
        return unknown(claim, claimed, steps, "history, exit record", reason)
    limit = _response_limit(subject)
    longest = highest(facts.history, RESPONSE_MAX)
    if longest is None:
        reason = f"The run's history has no {RESPONSE_MAX[0].key}: how long responses were is open."
        return unknown(claim, claimed, steps, "history", reason)
    if limit is None:
        reason = "The longest response allowed is not known, so full length cannot be told."
        return unknown(claim, claimed, steps, "history", reason)
    if longest.maximum < FULL_LENGTH * limit:
        reason = (
            f"The longest response had {longest.maximum:g} of {limit} tokens: memory at full "
            "length was not shown."
        )
        return unknown(claim, claimed, steps, "history", reason)
    end = (
        "" if facts.exit_code is not None else "; the log has no end, so what followed is not known"
    )
    reason = f"{steps} steps, with responses of up to {longest.maximum:g} of {limit} tokens{end}."
    return made(claim, claimed, steps, "history", "consistent", reason)


def _response_limit(subject: Subject) -> int | None:
    field = subject.plan.max_response_length
    if field.value is not None:
        return field.value
    seen = subject.observe("response length", field.key)
    return seen.value if seen is not None and isinstance(seen.value, int) else None


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest memory that was seen, and where."""

    gib: float
    source: str
    series: Series
    physical: bool


def peak_seen(facts: Facts) -> Peak | None:
    """The highest physical figure, else the allocator's; None when the run has neither.

    The system stream is NVML's, of all processes on a GPU; the allocator's is one rank's.
    """
    if facts.system:
        index, series = max(facts.system.items(), key=lambda item: item[1].maximum)
        return Peak(series.maximum / GIB, f"system stream, GPU {index}", series, True)
    for name, aliases in (("reserved", RESERVED), ("allocated", ALLOCATED)):
        found = highest(facts.history, aliases)
        if found is not None:
            return Peak(found.maximum, f"history: {found.key} ({name})", found, False)
    return None


def device_memory(facts: Facts) -> int | None:
    """Bytes of the smallest GPU that the run names; None when it names none."""
    known = [gpu.memory_bytes for gpu in facts.gpus if gpu.memory_bytes is not None]
    return min(known, default=None)


def peak_claim(subject: Subject) -> Claim:
    """Peak memory against the device's."""
    facts, claim = subject.facts, "peak memory"
    token = subject.name.device
    total = device_memory(facts)
    if total is None and token is not None:
        total = max((device.memory_bytes for device in by_token(token)), default=None)
    claimed = None if total is None else f"at most {total / GIB:.1f} GiB"
    peak = peak_seen(facts)
    if peak is None:
        reason = (
            "The run has no memory metric, neither in the system stream nor "
            f"{ALLOCATED[0].key} in the history."
        )
        return unknown(claim, claimed, None, "system stream, history", reason)
    observed = f"{peak.gib:.1f} GiB"
    seen = f"{observed}, the highest of {peak.series.rows} values"
    if total is None:
        reason = f"{seen}; the device's memory is not known."
        return unknown(claim, claimed, observed, peak.source, reason)
    if not peak.physical:
        if peak.gib * GIB > total:
            reason = (
                f"{seen}: more than the device has, as the allocator's figure may include memory "
                "that an inference engine has given back."
            )
            return unknown(claim, claimed, observed, peak.source, reason)
        reason = f"{seen} of one rank; the allocator's figure may leave the inference engine out."
        return made(claim, claimed, observed, peak.source, "consistent", reason)
    if peak.gib * GIB > ABOVE * total:
        reason = f"{seen}: more than the device has."
        return made(claim, claimed, observed, peak.source, "inconsistent", reason)
    allocated = highest(facts.history, ALLOCATED)
    if peak.gib <= 0 or (allocated is not None and peak.gib < allocated.maximum / 2):
        reason = (
            f"{seen}, less than half of what the job allocated: these may not be the GPUs that "
            "trained."
        )
        if peak.gib <= 0:
            reason = f"{seen}: these are not the GPUs that trained."
        return unknown(claim, claimed, observed, peak.source, reason)
    reason = f"{seen}; physical memory of all processes, sampled (every 15 s by default)."
    return made(claim, claimed, observed, peak.source, "consistent", reason)


def batch_claim(subject: Subject) -> Claim | None:
    """MaxBatch: that the batch ran. One run cannot show that a larger one would not."""
    claim = setting_claim(subject, "train batch", subject.plan.train_batch_size)
    if claim is None:
        return None
    reason = claim.reason
    if claim.verdict == "consistent":
        reason = f"It fits: the run trained with {claim.observed}. Whether more fits was not shown."
    elif claim.verdict == "inconsistent":
        reason = f"The run trained with {claim.observed}, not with {claim.claimed}."
    return made("max batch", claim.claimed, claim.observed, claim.source, claim.verdict, reason)
