"""Whether each method fits the cards that one has, and how many more it would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.base.devices import Device
from bot.memory.units import Bytes
from bot.recommend.options import counts, divides
from bot.recommend.report import MethodVerdict
from bot.recommend.request import Request
from bot.recommend.search import FittingCandidate, NearestMiss, Search

MOST = 64
"""GPUs up to which more are tried where those that one has do not do."""
LENGTHS = tuple(1024 << n for n in range(1, 6))
"""Tokens of prompt and response that are tried: 2k to 32k, which every model here takes."""


def verdict_on(
    search: Search, device: Device, gpus: int, *, look_further: bool = True
) -> MethodVerdict:
    """The verdict on a number of GPUs, or on fewer of them where those alone do.

    Where it is no, with the number that would do.
    """
    miss: NearestMiss | None = None
    perhaps: FittingCandidate | None = None
    for some in _parts(search.request, gpus):
        fitting, missed = search.at(device, some)
        if fitting is not None and fitting.sure:
            return _verdict(search, fitting, some)
        perhaps, miss = perhaps or fitting, miss or missed
    if perhaps is not None:
        return _verdict(search, perhaps, perhaps.candidate.gpus)
    return _verdict_of_miss(
        search, device, gpus, miss, _larger_count(search, device, gpus) if look_further else None
    )


def _parts(request: Request, gpus: int) -> Sequence[int]:
    """The number of GPUs that a step can be shared out over, then fewer down to a power of two.

    Of 7 cards 4 may do what all of them cannot: no model has heads for 7.
    """
    able = [some for some in reversed(counts(gpus)) if divides(request, some)]
    least = 1 << (gpus.bit_length() - 1)
    return [some for some in able if some >= least] or able


def fewest(search: Search, device: Device, budget: int = MOST) -> MethodVerdict | None:
    """The fewest GPUs that surely do, else that may; None when none does within the budget."""
    fitting, _ = search.on(device, budget, least=True)
    if not fitting:
        return None
    best = next((one for one in fitting if one.sure), fitting[0])
    return _verdict(search, best, best.candidate.gpus)


def _larger_count(search: Search, device: Device, than: int) -> int | None:
    """The first larger number of GPUs that surely does, else the first that may."""
    perhaps: int | None = None
    for gpus in counts(max(MOST, 4 * than)):
        if gpus > than and divides(search.request, gpus):
            fitting, _ = search.at(device, gpus)
            if fitting is not None and fitting.sure:
                return gpus
            if fitting is not None and perhaps is None:
                perhaps = gpus
    return perhaps


def _verdict(search: Search, fitting: FittingCandidate, gpus: int) -> MethodVerdict:
    estimate = fitting.estimate
    verdict = _verdict_no(search, fitting.device, gpus, estimate.peak(), estimate.binding().name)
    return replace(verdict, verdict="fits" if fitting.sure else "may fit")


def _verdict_of_miss(
    search: Search, device: Device, gpus: int, miss: NearestMiss | None, more: int | None
) -> MethodVerdict:
    peak = miss.estimate.peak() if miss else Bytes(0)
    if miss is not None and miss.engine is not None and peak.in_gib <= device.usable_gib:
        # The stages would fit; what is too large is the engine beside them.
        peak, binding = miss.engine, "rollout"
    else:
        binding = miss.estimate.binding().name if miss else "batch"
    return replace(_verdict_no(search, device, gpus, peak, binding), more_gpus=more)


def _verdict_no(
    search: Search, device: Device, gpus: int, peak: Bytes, binding: str
) -> MethodVerdict:
    """What takes so much of each GPU at a stage; the verdict is no."""
    return MethodVerdict(
        model=search.request.model.name,
        method=search.request.method,
        device=device.label,
        gpus=gpus,
        verdict="no",
        peak_gib=round(peak.in_gib, 2),
        usable_gib=round(device.usable_gib, 2),
        margin_gib=round(device.usable_gib - peak.in_gib, 2),
        binding=binding,
    )
