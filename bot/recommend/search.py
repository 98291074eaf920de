"""Which hardware and settings fit a request: every candidate is a script, read as any script is.

For each number of GPUs the memory options are switched on one after another, the cheapest in time
first, until the estimate fits; what turns out not to be needed is switched off. A workload does
not depend on the device, so that each is read once for all devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.base.devices import Device
from bot.frameworks import plans
from bot.memory.constants import ENGINE_WORKING
from bot.memory.engines import minimum
from bot.memory.estimate import MemoryEstimate
from bot.memory.estimator import Estimator
from bot.memory.from_plan import workload_of
from bot.memory.settings import NoEstimateError
from bot.memory.units import Bytes
from bot.memory.workload import Workload
from bot.recommend.options import SHARES, divides, steps
from bot.recommend.request import Candidate, Request
from bot.recommend.scripts import script
from bot.shell import read


@dataclass(frozen=True, slots=True)
class FittingCandidate:
    """A candidate that fits a device, with its estimate."""

    device: Device
    candidate: Candidate
    estimate: MemoryEstimate

    @property
    def total(self) -> int:
        """Bytes of all GPUs together."""
        return self.device.memory_bytes * self.candidate.gpus

    @property
    def order(self) -> tuple[int, int, str]:
        """Least memory first, then the fewest options."""
        return (
            self.total,
            len(self.candidate.on) + (self.candidate.share < SHARES[0]),
            self.device.token,
        )


@dataclass(frozen=True, slots=True)
class NearestMiss:
    """The candidate that came nearest on a device where none fits."""

    device: Device
    candidate: Candidate
    estimate: MemoryEstimate
    engine: Bytes | None = None
    """What the engine needs at least, where its share of the card is less than that."""


def counts(budget: int) -> tuple[int, ...]:
    """Numbers of GPUs to try: each up to one node of 8, then 12 and 16, 24 and 32, and so on.

    Which of them a step can be shared out over depends on the request (`options.divides`).
    """
    numbers = list(range(1, min(8, budget) + 1))
    more = 8
    while more * 3 // 2 <= budget:
        numbers += [n for n in (more * 3 // 2, more * 2) if n <= budget]
        more *= 2
    return tuple(numbers)


class Search:
    """What fits one request; workloads are kept, since devices share them."""

    def __init__(self, request: Request, release: str) -> None:
        self.request, self.release = request, release
        self._kept: dict[Candidate, Workload | None] = {}
        self._estimators: dict[Candidate, Estimator] = {}

    def on(
        self, device: Device, budget: int, *, least: bool = False, whole: bool = False
    ) -> tuple[list[FittingCandidate], NearestMiss | None]:
        """What fits a device within a number of GPUs, fewest GPUs first; else the nearest miss.

        More GPUs are listed where they need fewer options than less did; with `least` they are not.
        With `whole` the number itself is listed too, since those are the GPUs that are there.
        """
        fitting: list[FittingCandidate] = []
        nearest: NearestMiss | None = None
        for gpus in counts(budget):
            if not divides(self.request, gpus) or (least and fitting and gpus != budget):
                continue
            best, miss = self._at(device, gpus)
            if best is None:
                if miss is not None and (nearest is None or _short(miss) < _short(nearest)):
                    nearest = miss
            elif not fitting or best.order[1] < fitting[-1].order[1] or (whole and gpus == budget):
                fitting.append(best)
                if least and not whole:
                    break
        return fitting, None if fitting else nearest

    def _at(self, device: Device, gpus: int) -> tuple[FittingCandidate | None, NearestMiss | None]:
        """The cheapest candidate that fits, else a tight one, else the nearest miss.

        No option raises what another stage takes: where all of them together do not fit, none does.
        """
        every = steps(self.request, gpus)
        misses: list[NearestMiss] = []
        for candidate, estimate in self.estimates(
            device, Candidate(gpus, frozenset(every)), SHARES
        ):
            least = self.engine_shortage(candidate, device)
            if least is None and _holds(estimate):
                break
            misses.append(NearestMiss(device, candidate, estimate, least))
        else:
            return None, min(misses, key=_short, default=None)
        tight: FittingCandidate | None = None
        for count in range(len(every) + 1):
            for candidate, estimate in self.estimates(
                device, Candidate(gpus, frozenset(every[:count])), SHARES
            ):
                if self.engine_shortage(candidate, device) is not None:
                    continue
                outcome = estimate.outcome
                if outcome == "fits":
                    return self._lean(FittingCandidate(device, candidate, estimate), every), None
                if outcome == "tight" and _holds(estimate):
                    tight = tight or FittingCandidate(device, candidate, estimate)
        return (self._lean(tight, every) if tight else None), None

    def _lean(
        self, fitting: FittingCandidate, every: Sequence[tuple[str, int]]
    ) -> FittingCandidate:
        """Without the options that it does not need, the most costly ones first."""
        for step in reversed(every):
            less = replace(fitting.candidate, options=fitting.candidate.options - {step})
            if less == fitting.candidate:
                continue
            for candidate, estimate in self.estimates(fitting.device, less, (less.share,)):
                if (
                    estimate.outcome == fitting.estimate.outcome
                    and _holds(estimate)
                    and self.engine_shortage(candidate, fitting.device) is None
                ):
                    fitting = FittingCandidate(fitting.device, candidate, estimate)
        return fitting

    def estimates(
        self, device: Device, candidate: Candidate, shares: Sequence[float]
    ) -> Iterator[tuple[Candidate, MemoryEstimate]]:
        """The candidate with each share of the card for its engine, the largest first."""
        first = replace(candidate, share=SHARES[0])
        workload = self.workload(first)
        if workload is None:
            return
        if first not in self._estimators:
            self._estimators[first] = Estimator(workload)
        for share in shares if self.request.online else shares[:1]:
            estimate = self._estimators[first].on(device, share)
            yield replace(candidate, share=share), estimate
            if any(
                s.name != "rollout" and s.total.expected > estimate.usable for s in estimate.stages
            ):
                return  # A smaller share changes nothing beside the rollout.

    def engine_shortage(self, candidate: Candidate, device: Device) -> Bytes | None:
        """What an engine needs to start, where its share is less; None when it starts."""
        workload = self.workload(replace(candidate, share=SHARES[0]))
        engines = [p.engine for p in workload.pools if p.engine] if workload else []
        working = Bytes.gib(ENGINE_WORKING["expected"])
        least = max((minimum(engine) + working for engine in engines), default=Bytes(0))
        return least if least > Bytes(device.memory_bytes) * candidate.share else None

    def workload(self, candidate: Candidate) -> Workload | None:
        """What a candidate loads; None when the settings contradict each other."""
        if candidate not in self._kept:
            text = script(self.request, candidate, "gpu", self.release)
            plan = plans(read(text.encode(), "recommended.sh"))[0]
            try:
                self._kept[candidate] = workload_of(plan, gpus=candidate.gpus)
            except NoEstimateError:
                self._kept[candidate] = None
        return self._kept[candidate]


def _short(miss: NearestMiss) -> int:
    """Bytes that are missing on each GPU, for the stages or for the engine's share."""
    stages = miss.estimate.peak().count - miss.estimate.usable.count
    share = Bytes(miss.device.memory_bytes) * miss.candidate.share
    return max(stages, miss.engine.count - share.count if miss.engine else 0)


def _holds(estimate: MemoryEstimate) -> bool:
    """Whether the expected peak is within the card; "tight" alone is up to 2 % above it."""
    return estimate.outcome in ("fits", "tight") and estimate.peak() <= estimate.usable
