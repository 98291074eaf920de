"""The batches that may be tried, and what the linter and the memory model find for each."""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Literal

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.bisect.find import DECIDING, find_knob
from bot.bisect.report import Varied
from bot.check.estimate import measured
from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_read
from bot.evidence.facts import Facts
from bot.frameworks.plan import Plan
from bot.memory.estimate import MemoryEstimate
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import NoEstimateError
from bot.rules._support.base import RuleContext

USUAL_ERROR = 0.277
"""The model's worst error on a measured peak left out of its fit; of those that were never part of
it one is worse (`make calibrate`)."""
LARGEST = 1 << 20
"""No larger value is tried."""

CandidateVerdict = Literal["fits", "open", "too large"]
_NOT_OF_THE_BATCH = (
    *("memory-impossible", "memory-likely-oom", "memory-tight", "memory-not-minimal"),
    "trial-log",
)
"""Rules that refuse no batch: those that predict the memory, and the one of the trial log."""


class Candidates:
    """A script with other batches: whether they are valid, and their memory estimates.

    `vary` names what is varied; `gpus` count where the script leaves them open, and of the lengths
    that the runs in `facts` logged the longest do. Raises UserError where the script has no batch
    that can be varied.
    """

    def __init__(
        self,
        script: ScriptFile,
        options: CheckOptions,
        vary: Sequence[str] = (),
        *,
        gpus: int | None = None,
        facts: Sequence[Facts] = (),
    ) -> None:
        self.script, self.options = script, options
        self._vary, self._gpus, self._facts = tuple(vary), gpus, facts
        # Places, errors and estimates are looked for in the same versions of the script.
        self.read = lru_cache(maxsize=256)(self._read_version)
        self.knob = find_knob(script.data, self.read, self._vary)
        self._valid: dict[int, bool] = {}

    def _read_version(self, data: bytes) -> RuleContext:
        """A version of the script, read with its tree, path and named releases."""
        return read_script(replace(self.script, data=data), self.options)

    def _with(self, value: int) -> RuleContext:
        return self.read(self.knob.write(self.script.data, value))

    def command(self, action: str) -> str:
        """The command for the same script and the same numbers."""
        vary = [word for name in self._vary for word in ("--vary", name)]
        return shlex.join(["rlbot", "bisect", action, self.script.path, *vary])

    @cached_property
    def varied(self) -> tuple[Varied, ...]:
        """The numbers that are varied, as an answer names them."""
        source = self.read(self.script.data).source
        places = [(part, *source.line_column(part.span.start)) for part in self.knob.parts]
        return tuple(
            Varied(name=part.name, value=part.value, line=line, column=column)
            for part, line, column in places
        )

    def plans(self, value: int) -> tuple[Plan, ...]:
        """What the script launches with a value."""
        return self._with(value).choice.plans

    def batch(self, value: int) -> int | None:
        """The batch that the page calls MaxBatch; None for a value that cannot be written."""
        if self.knob.values(value) is None:
            return None
        return self.plans(value)[0].train_batch_size.value

    def valid(self, value: int) -> bool:
        """Whether the framework takes the value: the linter finds no error that came with it."""
        if value not in self._valid:
            whole = self.knob.values(value) is not None
            self._valid[value] = whole and self._errors(value) <= self.standing_errors
        return self._valid[value]

    @cached_property
    def standing_errors(self) -> frozenset[tuple[str, str]]:
        """Errors that have nothing to do with the value: those that another one does not settle."""
        return self._errors(self.knob.value) & self._errors(self.knob.value * 2)

    def _errors(self, value: int) -> frozenset[tuple[str, str]]:
        ignore = (*self.options.ignore, *_NOT_OF_THE_BATCH)
        options = replace(self.options, evidence="off", ignore=ignore)
        findings = check_read(self.script, self._with(value), options).report.findings
        return frozenset((one.id, one.message) for one in findings if one.severity == "error")

    @cached_property
    def _lengths(self) -> Measured | None:
        lengths = [one for facts in self._facts if (one := measured(facts)) is not None]
        return max(lengths, key=lambda one: one.response_mean or 0.0, default=None)

    def estimate(self, value: int) -> MemoryEstimate:
        """The memory estimate with a value, of the launch that takes the most.

        Raises NoEstimateError with the reason when there is none.
        """
        return self._most(self._with(value))

    def _most(self, context: RuleContext) -> MemoryEstimate:
        device = context.choice.device
        estimates = [
            context.estimate(plan, device, gpus=self._gpus, run=self._lengths).estimate
            for plan in context.choice.plans
        ]
        return max(estimates, key=lambda one: one.peak().count)

    def verdict(self, value: int) -> CandidateVerdict:
        """What the model predicts for a value; raises NoEstimateError when it predicts nothing.

        It fits when it does with long sequences. It is too large when the floor is, or the
        expected peak by more than the usual error.
        """
        estimate = self.estimate(value)
        usable = estimate.usable
        if estimate.outcome == "impossible" or estimate.peak() > usable * (1 + USUAL_ERROR):
            return "too large"
        return "fits" if estimate.peak("conservative") <= usable else "open"

    def depends(self) -> bool:
        """Whether the expected peak depends on the value at all."""
        value = self.knob.value
        return len({self.estimate(value * factor).peak().count for factor in (1, 2, 8, 64)}) > 1

    def deciding(self) -> tuple[list[str], list[str]]:
        """The batch sizes and token limits of the script that the expected peak depends on.

        Of a script that does not fit, those that can lower it. First those that can be varied as
        the script is, then, as `key=value`, those whose number is computed in it.
        """
        keys, computed = [], []
        now = self.estimate(self.knob.value)
        fits = now.peak() <= now.usable
        for setting in {s.key: s for s in self.plans(self.knob.value)[0].settings}.values():
            if not DECIDING.search(setting.key) or not isinstance(setting.value, int):
                continue
            try:
                other = Candidates(self.script, self.options, [setting.key], gpus=self._gpus)
            except UserError:
                if self._depends_on(setting.key, setting.value, now):
                    computed.append(f"{setting.key}={setting.value}")
                continue
            try:
                if other.depends() and (
                    fits or other.estimate(other.knob.unit).peak() < now.peak()
                ):
                    keys.append(setting.key)
            except NoEstimateError:
                continue
        return keys, computed

    def _depends_on(self, key: str, value: int, now: MemoryEstimate) -> bool:
        """Whether the expected peak depends on a setting, wherever its number comes from.

        Of a script that does not fit, whether a smaller number lowers it.
        """
        fits = now.peak() <= now.usable
        for other in (value * 8, value * 64) if fits else (max(1, value // 8), 1):
            try:
                options = replace(self.options, settings=(f"{key}={other}",))
                peak = self._most(read_script(self.script, options)).peak()
            except (UserError, NoEstimateError):
                continue
            if peak > now.peak() if fits else peak < now.peak():
                return True
        return False


@dataclass(frozen=True, slots=True)
class Band:
    """Values between which the largest lies by the prediction."""

    lower: int | None = None
    """The largest that should fit; None when none is."""
    upper: int | None = None
    """The smallest that is far too large; None when none is up to the bound."""
    expected: int | None = None
    """The largest whose expected peak fits."""


def predict_band(candidates: Candidates) -> Band:
    """The band in multiples of the unit; raises NoEstimateError when nothing can be predicted."""
    step = candidates.knob.unit
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
