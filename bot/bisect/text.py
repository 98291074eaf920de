"""What `rlbot bisect` prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from bot.bisect.report import Bracket, Limit, Plan, Probe
from bot.render.columns import padded, width_of
from bot.render.escape import terminal
from bot.render.speech import speaking, tr

_SAID = {
    "ran": lambda: tr("ran"),
    "out of memory": lambda: tr("out of memory"),
    "nothing": lambda: tr("nothing"),
}
_SHOWN = 7
"""Runs of a series that are listed: its first three."""


def plan_text(plan: Plan) -> str:
    """A series for a terminal."""
    with speaking(plan.language):
        return "\n".join(map(terminal, _plan(plan))) + "\n"


def bracket_text(bracket: Bracket) -> str:
    """What the finished runs say, for a terminal."""
    with speaking(bracket.language):
        return "\n".join(map(terminal, _bracket(bracket))) + "\n"


def _plan(plan: Plan) -> Iterator[str]:
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
        yield from _probes(plan)
    if plan.notes:
        yield ""
        yield from plan.notes
    if plan.next_command is not None and plan.probes:
        yield ""
        yield tr("When runs are done: {command}", command=plan.next_command)


def _without_effect(plan: Plan) -> Iterator[str]:
    yield plan.no_effect or ""
    if plan.vary_instead:
        yield tr("Vary what does:")
        for key in plan.vary_instead:
            again = ["rlbot", "bisect", "plan", plan.script, "--vary", key]
            yield f"  {shlex.join(again)}"
    else:
        yield tr("Name what does with --vary KEY.")
    yield tr("With --blind it is bisected all the same.")
    if plan.notes:
        yield ""
        yield from plan.notes


def _limits(plan: Plan) -> Iterator[str]:
    lines: list[tuple[str, str]] = []
    if plan.lower is not None:
        sure = plan.lower.source == "predicted"
        lines.append((tr("should fit") if sure else tr("ran"), _limit(plan.lower)))
    if plan.expected is not None:
        lines.append((tr("expected to fit"), str(plan.expected)))
    if plan.upper is not None:
        sure = plan.upper.source == "predicted"
        lines.append((tr("far too large") if sure else tr("failed"), _limit(plan.upper)))
    wide = max((width_of(name) for name, _ in lines), default=0)
    for name, says in lines:
        yield f"  {padded(name, wide)}  {says}"


def _limit(limit: Limit) -> str:
    if limit.batch is None or limit.batch == limit.value:
        return f"{limit.value}: {limit.reason}"
    return tr(
        "{value} (batch {batch}): {reason}",
        value=limit.value,
        batch=limit.batch,
        reason=limit.reason,
    )


def _counted(plan: Plan) -> Iterator[str]:
    count = len(plan.candidates)
    if plan.mode == "closed":
        yield tr("Nothing is left to try between the two.")
    elif plan.mode == "doubling":
        yield tr(
            "The batch is doubled until one fails; the command at that run then bisects below it."
        )
    elif plan.mode == "round":
        yield tr(
            "{runs} runs beside each other, at most {rounds} rounds: each leaves one of {parts} "
            "parts of the {count} values.",
            runs=len(plan.probes),
            rounds=plan.rounds,
            parts=len(plan.probes) + 1,
            count=count,
        )
    else:
        yield tr(
            "At most {runs} runs: {count} values have {outcomes} outcomes, and log2 of that is "
            "rounded up.",
            runs=plan.runs,
            count=count,
            outcomes=count + 1,
        )
        if plan.runs_expected is not None:
            yield tr("{runs} runs when the prediction is exact.", runs=plan.runs_expected)
    if plan.blind is not None:
        yield tr(
            "Without the prediction it would take up to {runs} runs ({how}).",
            runs=plan.blind,
            how=plan.blind_how,
        )


def _probes(plan: Plan) -> Iterator[str]:
    shown = plan.probes[:_SHOWN]
    series = plan.mode != "round"
    heads = [tr("run"), plan.varied[0].name, tr("batch"), tr("expected GiB")]
    rows = [heads + ([tr("if it runs"), tr("if out of memory")] if series else [])]
    for probe in shown:
        rows.append(_row(probe, series=series))
    keep = [
        column
        for column in range(len(rows[0]))
        if any(row[column] for row in rows[1:]) and not _same_as_value(rows, column)
    ]
    wide = {column: max(width_of(row[column]) for row in rows) for column in keep}
    for row in rows:
        yield "  " + "  ".join(padded(row[column], wide[column]) for column in keep).rstrip()
    if len(plan.probes) > len(shown):
        yield "  " + tr("… and {count} that may follow", count=len(plan.probes) - len(shown))


def _row(probe: Probe, *, series: bool) -> list[str]:
    row = [
        probe.path or probe.name,
        str(probe.value),
        "" if probe.batch is None else str(probe.batch),
        "" if probe.expected_gib is None else f"{probe.expected_gib:.1f}",
    ]
    return [*row, probe.if_ran, probe.if_failed] if series else row


def _same_as_value(rows: Sequence[Sequence[str]], column: int) -> bool:
    return column == 2 and all(row[2] == row[1] for row in rows[1:])


def _bracket(bracket: Bracket) -> Iterator[str]:
    yield bracket.summary
    yield ""
    name = bracket.varied[0].name
    wide = max((width_of(one.run) for one in bracket.outcomes), default=0)
    for one in bracket.outcomes:
        value = "" if one.value is None else f"{name}={one.value}  "
        yield f"  {padded(one.run, wide)}  {value}{_SAID[one.outcome]()}: {one.reason}"
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
