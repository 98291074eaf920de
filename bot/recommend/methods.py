"""Whether each method fits the cards that one has, and how many more it would take."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from bot.base.devices import Device
from bot.base.fast_dataclass import dataclass
from bot.memory.estimate import MemoryEstimate
from bot.recommend.fitting import FittingCandidate, NearestMiss
from bot.recommend.options import counts, divides
from bot.recommend.report import MethodVerdict
from bot.recommend.request import MOST_GPUS, Request
from bot.recommend.search import Search

MOST, TIMES = 64, 16
"""GPUs up to which more are tried where those that one has do not do: so many, or times as many."""
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
    verdict = _verdict_of_miss(search, device, gpus, miss)
    if not look_further:
        return verdict
    more = larger_counts(search, device, gpus)
    return replace(
        verdict, more_gpus=more.surely, may_fit_gpus=more.perhaps, too_few_gpus=more.too_few
    )


def _parts(request: Request, gpus: int) -> Sequence[int]:
    """The number of GPUs that a step can be shared out over, then fewer down to a power of two.

    Of 7 cards 4 may do what all of them cannot: no model has heads for 7.
    """
    able = [some for some in reversed(counts(gpus)) if divides(request, some)]
    if request.method == "qlora":
        return able  # Its script shares out nothing: one may do what two do not surely.
    least = 1 << (gpus.bit_length() - 1)
    return [some for some in able if some >= least] or able


def fewest(search: Search, device: Device, budget: int = MOST) -> MethodVerdict | None:
    """The fewest GPUs that surely do, else that may; None when none does within the budget."""
    fitting, _ = search.on(device, budget, least=True)
    if not fitting:
        return None
    best = next((one for one in fitting if one.sure), fitting[0])
    return _verdict(search, best, best.candidate.gpus)


@dataclass(frozen=True, slots=True)
class LargerCounts:
    """Numbers of GPUs that do where fewer do not; None for those that are not found."""

    surely: int | None
    perhaps: int | None
    """The first that may fit, where that is less than what surely does."""
    too_few: int
    """The most that were tried and do not surely do."""


def larger_counts(search: Search, device: Device, than: int) -> LargerCounts:
    """The first larger number of GPUs that surely does, and the first below it that may."""
    request, perhaps, too_few = search.request, None, _parts(search.request, than)[0]
    if request.default_batch not in (None, request.batch):
        # One that 7 GPUs can share out would leave out 8.
        request = replace(request, batch=request.default_batch)
        search = Search(request, search.release, search.host)
    for gpus in counts(min(max(MOST, TIMES * than), MOST_GPUS)):
        if gpus > than and divides(request, gpus):
            fitting, _ = search.at(device, gpus)
            if fitting is not None and fitting.sure:
                return LargerCounts(gpus, perhaps, too_few)
            too_few = gpus
            if fitting is not None and perhaps is None:
                perhaps = gpus
    return LargerCounts(None, perhaps, too_few)


def longest(search: Search, device: Device, gpus: int) -> int | None:
    """Tokens, the most of `LENGTHS`, that surely fit with every option, half of them the prompt.

    A longer one never takes less, so that they are halved like any sorted list.
    """
    request = search.request

    def too_long(tokens: int) -> bool:
        prompt = tokens // 2 if request.prompt else 0
        longer = replace(request, prompt=prompt, response=tokens - prompt)
        return not Search(longer, search.release, search.host).surely_fits(device, gpus)

    if not too_long(LENGTHS[-1]):
        return LENGTHS[-1]
    count = bisect_left(LENGTHS, True, key=too_long)
    return LENGTHS[count - 1] if count else None


def _verdict(search: Search, fitting: FittingCandidate, gpus: int) -> MethodVerdict:
    verdict = _verdict_no(search, fitting.device, gpus, fitting.estimate)
    if fitting.sure:
        return replace(verdict, verdict="fits")
    most = round(fitting.estimate.peak("conservative").in_gib, 2)
    return replace(verdict, verdict="may fit", conservative_gib=most)


def _verdict_of_miss(
    search: Search, device: Device, gpus: int, miss: NearestMiss | None
) -> MethodVerdict:
    if miss is None:
        return _verdict_no(search, device, gpus, None)
    verdict = _verdict_no(search, device, miss.candidate.gpus, miss.estimate)
    if miss.host is not None:
        verdict = replace(verdict, ram_gib=round(miss.host.in_gib, 2))
    if miss.engine is None or verdict.margin_gib < 0:
        return verdict
    # The stages would fit; what is too large is the engine, for its share of the card.
    share = device.memory_gib * miss.candidate.share
    return replace(
        verdict,
        peak_gib=round(miss.engine.in_gib, 2),
        share_gib=round(share, 2),
        margin_gib=round(share - miss.engine.in_gib, 2),
        binding="rollout",
    )


def _verdict_no(
    search: Search, device: Device, gpus: int, estimate: MemoryEstimate | None
) -> MethodVerdict:
    """What takes the most of each GPU; the verdict is no. Without an estimate nothing starts."""
    peak = estimate.peak().in_gib if estimate else 0
    return MethodVerdict(
        model=search.request.model.name,
        method=search.request.method,
        device=device.label,
        gpus=gpus,
        verdict="no",
        peak_gib=round(peak, 2),
        usable_gib=round(device.usable_gib, 2),
        margin_gib=round(device.usable_gib - peak, 2),
        binding=estimate.binding().name if estimate else "batch",
        host_gib=round(estimate.host.in_gib, 2) if estimate else 0,
    )
