"""What `rlbot bisect` prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from bot.base.messages import pmessage, translated
from bot.bisect.report import Bracket, Limit, SeriesPlan, TrialRun
from bot.bisect.request import command
from bot.render.columns import padded, width_of
from bot.render.escape import terminal
from bot.render.speech import current, speaking, tr, tr_plural

_OUTCOMES = {
    "ran": lambda: tr("ran"),
    "out of memory": lambda: tr("out of memory"),
    "nothing": lambda: tr("nothing"),
}
_SHOWN = 7
"""Runs of a series that are listed: its first three."""
_BATCH = 2
"""The column of the batch, which is left out where it repeats the value before it."""


def plan_text(plan: SeriesPlan) -> str:
    """A series for a terminal."""
    with speaking(plan.language):
        return "\n".join(map(terminal, _plan(plan))) + "\n"


def bracket_text(bracket: Bracket) -> str:
    """What the finished runs show, for a terminal."""
    with speaking(bracket.language):
        return "\n".join(map(terminal, _bracket(bracket))) + "\n"


def _plan(plan: SeriesPlan) -> Iterator[str]:
    names = ", ".join(
        tr("{name}={value} (line {line})", name=one.name, value=one.value, line=one.line)
        for one in plan.varied
    )
    where = f"{plan.gpus} × {plan.device}" if plan.device is not None else ""
    yield f"{plan.script}: {names}{tr(', on {where}', where=where) if where else ''}"
    yield from _limits(plan)
    yield ""
    if plan.no_effect is not None:
        yield from _without_effect(plan)
        return
    if plan.no_prediction is not None:
        yield tr("No prediction: {why} The search is blind.", why=plan.no_prediction)
    yield from _counted(plan)
    if plan.probes:
        yield ""
        yield from _runs(plan)
    if plan.notes:
        yield ""
        yield from plan.notes
    if plan.next_command is not None and plan.probes:
        yield ""
        yield tr("When runs are done: {command}", command=plan.next_command)


def _without_effect(plan: SeriesPlan) -> Iterator[str]:
    yield plan.no_effect or ""
    if plan.vary_instead:
        yield tr("Vary what does:")
        for key in plan.vary_instead:
            yield f"  {shlex.join(command('plan', plan.script, [key]))}"
    else:
        yield tr("Name what does with --vary KEY.")
    yield tr("With --blind it is bisected all the same.")
    if plan.notes:
        yield ""
        yield from plan.notes


def _limits(plan: SeriesPlan) -> Iterator[str]:
    lines: list[tuple[str, str]] = []
    if plan.lower is not None:
        predicted = plan.lower.source == "predicted"
        lines.append((tr("should fit") if predicted else tr("ran"), _limit(plan.lower)))
    if plan.expected is not None:
        lines.append((tr("expected to fit"), str(plan.expected)))
    if plan.upper is not None:
        predicted = plan.upper.source == "predicted"
        lines.append((tr("far too large") if predicted else tr("failed"), _limit(plan.upper)))
    wide = max((width_of(name) for name, _ in lines), default=0)
    yield from (f"  {padded(name, wide)}  {text}" for name, text in lines)


def _limit(limit: Limit) -> str:
    if limit.batch is None or limit.batch == limit.value:
        return f"{limit.value}: {limit.reason}"
    return tr(
        "{value} (batch {batch}): {reason}",
        value=limit.value,
        batch=limit.batch,
        reason=limit.reason,
    )


def _counted(plan: SeriesPlan) -> Iterator[str]:
    count = len(plan.candidates)
    if plan.mode == "closed":
        yield tr("Nothing is left to try between the two.")
    elif plan.mode == "doubling":
        yield tr(
            "The batch is doubled until one fails; the command at that run then bisects below it."
        )
    else:
        yield tr_plural(  # One value takes one run, and more values take more.
            "At most {runs} run: {count} value has {outcomes} outcomes, and log2 of that is "
            "rounded up.",
            "At most {runs} runs: {count} values have {outcomes} outcomes, and log2 of that is "
            "rounded up.",
            count,
            runs=plan.runs,
            outcomes=count + 1,
        )
        if plan.runs_expected is not None:
            yield tr_plural(
                "{count} run when the prediction is exact.",
                "{count} runs when the prediction is exact.",
                plan.runs_expected,
            )


def _runs(plan: SeriesPlan) -> Iterator[str]:
    run = translated(pmessage("bisect column", "run"), current())
    heads = [run, plan.varied[0].name, tr("batch"), tr("expected GiB")]
    heads += [tr("if it runs"), tr("if out of memory")]
    rows = [heads, *map(_row, plan.probes[:_SHOWN])]
    columns = [
        column
        for number, column in enumerate(zip(*rows, strict=True))
        if any(column[1:]) and not (number == _BATCH and column[1:] == _values(rows))
    ]
    wide = [max(map(width_of, column)) for column in columns]
    for row in zip(*columns, strict=True):
        yield "  " + "  ".join(map(padded, row, wide)).rstrip()
    if len(plan.probes) > _SHOWN:
        yield "  " + tr("… and {count} that may follow", count=len(plan.probes) - _SHOWN)


def _row(run: TrialRun) -> list[str]:
    return [
        run.path or run.name,
        str(run.value),
        "" if run.batch is None else str(run.batch),
        "" if run.expected_gib is None else f"{run.expected_gib:.1f}",
        run.if_ran,
        run.if_failed,
    ]


def _values(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(row[_BATCH - 1] for row in rows[1:])


def _bracket(bracket: Bracket) -> Iterator[str]:
    yield bracket.summary
    yield ""
    name = bracket.varied[0].name
    wide = max((width_of(one.run) for one in bracket.outcomes), default=0)
    for one in bracket.outcomes:
        value = "" if one.value is None else f"{name}={one.value}  "
        yield f"  {padded(one.run, wide)}  {value}{_OUTCOMES[one.outcome]()}: {one.reason}"
    if bracket.trial_log is not None:
        yield ""
        yield tr("Trial log: {log}", log=bracket.trial_log)
    if bracket.next_values:
        yield tr("Next: {values}", values=", ".join(map(str, bracket.next_values)))
    yield from (f"  bash {shlex.quote(path)}" for path in bracket.next_paths)
    if bracket.next_command is not None:
        yield f"  {bracket.next_command}"
    if bracket.notes:
        yield ""
        yield from bracket.notes
