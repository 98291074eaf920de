"""Which hardware and settings fit a request: every candidate is a script, read as any script is.

For each number of GPUs the memory options are switched on one after another, the cheapest in time
first, until the estimate fits; what turns out not to be needed is switched off. A workload depends
on no device but Ascend's, so that each is read once for all devices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from bot.base.devices import Device, Vendor
from bot.frameworks import plans
from bot.memory.components.engines import minimum
from bot.memory.estimate import MemoryEstimate
from bot.memory.estimator import Estimator
from bot.memory.from_plan import workload_of
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import NoEstimateError
from bot.memory.units import Bytes
from bot.memory.workload import Workload
from bot.recommend.fitting import HOST, FittingCandidate, NearestMiss
from bot.recommend.megatron import TENSORS, beside_layout, has_megatron, layouts, states
from bot.recommend.options import ON_HOST, SHARES, Step, counts, divides, is_one_pass, steps
from bot.recommend.request import Candidate, MegatronLayout, Request
from bot.recommend.scripts import script
from bot.shell import read


class Search:
    """What fits one request; workloads are kept, since devices share them."""

    def __init__(self, request: Request, release: str, host: Bytes | None = None) -> None:
        """`host` is the memory of each host, where that is known."""
        self.request, self.release, self.host = request, release, host
        shown = Measured(image_mean=request.images) if request.images else None
        self._workload_of = partial(workload_of, run=shown, files=self._file)
        self._kept: dict[_Arrangement, Workload | None] = {}
        self._estimators: dict[_Arrangement, Estimator] = {}

    def _file(self, path: str) -> bytes | None:
        """The config.json of the model's folder, the one file that a script here can name."""
        own = f"{self.request.path.rstrip('/')}/config.json"
        return self.request.config if path == own else None

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
            done = fitting and fitting[-1].sure and (least or not fitting[-1].switched)
            if (done and not (whole and gpus == budget)) or not divides(self.request, gpus):
                continue
            best, miss = self.at(device, gpus)
            if best is None:
                if miss is not None and (nearest is None or miss.short < nearest.short):
                    nearest = miss
            elif not fitting or _is_better(best, fitting[-1]) or (whole and gpus == budget):
                fitting.append(best)
        return fitting, None if fitting else nearest

    def at(self, device: Device, gpus: int) -> tuple[FittingCandidate | None, NearestMiss | None]:
        """The cheapest candidate that fits, else a tight one, else one that may fit, else a miss.

        Megatron is tried where FSDP does not surely fit.
        """
        misses: list[NearestMiss] = []
        best = self._sharded(device, gpus, misses)
        if (best is None or not best.sure) and self._has_megatron(device, gpus):
            other = self._megatron(device, gpus)
            holds = other is not None and self._hosts_hold(device, other.candidate)
            if other is not None and holds and (best is None or other.sure):
                best = other
        return best, None if best else min(misses, key=lambda miss: miss.short, default=None)

    def _sharded(
        self, device: Device, gpus: int, misses: list[NearestMiss]
    ) -> FittingCandidate | None:
        """What fits with FSDP or DeepSpeed; else what is missing is added to the misses."""
        every = self._steps(device, gpus)
        tight: FittingCandidate | None = None
        unsure: list[FittingCandidate] = []
        for order in self._orders(gpus, every):
            if not self._any(device, gpus, order, misses):
                continue
            best = self._first_enough(
                device, gpus, order, lambda one: one.estimate.outcome == "fits"
            )
            if best is not None:
                return self._lean(best, every)
            tight = tight or self._first_enough(device, gpus, order, lambda one: one.sure)
            unsure += self._lowest(device, gpus, order)
        best = tight or min(unsure, key=lambda one: one.estimate.peak(), default=None)
        return self._lean(best, every) if best is not None else None

    def _steps(self, device: Device, gpus: int) -> tuple[Step, ...]:
        """The options that there are; none that the hosts hold where those have too little."""
        every = steps(self.request, gpus)
        if self._hosts_hold(device, Candidate(gpus, frozenset(every))):
            return every
        return tuple(step for step in every if step[0] not in ON_HOST)

    def _hosts_hold(self, device: Device, candidate: Candidate) -> bool:
        """Whether the hosts have the memory for what waits there, where it is known."""
        return all(
            self._host_holds(one) for _, one in self.estimates(device, candidate, SHARES[:1])
        )

    def _host_holds(self, estimate: MemoryEstimate) -> bool:
        return self.host is None or estimate.host <= self.host

    def _orders(self, gpus: int, every: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
        """The options to switch on one after another; where all together do not fit, none does.

        A smaller micro batch can take more: where a step was one pass, its gradients now wait for
        the next one. No other option raises the peak.
        """
        yield every
        if is_one_pass(self.request, gpus):
            yield tuple(step for step in every if step[0] != "micro")

    def surely_fits(self, device: Device, gpus: int) -> bool:
        """Whether the request surely fits with every memory option that it has."""
        every = Candidate(gpus, frozenset(self._steps(device, gpus)))
        if any(one.sure for one in self._fitting(device, every)):
            return True
        if not self._has_megatron(device, gpus):
            return False
        other = self._megatron(device, gpus)
        holds = other is not None and self._hosts_hold(device, other.candidate)
        return other is not None and other.sure and holds

    def _has_megatron(self, device: Device, gpus: int) -> bool:
        """Whether Megatron is a way; on Ascend it is MindSpeed's, with settings of its own."""
        return device.vendor is not Vendor.ASCEND and has_megatron(self.request, gpus)

    def _megatron(self, device: Device, gpus: int) -> FittingCandidate | None:
        """The least divided layout that fits, else the first that may; None when none does.

        The engine's weights are there while the actor's are handed over, so that a larger tensor
        parallelism is tried where the least one with which the engine starts is too little.
        """
        perhaps: FittingCandidate | None = None
        able = tuple(layouts(self.request.model.shape, gpus, device.usable_gib))
        engines = [("tensor", tensor) for tensor in self._engine_tensors(device, gpus)]
        if not able or not engines:
            return None
        few, every = beside_layout(self.request)
        hosts_do = self._hosts_do(device, gpus, able, engines[-1])
        for engine in engines:
            for layout in able:
                strong = self._divided(device, layout, gpus, (*every, engine))
                if strong is None:
                    continue
                if not strong.sure:
                    perhaps = perhaps or strong
                    if not hosts_do:
                        return perhaps
                    continue
                lean = self._divided(device, layout, gpus, (*few, engine))
                return lean if lean is not None and lean.sure else strong
        return perhaps

    def _hosts_do(
        self, device: Device, gpus: int, able: Sequence[MegatronLayout], engine: Step
    ) -> bool:
        """Whether common hosts hold what the layout and the engine leave there that leave least.

        Each layout shares out the optimizer's states evenly, so that its weights decide.
        """
        least = min(able, key=partial(states, self.request.model.shape))
        every = Candidate(gpus, frozenset((*beside_layout(self.request)[-1], engine)), layout=least)
        holds = HOST * every.per_node
        return all(one.host <= holds for _, one in self.estimates(device, every, SHARES[:1]))

    def _divided(
        self,
        device: Device,
        layout: MegatronLayout,
        gpus: int,
        options: Sequence[Step],
    ) -> FittingCandidate | None:
        """A layout with its options: the first share for the engine that surely fits."""
        every = Candidate(gpus, frozenset(options), layout=layout)
        fitting = list(self._fitting(device, every))
        return next((one for one in fitting if one.sure), fitting[0] if fitting else None)

    def _engine_tensors(self, device: Device, gpus: int) -> Iterator[int]:
        """The engine's tensor parallelisms with which it starts within its share of a card."""
        heads = self.request.model.shape.heads
        for tensor in TENSORS:
            if gpus % tensor or heads % tensor:
                continue
            every = Candidate(gpus, frozenset({("tensor", tensor)}), layout=MegatronLayout())
            if self.workload(every, device) and self.engine_shortage(every, device) is None:
                yield tensor

    def _any(
        self, device: Device, gpus: int, order: Sequence[Step], misses: list[NearestMiss]
    ) -> bool:
        """Whether all the options together fit; else what is missing is added to the misses."""
        for candidate, estimate in self.estimates(device, Candidate(gpus, frozenset(order))):
            least, holds = self.engine_shortage(candidate, device), self._host_holds(estimate)
            if least is None and holds and estimate.outcome in ("fits", "tight"):
                return True
            host = None if holds else self.host
            misses.append(NearestMiss(device, candidate, estimate, least, host))
        return False

    def _lowest(
        self, device: Device, gpus: int, order: Sequence[Step]
    ) -> Iterator[FittingCandidate]:
        """What takes as little as with all the options, with the fewest of them."""
        every = self._fitting(device, Candidate(gpus, frozenset(order)))
        least = min((one.estimate.peak() for one in every), default=None)
        if least is not None:
            found = self._first_enough(
                device, gpus, order, lambda one: one.estimate.peak() <= least
            )
            yield from [found] if found else []

    def _first_enough(
        self,
        device: Device,
        gpus: int,
        order: Sequence[Step],
        is_enough: Callable[[FittingCandidate], bool],
    ) -> FittingCandidate | None:
        """What is enough with the fewest of the options, taken in order; None when all are not.

        Each option only saves, so that half of the numbers are ruled out at a time.
        """

        def enough(count: int) -> FittingCandidate | None:
            fitting = self._fitting(device, Candidate(gpus, frozenset(order[:count])))
            return next(filter(is_enough, fitting), None)

        low, high = 0, len(order)
        best = enough(high)
        # Often none is needed.
        middle = low
        while best is not None and low < high:
            found = enough(middle)
            if found is None:
                low = middle + 1
            else:
                best, high = found, middle
            middle = (low + high) // 2
        return best

    def _fitting(self, device: Device, candidate: Candidate) -> Iterator[FittingCandidate]:
        """The shares for the engine with which a candidate fits or may fit."""
        for shared, estimate in self.estimates(device, candidate):
            if estimate.outcome not in ("fits", "tight") or not self._host_holds(estimate):
                continue
            if self.engine_shortage(shared, device) is None:
                yield FittingCandidate(device, shared, estimate, self.host)

    def _lean(self, fitting: FittingCandidate, every: Sequence[Step]) -> FittingCandidate:
        """Without the options that it does not need, the most costly ones first."""
        for step in reversed(every):
            less = replace(fitting.candidate, options=fitting.candidate.options - {step})
            if less == fitting.candidate:
                continue
            for candidate, estimate in self.estimates(fitting.device, less, (less.share,)):
                without = FittingCandidate(fitting.device, candidate, estimate, self.host)
                starts = self.engine_shortage(candidate, fitting.device) is None
                if starts and self._host_holds(estimate) and _is_as_good(without, fitting):
                    fitting = without
        return fitting

    def estimates(
        self, device: Device, candidate: Candidate, shares: Sequence[float] = SHARES
    ) -> Iterator[tuple[Candidate, MemoryEstimate]]:
        """The candidate with each share of the card for its engine, the largest first."""
        workload = self.workload(candidate, device)
        if workload is None:
            return
        arrangement = _arrangement(candidate, device)
        if arrangement not in self._estimators:
            self._estimators[arrangement] = Estimator(workload)
        for share in shares if self.request.online else shares[:1]:
            estimate = self._estimators[arrangement].on(device, share)
            yield replace(candidate, share=share, node=self.request.node), estimate
            if any(
                s.name != "rollout" and s.total.expected > estimate.usable for s in estimate.stages
            ):
                return  # A smaller share changes nothing beside the rollout.

    def engine_shortage(self, candidate: Candidate, device: Device) -> Bytes | None:
        """What an engine needs to start, where its share is less; None when it starts."""
        workload = self.workload(candidate, device)
        engines = [p.engine for p in workload.pools if p.engine] if workload else []
        least = max((minimum(engine) for engine in engines), default=Bytes(0))
        return least if least > Bytes(device.memory_bytes) * candidate.share else None

    def workload(self, candidate: Candidate, device: Device) -> Workload | None:
        """What a candidate loads, whatever the engine's share; None where its settings clash."""
        arrangement = _arrangement(candidate, device)
        if arrangement not in self._kept:
            first = replace(candidate, share=SHARES[0], node=self.request.node)
            text = script(self.request, first, device, self.release)
            reading = read(text.encode(), "recommended.sh")
            (plan,) = plans(reading, versions={self.request.framework: self.release})
            try:
                workload = self._workload_of(plan, gpus=candidate.gpus)
            except NoEstimateError:
                workload = None
            self._kept[arrangement] = workload
        return self._kept[arrangement]


_Arrangement: TypeAlias = tuple[int, frozenset[Step], MegatronLayout | None, bool]


def _arrangement(candidate: Candidate, device: Device) -> _Arrangement:
    """What the workload depends on: of each option its strongest value alone."""
    ascend = device.vendor is Vendor.ASCEND
    return candidate.gpus, frozenset(candidate.on.items()), candidate.layout, ascend


def _is_better(more: FittingCandidate, less: FittingCandidate) -> bool:
    """Whether more GPUs are worth a line: surer, or with fewer options."""
    return (not more.sure, more.switched) < (not less.sure, less.switched)


def _is_as_good(without: FittingCandidate, fitting: FittingCandidate) -> bool:
    """Whether an option can go: the verdict stays, and no margin is lost where it is doubtful."""
    if without.estimate.outcome != fitting.estimate.outcome or without.sure != fitting.sure:
        return False
    return fitting.sure or without.estimate.peak() <= fitting.estimate.peak()
