"""From a script to the series of runs that finds its largest batch."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm

from bot import __version__
from bot.base.messages import message
from bot.bisect.band import (
    LARGEST,
    Band,
    Candidates,
    NoEstimateError,
    between,
    deciding,
    moves,
    predict_band,
    step_of,
)
from bot.bisect.ends import Ends, known_ends, narrowed
from bot.bisect.find import find_knob
from bot.bisect.knob import Knob
from bot.bisect.notes import notes
from bot.bisect.probes import Probes
from bot.bisect.reader import Reader
from bot.bisect.report import Mode, Plan, Probe, Varied
from bot.bisect.request import Asked, command
from bot.bisect.tree import Node, blind_runs, most_runs, rounds, runs_to, series, spread
from bot.check.request import CheckOptions, ScriptFile
from bot.memory.estimate import MemoryEstimate
from bot.report import Tool
from bot.shell.words import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A plan with what it was made from."""

    plan: Plan
    candidates: Candidates

    @property
    def knob(self) -> Knob:
        """What is varied."""
        return self.candidates.knob


def plan_series(script: ScriptFile, options: CheckOptions, asked: Asked) -> Series:
    """The series; raises UserError, with what to do, where none can be made."""
    read = Reader(script, options)
    knob = find_knob(script.data, read, asked.vary)
    candidates = Candidates(script, options, read, knob, asked.where)
    return Series(plan=_Planner(candidates, asked).plan(), candidates=candidates)


class _Planner:
    def __init__(self, candidates: Candidates, asked: Asked) -> None:
        self._of, self._knob, self._asked = candidates, candidates.knob, asked
        self._notes: list[str] = []
        self._no_prediction: str | None = None
        self._unit = lcm(self._knob.unit, asked.multiple or 1)
        self._band: Band | None = None
        self._known = known_ends(candidates, asked)

    def plan(self) -> Plan:
        """The whole plan."""
        try:
            if not self._asked.blind and not moves(self._of):
                return self._without_effect()
            self._predict()
        except NoEstimateError as error:
            self._no_prediction = str(error)
        lower, upper = ends = self._ends()
        low = 1 if lower is None else lower.value + (lower.source != "predicted")
        top = self._asked.largest or LARGEST
        high = min(upper.value - 1 if upper is not None else top, top)
        bounded = upper is not None or self._asked.largest is not None
        step = self._unit
        if bounded and not self._asked.multiple:
            step = step_of(low, high, self._unit)
        if step > self._unit:
            self._notes.append(
                message(
                    "Values are multiples of {step}, so that there are few. When the series is "
                    "done, --ran A --failed B finds the largest between the two that it ends with.",
                    step=step,
                )
            )
        if not bounded:
            return self._doubling(ends)
        values = tuple(between(self._of, low, high, step))
        return self._finite(ends, values, step)

    def _predict(self) -> None:
        if self._asked.blind:
            self._no_prediction = message("It was left out (--blind).")
        else:
            self._band = predict_band(self._of, self._unit, self._asked.largest)

    def _without_effect(self) -> Plan:
        """There is nothing to bisect; what decides the memory is named instead."""
        budget, value = self._of.budget(self._knob.value), self._knob.value
        why = message(
            "By the prediction {name} does not decide the memory of a GPU: the peak is {peak} of "
            "{usable} GiB at {value} and at {more} alike.",
            name=self._knob.name,
            peak=f"{budget.peak().in_gib:.1f}",
            usable=f"{budget.usable.in_gib:.1f}",
            value=value,
            more=value * 64,
        )
        return self._made(
            "closed",
            self._known,
            (),
            budget=budget,
            no_effect=why,
            vary_instead=tuple(deciding(self._of)),
        )

    def _ends(self) -> Ends:
        if self._band is None:
            return self._known
        ends, said = narrowed(self._of, self._band, self._known)
        self._notes.extend(said)
        return ends

    def _finite(self, ends: Ends, values: tuple[int, ...], step: int) -> Plan:
        """Between two ends: one run after the other, or the first round of several."""
        count, at_once = len(values), self._asked.at_once
        expected = self._band.expected if self._band is not None else None
        fitting = None if expected is None else sum(value <= expected for value in values)
        root = series(count, fitting)
        mode: Mode = "closed" if not values else "round" if at_once > 1 else "series"
        if mode == "round":
            probes = self._probes.of_round(values[index] for index in spread(count, at_once))
        else:
            probes = self._probes.of_tree(root, values, ends)
        blind, how = self._blind(values, step)
        return self._made(
            mode,
            ends,
            probes,
            multiple=step,
            candidates=values,
            runs=len(probes) if mode == "round" else most_runs(count),
            runs_expected=self._when_exact(root, fitting) if mode == "series" else None,
            rounds=rounds(count, at_once) if mode == "round" else None,
            blind=blind,
            blind_how=how,
        )

    def _doubling(self, ends: Ends) -> Plan:
        """Without an upper end: upwards until one fails."""
        probes = self._probes.of_doubling(ends[0])
        return self._made(
            "doubling",
            ends,
            probes,
            candidates=tuple(probe.value for probe in probes),
        )

    @property
    def _probes(self) -> Probes:
        return Probes(self._of, self._known, predicted=self._band is not None)

    def _when_exact(self, root: Node | None, fitting: int | None) -> int | None:
        """Runs when the prediction is exact; None when what ran or failed has refuted that."""
        expected = self._band.expected if self._band is not None else None
        if fitting is None or expected is None:
            return None
        ran, failed = self._known
        refuted = ran is not None and ran.value > expected
        refuted |= failed is not None and failed.value <= expected
        return None if refuted else runs_to(root, fitting)

    def _blind(self, values: Sequence[int], step: int) -> tuple[int | None, str | None]:
        """What the same search takes without a prediction; None where that is no fair question."""
        if self._band is None or not values or any(self._known):
            return None, None
        largest = self._asked.largest
        step = gcd(*values) if len(values) > 1 else step
        how = (
            message("doubling from {step} until one fails, then bisection below it", step=step)
            if largest is None
            else message("bisection from {step} to {largest}", step=step, largest=largest)
        )
        return blind_runs(step, values[-1], largest), how

    def _made(
        self,
        mode: Mode,
        ends: Ends,
        probes: Sequence[Probe],
        *,
        budget: MemoryEstimate | None = None,
        multiple: int = 1,
        candidates: tuple[int, ...] = (),
        runs: int | None = None,
        runs_expected: int | None = None,
        rounds: int | None = None,
        blind: int | None = None,
        blind_how: str | None = None,
        no_effect: str | None = None,
        vary_instead: tuple[str, ...] = (),
    ) -> Plan:
        script = self._of.script
        if self._band is not None:
            budget = self._of.budget(self._knob.value)
        read = shlex.join(command("read", script.path, self._asked.vary))
        return Plan(
            tool=Tool(name="rlbot", version=__version__),
            language=self._of.options.config.language,
            script=script.path,
            batch_key=self._knob.batch_key,
            varied=varied(self._knob, self._of.read(script.data)[0]),
            device=budget.device.label if budget is not None else None,
            gpus=budget.gpus if budget is not None else None,
            mode=mode,
            lower=ends[0],
            upper=ends[1],
            expected=self._band.expected if self._band is not None else None,
            multiple=multiple,
            candidates=candidates,
            probes=tuple(probes),
            runs=runs,
            runs_expected=runs_expected,
            rounds=rounds,
            blind=blind,
            blind_how=blind_how,
            no_prediction=self._no_prediction,
            no_effect=no_effect,
            vary_instead=vary_instead,
            notes=(*self._notes, *notes(self._of, budget)),
            sweep=None,
            next_command=None if no_effect is not None else f"{read} RUN…",
        )


def varied(knob: Knob, reading: Reading) -> tuple[Varied, ...]:
    """The numbers that are varied, as an answer names them."""
    found = []
    for part in knob.parts:
        line, column = reading.source.line_column(part.span.start)
        found.append(Varied(name=part.name, value=part.value, line=line, column=column))
    return tuple(found)
