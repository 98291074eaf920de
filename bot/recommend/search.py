"""Which hardware and settings fit a wish: every candidate is a script, read as any script is.

For each number of GPUs the memory options are switched on one after another, the cheapest in time
first, until the budget fits; what turns out not to be needed is switched off again. A workload does
not depend on the device, so that each is read once for all devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.base.devices import Device
from bot.frameworks import plans
from bot.memory.budget import Budget
from bot.memory.engines import minimum
from bot.memory.estimate import Estimator
from bot.memory.predict import workload_of
from bot.memory.profiles import ENGINE_WORKING
from bot.memory.settings import NoPredictionError
from bot.memory.units import Bytes
from bot.memory.workload import Workload
from bot.recommend.ladder import SHARES, divides, steps
from bot.recommend.request import Way, Wish
from bot.recommend.scripts import script
from bot.shell import read


@dataclass(frozen=True, slots=True)
class Found:
    """A way that fits a device."""

    device: Device
    way: Way
    budget: Budget

    @property
    def total(self) -> int:
        """Bytes of all GPUs together."""
        return self.device.memory_bytes * self.way.gpus

    @property
    def order(self) -> tuple[int, int, str]:
        """Least memory first, then the fewest options."""
        return self.total, len(self.way.on) + (self.way.share < SHARES[0]), self.device.token


@dataclass(frozen=True, slots=True)
class Nearest:
    """The way that came nearest on a device where none fits."""

    device: Device
    way: Way
    budget: Budget
    engine: Bytes | None = None
    """What the engine needs at least, where its share of the card is less than that."""


def counts(budget: int) -> tuple[int, ...]:
    """Numbers of GPUs to try: each up to one node of 8, then 12 and 16, 24 and 32, and so on.

    Which of them a step can be shared out over is the wish's question (`ladder.divides`).
    """
    found = list(range(1, min(8, budget) + 1))
    more = 8
    while more * 3 // 2 <= budget:
        found += [n for n in (more * 3 // 2, more * 2) if n <= budget]
        more *= 2
    return tuple(found)


class Search:
    """Recommendations for one wish; workloads are kept, since devices share them."""

    def __init__(self, wish: Wish, release: str) -> None:
        self.wish, self.release = wish, release
        self._kept: dict[Way, Workload | None] = {}
        self._estimators: dict[Way, Estimator] = {}

    def on(
        self, device: Device, budget: int, *, least: bool = False, whole: bool = False
    ) -> tuple[list[Found], Nearest | None]:
        """What fits a device within a number of GPUs, fewest GPUs first; else the nearest miss.

        More GPUs are listed where they need fewer options than less did; with `least` they are not.
        With `whole` the number itself is listed too, since those are the GPUs that are there.
        """
        found: list[Found] = []
        nearest: Nearest | None = None
        for gpus in counts(budget):
            if not divides(self.wish, gpus) or (least and found and gpus != budget):
                continue
            best, miss = self._at(device, gpus)
            if best is None:
                if miss is not None and (nearest is None or _short(miss) < _short(nearest)):
                    nearest = miss
            elif not found or best.order[1] < found[-1].order[1] or (whole and gpus == budget):
                found.append(best)
                if least and not whole:
                    break
        return found, None if found else nearest

    def _at(self, device: Device, gpus: int) -> tuple[Found | None, Nearest | None]:
        """The cheapest way that fits, else a tight one, else the nearest miss.

        No option raises what another stage takes: where all of them together do not fit, none does.
        """
        every = steps(self.wish, gpus)
        misses: list[Nearest] = []
        for way, made in self._tried(device, Way(gpus, frozenset(every)), SHARES):
            least = self._engine(way, device)
            if least is None and made.outcome in ("fits", "tight"):
                break
            misses.append(Nearest(device, way, made, least))
        else:
            return None, min(misses, key=_short, default=None)
        tight: Found | None = None
        for count in range(len(every) + 1):
            for way, made in self._tried(device, Way(gpus, frozenset(every[:count])), SHARES):
                if self._engine(way, device) is not None:
                    continue
                outcome = made.outcome
                if outcome == "fits":
                    return self._lean(Found(device, way, made), every), None
                if outcome == "tight":
                    tight = tight or Found(device, way, made)
        return (self._lean(tight, every) if tight else None), None

    def _lean(self, found: Found, every: Sequence[tuple[str, int]]) -> Found:
        """Without the options that it does not need, the most costly ones first."""
        for step in reversed(every):
            less = replace(found.way, options=found.way.options - {step})
            if less == found.way:
                continue
            for way, made in self._tried(found.device, less, (less.share,)):
                if made.outcome == found.budget.outcome and self._engine(way, found.device) is None:
                    found = Found(found.device, way, made)
        return found

    def _tried(
        self, device: Device, way: Way, shares: Sequence[float]
    ) -> Iterator[tuple[Way, Budget]]:
        first = replace(way, share=SHARES[0])
        workload = self.workload(first)
        if workload is None:
            return
        if first not in self._estimators:
            self._estimators[first] = Estimator(workload)
        for share in shares if self.wish.online else shares[:1]:
            made = self._estimators[first].on(device, share)
            yield replace(way, share=share), made
            if any(s.name != "rollout" and s.total.expected > made.usable for s in made.stages):
                return  # A smaller share changes nothing beside the rollout.

    def _engine(self, way: Way, device: Device) -> Bytes | None:
        """What an engine needs to start, where its share is less; None when it starts."""
        workload = self.workload(replace(way, share=SHARES[0]))
        engines = [p.engine for p in workload.pools if p.engine] if workload else []
        working = Bytes.gib(ENGINE_WORKING["expected"])
        least = max((minimum(engine) + working for engine in engines), default=Bytes(0))
        return least if least > Bytes(device.memory_bytes) * way.share else None

    def workload(self, way: Way) -> Workload | None:
        """What a way loads; None when the settings contradict each other."""
        if way not in self._kept:
            text = script(self.wish, way, "gpu", self.release)
            plan = plans(read(text.encode(), "recommended.sh"))[0]
            try:
                self._kept[way] = workload_of(plan, gpus=way.gpus)
            except NoPredictionError:
                self._kept[way] = None
        return self._kept[way]


def _short(miss: Nearest) -> int:
    """Bytes that are missing on each GPU, for the stages or for the engine's share."""
    stages = miss.budget.peak().count - miss.budget.usable.count
    share = Bytes(miss.device.memory_bytes) * miss.way.share
    return max(stages, miss.engine.count - share.count if miss.engine else 0)
