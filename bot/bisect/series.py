"""From a script to the series of runs that finds its largest batch."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import gcd, lcm
from pathlib import PurePosixPath

from bot import __version__
from bot.bisect.band import (
    LARGEST,
    Band,
    Candidates,
    NoPredictionError,
    Where,
    between,
    deciding,
    moves,
    predict_band,
    step_of,
)
from bot.bisect.knob import Knob, find_knob
from bot.bisect.notes import notes
from bot.bisect.reader import Reader
from bot.bisect.tree import Node, blind_runs, most_runs, rounds, runs_to, series, spread
from bot.bisection import Limit, Mode, Plan, Probe, Varied
from bot.check import Options, Script
from bot.errors import UserError
from bot.language import say
from bot.report import Tool
from bot.shell.words import Reading
from bot.trials import largest_passing, outcome, tried_values

_DOUBLINGS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a series is asked for."""

    vary: tuple[str, ...] = ()
    where: Where = field(default_factory=Where)
    ran: int | None = None
    """A value that is known to have run."""
    failed: int | None = None
    """A value that is known to have failed."""
    largest: int | None = None
    """No larger value is tried."""
    multiple: int | None = None
    """Values are multiples of it."""
    at_once: int = 1
    """Runs beside each other."""
    blind: bool = False
    """Whether the prediction is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A plan with what it was made from."""

    plan: Plan
    candidates: Candidates

    @property
    def knob(self) -> Knob:
        """What is varied."""
        return self.candidates.knob


def plan_series(script: Script, options: Options, asked: Asked) -> Series:
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
        self._ran, self._failed = self._known()

    def plan(self) -> Plan:
        """The whole plan."""
        self._predict()
        lower, upper = self._ends()
        low = 1 if lower is None else lower.value + (lower.source != "predicted")
        top = self._asked.largest or LARGEST
        high = min(upper.value - 1 if upper is not None else top, top)
        bounded = upper is not None or self._asked.largest is not None
        step = self._unit
        if bounded and not self._asked.multiple:
            step = step_of(low, high, self._unit)
        if step > self._unit:
            self._notes.append(
                say(
                    "Values are multiples of {step}, so that there are few. When the series is "
                    "done, --ran A --failed B finds the largest between the two that it ends with.",
                    step=step,
                )
            )
        if not bounded:
            return self._doubling(lower)
        values = tuple(between(self._of, low, high, step))
        expected = self._band.expected if self._band is not None else None
        fitting = None if expected is None else sum(value <= expected for value in values)
        return self._finite(lower, upper, values, step, fitting)

    def _known(self) -> tuple[Limit | None, Limit | None]:
        """What ran and what failed already: as given, else by the script's own trial log."""
        asked, reading = self._asked, self._of.read(self._of.script.data)
        ran = self._given(asked.ran, say("given with --ran"))
        failed = self._given(asked.failed, say("given with --failed"))
        logs = [
            tried.trials
            for tried in tried_values(*reading)
            if tried.span == self._knob.parts[0].span
        ]
        if logs and asked.ran is None and asked.failed is None:
            (trials, *_) = logs
            best = largest_passing(trials)
            failing = [t.value for t in trials if outcome(trials, t.value) is False]
            first = min(failing, default=None)
            ran = self._limit(best, "trial log", say("marked √ in the script's own trial log"))
            failed = self._limit(first, "trial log", say("marked × in the script's own trial log"))
        if ran is not None and failed is not None and ran.value >= failed.value:
            raise UserError(
                f"{ran.value} cannot have run when {failed.value}, which is no larger, "
                "failed; settle that first."
            )
        return ran, failed

    def _given(self, value: int | None, reason: str) -> Limit | None:
        return self._limit(value, "given", reason)

    def _limit(self, value: int | None, source: str, reason: str) -> Limit | None:
        if value is None:
            return None
        batch = self._of.batch(value) if self._knob.values(value) is not None else None
        return Limit(value=value, batch=batch, source=source, reason=reason)  # type: ignore[arg-type]

    def _predict(self) -> None:
        if self._asked.blind:
            self._no_prediction = say("It was left out (--blind).")
            return
        try:
            if not moves(self._of):
                raise UserError(self._still())
            self._band = predict_band(self._of, self._unit, self._asked.largest)
        except NoPredictionError as error:
            self._no_prediction = str(error)

    def _still(self) -> str:
        """Why there is nothing to bisect, and what decides the memory instead."""
        budget, value = self._of.budget(self._knob.value), self._knob.value
        keys = deciding(self._of)
        other = f": --vary {' or --vary '.join(keys)}" if keys else " with --vary KEY"
        return (
            f"By the prediction {self._knob.name} does not decide the memory of a GPU: the peak is "
            f"{budget.peak().in_gib:.1f} of {budget.usable.in_gib:.1f} GiB at {value} and at "
            f"{value * 64} alike. Vary what does{other}. (--blind bisects all the same.)"
        )

    def _ends(self) -> tuple[Limit | None, Limit | None]:
        """The ends between which is searched: what is known, narrowed by what is predicted."""
        ran, failed, band = self._ran, self._failed, self._band
        lower, upper = ran, failed
        if band is None:
            return lower, upper
        if band.lower is not None and (ran is None or ran.value < band.lower):
            if failed is None or band.lower < failed.value:
                lower = self._predicted(band.lower)
            else:
                self._notes.append(
                    say(
                        "{value} failed although it was predicted to fit; the prediction is left "
                        "out below it.",
                        value=failed.value,
                    )
                )
        if band.upper is not None and (failed is None or band.upper < failed.value):
            if ran is None or band.upper > ran.value:
                upper = self._predicted(band.upper)
            else:
                self._notes.append(
                    say(
                        "{value} ran although it was predicted to be too large; the prediction is "
                        "left out above it.",
                        value=ran.value,
                    )
                )
        return lower, upper

    def _predicted(self, value: int) -> Limit | None:
        budget = self._of.budget(value)
        usable = f"{budget.usable.in_gib:.1f}"
        expected = f"{budget.peak().in_gib:.1f}"
        if budget.outcome == "impossible":
            reason = say(
                "impossible: the floor is {floor} of {usable} GiB",
                floor=f"{budget.peak('floor').in_gib:.1f}",
                usable=usable,
            )
        elif self._of.verdict(value) == "too large":
            reason = say(
                "expected {expected} of {usable} GiB, above by more than the model's usual error",
                expected=expected,
                usable=usable,
            )
        elif budget.peak("conservative") <= budget.usable:
            reason = say(
                "at most {most} of {usable} GiB, every sequence at its full length",
                most=f"{budget.peak('conservative').in_gib:.1f}",
                usable=usable,
            )
        else:
            reason = say(
                "expected {expected} of {usable} GiB, below by more than the model's usual error",
                expected=expected,
                usable=usable,
            )
        return self._limit(value, "predicted", reason)

    def _finite(
        self,
        lower: Limit | None,
        upper: Limit | None,
        values: tuple[int, ...],
        step: int,
        fitting: int | None,
    ) -> Plan:
        count, at_once = len(values), self._asked.at_once
        root = series(count, fitting)
        mode: Mode = "closed" if not values else "round" if at_once > 1 else "series"
        if mode == "round":
            chosen = spread(count, at_once)
            probes = [self._alone(values[index]) for index in chosen]
        else:
            nodes = list(root.walk()) if root is not None else []
            probes = [self._node(node, values, lower, upper) for node in nodes]
        blind, how = self._blind(values, step)
        return self._made(
            mode,
            lower=lower,
            upper=upper,
            multiple=step,
            candidates=values,
            probes=tuple(probes),
            runs=len(probes) if mode == "round" else most_runs(count),
            runs_expected=self._when_exact(root, fitting) if mode == "series" else None,
            rounds=rounds(count, at_once) if mode == "round" else None,
            blind=blind,
            blind_how=how,
        )

    def _when_exact(self, root: Node | None, fitting: int | None) -> int | None:
        """Runs when the prediction is exact; None when what ran or failed has refuted that."""
        expected = self._band.expected if self._band is not None else None
        if fitting is None or expected is None:
            return None
        refuted = self._ran is not None and self._ran.value > expected
        refuted |= self._failed is not None and self._failed.value <= expected
        return None if refuted else runs_to(root, fitting)

    def _blind(self, values: Sequence[int], step: int) -> tuple[int | None, str | None]:
        """What the same search takes without a prediction; None where that is no fair question."""
        if self._band is None or not values or self._ran is not None or self._failed is not None:
            return None, None
        largest = self._asked.largest
        step = gcd(*values) if len(values) > 1 else step
        how = (
            say("doubling from {step} until one fails, then bisection below it", step=step)
            if largest is None
            else say("bisection from {step} to {largest}", step=step, largest=largest)
        )
        return blind_runs(step, values[-1], largest), how

    def _node(
        self, node: Node, values: Sequence[int], lower: Limit | None, upper: Limit | None
    ) -> Probe:
        def named(after: Node | None) -> str | None:
            return None if after is None else f"{after.depth}-{values[after.index]}"

        value = values[node.index]
        below = values[node.index - 1] if node.index else None
        above = values[node.index + 1] if node.index + 1 < len(values) else None
        ran, failed = named(node.ran), named(node.failed)
        return Probe(
            name=f"{node.depth}-{value}",
            value=value,
            batch=self._of.batch(value),
            number=node.depth,
            expected_gib=self._gib(value),
            path=None,
            ran=ran,
            failed=failed,
            if_ran=ran if ran is not None else self._largest(value, above, upper),
            if_failed=failed if failed is not None else self._smallest(value, below, lower),
        )

    def _largest(self, value: int, above: int | None, upper: Limit | None) -> str:
        """What is known when a value ran and nothing above it is left to try."""
        if above is not None:
            return say("done: {value} ran, {above} failed", value=value, above=above)
        if upper is not None and upper.source != "predicted":
            return say("done: {value} ran, {above} failed", value=value, above=upper.value)
        return _again(value, self._failed.value if self._failed is not None else None)

    def _smallest(self, value: int, below: int | None, lower: Limit | None) -> str:
        """What is known when a value failed and nothing below it is left to try."""
        if below is not None:
            return say("done: {below} ran, {value} failed", value=value, below=below)
        if lower is not None and lower.source != "predicted":
            return say("done: {below} ran, {value} failed", value=value, below=lower.value)
        if value == 1:
            return say("nothing is left to try")
        return _again(self._ran.value if self._ran is not None else None, value)

    def _words(self, action: str) -> list[str]:
        return command(action, self._of.script.path, self._asked.vary)

    def _alone(self, value: int) -> Probe:
        then = say("read all runs of the round")
        return Probe(
            name=f"1-{value}",
            value=value,
            batch=self._of.batch(value),
            number=1,
            expected_gib=self._gib(value),
            path=None,
            ran=None,
            failed=None,
            if_ran=then,
            if_failed=then,
        )

    def _doubling(self, lower: Limit | None) -> Plan:
        """Upwards from what ran, or from the script's own value, until one fails."""
        start = self._knob.value if lower is None else lower.value * 2
        values: list[int] = []
        for power in range(_DOUBLINGS):
            wanted = start << power
            near = range(wanted, min(wanted + wanted // 2, wanted + 64) + 1)
            found = next((value for value in near if self._of.valid(value)), None)
            if found is not None and found <= LARGEST and found not in values:
                values.append(found)
        probes = []
        for at, value in enumerate(values):
            below = values[at - 1] if at else (lower.value if lower is not None else None)
            more = f"{at + 2}-{values[at + 1]}" if at + 1 < len(values) else None
            probes.append(
                Probe(
                    name=f"{at + 1}-{value}",
                    value=value,
                    batch=self._of.batch(value),
                    number=at + 1,
                    expected_gib=self._gib(value),
                    path=None,
                    ran=more,
                    failed=None,
                    if_ran=more or _again(value, None),
                    if_failed=_again(below, value),
                )
            )
        return self._made(
            "doubling",
            lower=lower,
            upper=None,
            multiple=1,
            candidates=tuple(values),
            probes=tuple(probes),
            runs=None,
            runs_expected=None,
            rounds=None,
            blind=None,
            blind_how=None,
        )

    def _gib(self, value: int) -> float | None:
        if self._band is None:
            return None
        return round(self._of.budget(value).peak().in_gib, 2)

    def _made(self, mode: Mode, **fields: object) -> Plan:
        reading = self._of.read(self._of.script.data)[0]
        budget = self._of.budget(self._knob.value) if self._band is not None else None
        return Plan(
            tool=Tool(name="rlbot", version=__version__),
            language=self._of.options.config.language,
            script=self._of.script.path,
            batch_key=self._knob.batch_key,
            varied=varied(self._knob, reading),
            device=budget.device.label if budget is not None else None,
            gpus=budget.gpus if budget is not None else None,
            mode=mode,
            expected=self._band.expected if self._band is not None else None,
            no_prediction=self._no_prediction,
            notes=(*self._notes, *notes(self._of, budget)),
            sweep=None,
            next_command=f"{shlex.join(self._words('read'))} RUN…",
            **fields,  # type: ignore[arg-type]
        )


def _again(ran: int | None, failed: int | None) -> str:
    """What to call when the band was left: with everything that is known then."""
    known = [f"--ran {ran}"] if ran is not None else []
    known += [f"--failed {failed}"] if failed is not None else []
    return say("plan again with {options}", options=" ".join(known))


def command(action: str, path: str, vary: Sequence[str]) -> list[str]:
    """The words of a command for the same script and the same numbers."""
    words = ["rlbot", "bisect", action, path]
    for name in vary:
        words += ["--vary", name]
    return words


def varied(knob: Knob, reading: Reading) -> tuple[Varied, ...]:
    """The numbers that are varied, as an answer names them."""
    found = []
    for part in knob.parts:
        line, column = reading.source.line_column(part.span.start)
        found.append(Varied(name=part.name, value=part.value, line=line, column=column))
    return tuple(found)


def with_paths(plan: Plan, root: str, parent: str) -> Plan:
    """The plan with the path of each script that is written below a folder."""
    path = PurePosixPath(plan.script)
    probes = tuple(
        replace(probe, path=(PurePosixPath(root) / folder(probe.name, path, parent)).as_posix())
        for probe in plan.probes
    )
    return replace(plan, probes=probes)


def folder(name: str, path: PurePosixPath, parent: str) -> PurePosixPath:
    """Where a probe's script stands: its name and the folder that it is named after stay."""
    return PurePosixPath(name) / parent / path.name
