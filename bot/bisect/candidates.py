"""The batches that may be tried, and what the linter and the memory model find for each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Literal

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.bisect.find import DECIDING, Read, find_knob
from bot.bisect.knob import Knob
from bot.bisect.request import SeriesRequest
from bot.check.estimate import measured
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_read
from bot.frameworks.plan import Plan
from bot.memory.estimate import MemoryEstimate
from bot.memory.from_plan import estimate_plan
from bot.memory.settings import NoEstimateError
from bot.script.name import read_name

USUAL_ERROR = 0.277
"""The model's worst error on a measured peak left out of its fit; of those that were never part of
it one is worse (`make calibrate`)."""
LARGEST = 1 << 20
"""No larger value is tried."""
ENOUGH = 127
"""Candidates at most: seven runs."""

CandidateVerdict = Literal["fits", "open", "too large"]
_NOT_OF_THE_BATCH = ("RLB110", "RLB111", "RLB112", "RLB113", "RLB041")
"""Rules that predict the memory, and the one of the trial log: none of them refuses a batch."""


class Candidates:
    """The scripts with each value: whether they are valid, and their memory estimates."""

    def __init__(
        self,
        script: ScriptFile,
        options: CheckOptions,
        read: Read,
        knob: Knob,
        request: SeriesRequest,
    ) -> None:
        self.script, self.options, self.read, self.knob = script, options, read, knob
        self.request = request
        self._plans: dict[int, tuple[Plan, ...]] = {}
        self._estimates: dict[int, MemoryEstimate] = {}
        self._valid: dict[int, bool] = {}

    def plans(self, value: int) -> tuple[Plan, ...]:
        """What the script launches with a value."""
        if value not in self._plans:
            data = self.knob.write(self.script.data, value)
            self._plans[value] = self.read(data).choice.plans
        return self._plans[value]

    def batch(self, value: int) -> int | None:
        """The batch that the page calls MaxBatch."""
        return self.plans(value)[0].train_batch_size.value

    def valid(self, value: int) -> bool:
        """Whether the framework takes the value: the linter finds no error that came with it."""
        if value not in self._valid:
            whole = self.knob.values(value) is not None
            self._valid[value] = whole and self._errors(value) <= self._standing
        return self._valid[value]

    @cached_property
    def _standing(self) -> frozenset[tuple[str, str]]:
        """Errors that have nothing to do with the value: those that another one does not settle."""
        return self._errors(self.knob.value) & self._errors(self.knob.value * 2)

    @property
    def errors(self) -> int:
        """How many errors the linter finds whatever the value is."""
        return len(self._standing)

    def _errors(self, value: int) -> frozenset[tuple[str, str]]:
        script = replace(self.script, data=self.knob.write(self.script.data, value))
        ignore = (*self.options.ignore, *_NOT_OF_THE_BATCH)
        options = replace(self.options, evidence="off", ignore=ignore)
        checked = check_read(script, self.read(script.data), options)
        return frozenset(
            (finding.id, finding.message)
            for finding in checked.report.findings
            if finding.severity == "error"
        )

    def estimate(self, value: int) -> MemoryEstimate:
        """The memory estimate with a value, of the launch that takes the most.

        Raises NoEstimateError with the reason when there is none.
        """
        if value not in self._estimates:
            name = read_name(
                self.script.full_path or self.script.path, self.options.config.name_profiles()
            )
            lengths = [one for facts in self.request.facts if (one := measured(facts)) is not None]
            run = max(lengths, key=lambda one: one.response_mean or 0.0, default=None)
            estimates = [
                estimate_plan(
                    plan,
                    self.request.device or name.device,
                    run=run,
                    files=self.options.files if self.script.tree_path is not None else None,
                    gpus=self.request.gpus or name.gpus,
                ).estimate
                for plan in self.plans(value)
            ]
            self._estimates[value] = max(estimates, key=lambda one: one.peak().count)
        return self._estimates[value]

    def verdict(self, value: int) -> CandidateVerdict:
        """What the model predicts for a value; raises NoEstimateError when it predicts nothing.

        It fits when it does with long sequences or, with lengths of a run, when the
        expected peak does by more than the usual error. It is too large when the floor is, or the
        expected peak by more than that error.
        """
        estimate = self.estimate(value)
        usable, expected = estimate.usable, estimate.peak()
        if estimate.outcome == "impossible" or expected > usable * (1 + USUAL_ERROR):
            return "too large"
        if estimate.peak("conservative") <= usable:
            return "fits"
        if estimate.measured and expected <= usable * (1 - USUAL_ERROR):
            return "fits"
        return "open"

    def depends(self) -> bool:
        """Whether the expected peak depends on the value at all."""
        value = self.knob.value
        return len({self.estimate(value * factor).peak().count for factor in (1, 2, 8, 64)}) > 1

    def deciding(self) -> list[str]:
        """The batch sizes and token limits of the script that the expected peak depends on."""
        keys = []
        for setting in {s.key: s for s in self.plans(self.knob.value)[0].settings}.values():
            if not DECIDING.search(setting.key) or not isinstance(setting.value, int):
                continue
            try:
                knob = find_knob(self.script.data, self.read, (setting.key,))
                if Candidates(self.script, self.options, self.read, knob, self.request).depends():
                    keys.append(setting.key)
            except (UserError, NoEstimateError):
                continue
        return keys

    def between(self, low: int, high: int, step: int) -> tuple[int, ...]:
        """The valid multiples of `step` from `low` to `high`, both included."""
        return tuple(filter(self.valid, range(-(-low // step) * step, high + 1, step)))


@dataclass(frozen=True, slots=True)
class Band:
    """Values between which the largest lies by the prediction."""

    lower: int | None
    """The largest that should fit; None when none is."""
    upper: int | None
    """The smallest that is far too large; None when none is up to the bound."""
    expected: int | None
    """The largest whose expected peak fits."""


def predict_band(candidates: Candidates, step: int) -> Band:
    """The band in multiples of `step`; raises NoEstimateError when nothing can be predicted."""
    bound = LARGEST // step

    def most(fits: Callable[[int], bool]) -> int:
        """The most steps that a test which turns once holds for; 0 when for none."""
        high = 1
        while high <= bound and fits(high * step):
            high *= 2
        steps = range(high // 2 + 1, min(high, bound + 1))
        return high // 2 + bisect_left(steps, True, key=lambda count: not fits(count * step))

    lower = most(lambda value: candidates.verdict(value) == "fits")
    below = most(lambda value: candidates.verdict(value) != "too large")
    expected = most(lambda value: candidates.estimate(value).outcome in ("tight", "fits"))
    return Band(
        lower * step or None,
        None if below >= bound else (below + 1) * step,
        expected * step or None,
    )


def step_of(low: int, high: int, unit: int) -> int:
    """The unit times a power of two whose multiples between two values are not more than ENOUGH."""
    step = unit
    while (high - low) // step > ENOUGH:
        step *= 2
    return step
