"""From a script to the series of runs that finds its largest batch."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import lru_cache, partial

from bot import __version__
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.bisect.candidates import (
    LARGEST,
    Band,
    Candidates,
    predict_band,
    step_of,
)
from bot.bisect.ends import Ends, known_ends, narrowed
from bot.bisect.find import find_knob
from bot.bisect.notes import notes
from bot.bisect.report import Limit, Mode, SeriesPlan, TrialRun, Varied
from bot.bisect.request import SeriesRequest, command, plan_again
from bot.bisect.search import SearchNode, bisection, doubled, doubling, most_runs, runs_to
from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.memory.settings import NoEstimateError
from bot.report import Tool
from bot.rules._support.base import RuleContext


def candidates_of(script: ScriptFile, options: CheckOptions, request: SeriesRequest) -> Candidates:
    """What may be tried; raises UserError where the script has no batch that can be varied."""
    # Places are tried, values compared and errors looked for in the same versions of the script.
    read = lru_cache(maxsize=64)(partial(_read, script, options))
    knob = find_knob(script.data, read, request.vary)
    return Candidates(script, options, read, knob, request)


def plan_runs(candidates: Candidates, request: SeriesRequest) -> SeriesPlan:
    """The plan of a series; raises UserError where what ran and what failed contradict."""
    return _Planner(candidates, request).plan()


def _read(script: ScriptFile, options: CheckOptions, data: bytes) -> RuleContext:
    """A version of the script, read with its tree, path and named releases."""
    return read_script(replace(script, data=data), options)


def varied(candidates: Candidates) -> tuple[Varied, ...]:
    """The numbers that are varied, as an answer names them."""
    source = candidates.read(candidates.script.data).reading.source
    places = [(part, *source.line_column(part.span.start)) for part in candidates.knob.parts]
    return tuple(
        Varied(name=part.name, value=part.value, line=line, column=column)
        for part, line, column in places
    )


@dataclass(frozen=True, slots=True)
class _Range:
    """The values that may be tried, between two ends."""

    mode: Mode
    ends: Ends
    values: tuple[int, ...] = ()

    def name(self, node: SearchNode | None) -> str | None:
        """The name of a run."""
        return None if node is None else f"{node.depth}-{self.values[node.index]}"

    def below(self, index: int) -> int | None:
        """The next smaller value that runs when this one is the next to be decided."""
        return self.values[index - 1] if index else _seen(self.ends[0])

    def above(self, index: int) -> int | None:
        """The next larger value, which failed when this one is the next to be decided."""
        last = index + 1 == len(self.values)
        return _seen(self.ends[1]) if last else self.values[index + 1]


def _seen(limit: Limit | None) -> int | None:
    """The value of an end that more than the prediction supports."""
    return None if limit is None or limit.source == "predicted" else limit.value


class _Planner:
    """Plans the runs between what is known and what is predicted."""

    def __init__(self, candidates: Candidates, request: SeriesRequest) -> None:
        self._candidates, self._request = candidates, request
        self._band: Band | None = None
        self._no_prediction: str | None = None
        self._known = known_ends(candidates, request)
        self._notes: tuple[str, ...] = ()

    def plan(self) -> SeriesPlan:
        """The whole plan."""
        request, ends = self._request, self._known
        try:
            if request.blind:
                self._no_prediction = message("It was left out (--blind).")
            elif not self._candidates.depends():
                return self._without_effect()
            else:
                self._band = predict_band(self._candidates, self._candidates.knob.unit)
                ends, self._notes = narrowed(self._candidates, self._band, self._known)
        except NoEstimateError as error:
            self._no_prediction = sentence_of(error)
        lower, upper = ends
        if upper is None:
            return self._doubling(ends)
        low = 1 if lower is None else lower.value + (lower.source != "predicted")
        return self._bisection(ends, low, upper.value - 1)

    def _without_effect(self) -> SeriesPlan:
        """There is nothing to bisect; what decides the memory is named instead."""
        value = self._candidates.knob.value
        estimate = self._candidates.estimate(value)
        why = message(
            "By the prediction {name} does not decide the memory of a GPU: the peak is {peak} of "
            "{usable} GiB at {value} and at {more} alike.",
            name=self._candidates.knob.name,
            peak=f"{estimate.peak().in_gib:.1f}",
            usable=f"{estimate.usable.in_gib:.1f}",
            value=value,
            more=value * 64,
        )
        return replace(
            self._planned(_Range("closed", self._known)),
            no_effect=why,
            vary_instead=tuple(self._candidates.deciding()),
            next_command=None,
        )

    def _bisection(self, ends: Ends, low: int, high: int) -> SeriesPlan:
        """Between two ends."""
        step = step_of(low, high, self._candidates.knob.unit)
        if step > self._candidates.knob.unit:
            self._notes += (
                message(
                    "Values are multiples of {step}, so that there are few. When the series is "
                    "done, --ran A --failed B finds the largest between the two that it ends with.",
                    step=step,
                ),
            )
        values = self._candidates.between(low, high, step)
        expected = self._band.expected if self._band is not None else None
        fitting = None if expected is None else sum(value <= expected for value in values)
        root = bisection(0, len(values), None if fitting is None else fitting - 1)
        exact = fitting is not None and values and not self._refuted(expected or 0)
        return replace(
            self._planned(_Range("series" if values else "closed", ends, values), root),
            multiple=step,
            runs=most_runs(len(values)),
            runs_expected=runs_to(root, fitting or 0) if exact else None,
        )

    def _doubling(self, ends: Ends) -> SeriesPlan:
        """Without an upper end: upwards until one fails."""
        lower, _ = ends
        start = self._candidates.knob.value if lower is None else lower.value * 2
        values = doubled(start, LARGEST, self._candidates.valid)
        return self._planned(_Range("doubling", ends, values), doubling(len(values)))

    def _refuted(self, expected: int) -> bool:
        """Whether what ran or failed has shown that the prediction is not exact."""
        ran, failed = self._known
        above = ran is not None and ran.value > expected
        return above or (failed is not None and failed.value <= expected)

    def _run(self, open_values: _Range, node: SearchNode) -> TrialRun:
        value = open_values.values[node.index]
        predicted = self._band is not None
        expected = self._candidates.estimate(value).peak().in_gib if predicted else None
        ran, failed = open_values.name(node.ran), open_values.name(node.failed)
        return TrialRun(
            name=f"{node.depth}-{value}",
            value=value,
            batch=self._candidates.batch(value),
            number=node.depth,
            expected_gib=None if expected is None else round(expected, 2),
            path=None,
            ran=ran,
            failed=failed,
            if_ran=ran or self._after_the_last_ran(open_values, node.index),
            if_failed=failed or self._after_the_last_failed(open_values, node.index),
        )

    def _after_the_last_ran(self, open_values: _Range, index: int) -> str:
        value, above = open_values.values[index], open_values.above(index)
        if above is None:
            return plan_again(value, _seen(self._known[1]))
        return message("done: {value} ran, {above} failed", value=value, above=above)

    def _after_the_last_failed(self, open_values: _Range, index: int) -> str:
        value, below = open_values.values[index], open_values.below(index)
        if below is not None and open_values.mode != "doubling":
            return message("done: {below} ran, {value} failed", value=value, below=below)
        if value == 1:
            return message("nothing is left to try")
        return plan_again(_seen(self._known[0]) if below is None else below, value)

    def _planned(self, open_values: _Range, root: SearchNode | None = None) -> SeriesPlan:
        candidates = self._candidates
        script, knob = candidates.script, candidates.knob
        # Where a value decides nothing there is no band, but an estimate.
        estimate = None if self._no_prediction else candidates.estimate(knob.value)
        read = shlex.join(command("read", script.path, self._request.vary))
        return SeriesPlan(
            tool=Tool(name="rlbot", version=__version__),
            language=candidates.options.config.language,
            script=script.path,
            batch_key=knob.batch_key,
            varied=varied(candidates),
            device=estimate.device.label if estimate is not None else None,
            gpus=estimate.gpus if estimate is not None else None,
            mode=open_values.mode,
            lower=open_values.ends[0],
            upper=open_values.ends[1],
            expected=self._band.expected if self._band is not None else None,
            multiple=1,
            candidates=open_values.values,
            probes=tuple(self._run(open_values, node) for node in root.walk()) if root else (),
            runs=None,
            runs_expected=None,
            rounds=None,
            blind=None,
            blind_how=None,
            no_prediction=self._no_prediction,
            no_effect=None,
            vary_instead=(),
            notes=(*self._notes, *notes(candidates, estimate)),
            sweep=None,
            next_command=f"{read} RUN…",
        )
