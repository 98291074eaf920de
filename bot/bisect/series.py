"""From a script, and what is known of its batch, to the run that comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce

from bot import __version__
from bot.base.messages import message, sentence_of
from bot.base.regex import regex
from bot.bisect.candidates import Band, Candidates, predict_band
from bot.bisect.ends import Ends, predicted_end
from bot.bisect.report import Mode, SeriesPlan, TrialRun
from bot.bisect.search import next_value
from bot.frameworks.plan_values import values_of
from bot.memory.estimate import MemoryEstimate
from bot.memory.readers.settings import NoEstimateError
from bot.report import Tool

_OWN_PLACE = regex(r"\bBASH_SOURCE\b|\$0\b|\$\{0\b|^[^\S\n]*(?:source|\.)\s", re.MULTILINE)


def plan_series(candidates: Candidates, known: Ends, done: int = 0) -> SeriesPlan:
    """The next run, when `done` values were tried and have shown what is known."""
    now, band, fits = candidates.knob.value, Band(), True
    estimate = no_prediction = no_effect = None
    try:
        estimate = candidates.estimate(now)
        if candidates.depends():
            band = predict_band(candidates)
            fits = band.upper != candidates.knob.unit
        elif known == (None, None):
            fits = candidates.verdict(now) != "too large"
            no_effect = _no_effect(candidates, estimate)
    except NoEstimateError as error:
        estimate, no_prediction = None, sentence_of(error)
    ran, failed = (limit.value if limit is not None else None for limit in known)
    found = next_value(candidates, band, ran, failed)
    instead, computed = candidates.deciding() if no_effect is not None else ([], [])
    tried = (found.value,) if found.value is not None and no_effect is None else ()
    mode: Mode = "closed" if not tried else "doubling" if found.runs is None else "series"
    return SeriesPlan(
        tool=Tool(name="rlbot", version=__version__),
        language=candidates.options.config.language,
        script=candidates.script.path,
        batch_key=candidates.knob.batch_key,
        varied=candidates.varied,
        device=estimate.device.label if estimate is not None else None,
        gpus=estimate.gpus if estimate is not None else None,
        usable_gib=estimate.usable.in_report if estimate is not None else None,
        mode=mode,
        lower=predicted_end(candidates, found.lower) or known[0],
        upper=predicted_end(candidates, found.upper) or known[1],
        expected=band.expected,
        multiple=candidates.knob.unit,
        candidates=tried,
        probes=tuple(_trial(candidates, band, value, (ran, failed), done + 1) for value in tried),
        runs=found.runs,
        no_prediction=no_prediction,
        no_effect=no_effect,
        vary_instead=tuple(instead),
        computed=tuple(computed),
        notes=tuple(_notes(candidates, estimate, fits=fits)),
        next_command=f"{candidates.command('read')} RUN…" if no_effect is None else None,
    )


def _no_effect(candidates: Candidates, estimate: MemoryEstimate) -> str:
    return message(
        "By the prediction {name} does not decide the memory of a GPU: the peak is {peak} of "
        "{usable} GiB at {value} and at {more} alike.",
        name=candidates.knob.name,
        peak=estimate.peak().shown,
        usable=estimate.usable.shown,
        value=candidates.knob.value,
        more=candidates.knob.value * 64,
    )


def _trial(
    candidates: Candidates,
    band: Band,
    value: int,
    seen: tuple[int | None, int | None],
    number: int,
) -> TrialRun:
    """The run of a value; `seen` is what ran and what failed before it."""
    ran, failed = seen
    expected = candidates.estimate(value).peak() if band != Band() else None
    return TrialRun(
        name=f"{number}-{value}",
        value=value,
        batch=candidates.batch(value),
        number=number,
        expected_gib=expected.in_report if expected is not None else None,
        if_ran=_next_step(candidates, band, value, failed),
        if_failed=_next_step(candidates, band, ran, value),
    )


def _next_step(candidates: Candidates, band: Band, ran: int | None, failed: int | None) -> str:
    """What the outcome of a run leads to."""
    value = next_value(candidates, band, ran, failed).value
    if value is not None:
        return message("{value} is next", value=value)
    if ran is None or failed is None:
        return message("nothing is left to try")
    return message("done: {below} ran, {value} failed", below=ran, value=failed)


def _and(what: str, more: str) -> str:
    return message("{what}; {more}", what=what, more=more)


def _notes(
    candidates: Candidates, estimate: MemoryEstimate | None, *, fits: bool = True
) -> Iterator[str]:
    """Sentences about the script and its runs; those of the prediction first.

    `fits`: whether some value may fit.
    """
    if not fits:
        yield message(
            "By the prediction no value fits; rlbot estimate names the options that would help."
        )
    if estimate is not None and estimate.assumptions:
        yield message("Assumed: {what}.", what=reduce(_and, estimate.assumptions))
    plan = candidates.plans(candidates.knob.value)[0]
    if candidates.standing_errors:
        yield message(
            "The linter finds errors in the script that no batch settles; fix them first "
            "(rlbot lint {path}).",
            path=candidates.script.path,
        )
    if plan.framework == "verl" and plan.algorithm.value != "sft":
        values = values_of(plan)
        every, resume = values.number("trainer.save_freq"), values.text("trainer.resume_mode")
        if every is not None and every > 0 and resume != "disable":
            yield message(
                "The runs share trainer.experiment_name, and verl resumes from the checkpoints "
                "of the one before: set trainer.resume_mode=disable, or trainer.save_freq=-1."
            )
    if _OWN_PLACE.search(candidates.script.data.decode("utf-8", "replace")):
        yield message(
            "The script looks for files beside itself or sources others: see that it finds "
            "them from where the series is written."
        )
