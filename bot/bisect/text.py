"""What `rlbot bisect` prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from bot.bisect.report import Bracket, Limit, SeriesPlan, TrialRun
from bot.render.columns import padded, width_of
from bot.render.escape import terminal
from bot.render.speech import speaking, tr, tr_plural

_OUTCOMES = {
    "ran": lambda: tr("ran"),
    "out of memory": lambda: tr("out of memory"),
    "open": lambda: tr("open"),
    "nothing": lambda: tr("nothing"),
}


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
    on = tr(", on {where}", where=where) if where else ""
    yield tr("{what}: {why}", what=plan.script, why=f"{names}{on}")
    yield from _limits(plan)
    yield ""
    if plan.no_effect is not None:
        yield from _without_effect(plan)
    elif plan.no_prediction is not None:
        yield tr("No prediction: {why} The search is blind.", why=plan.no_prediction)
    elif plan.mode == "closed":
        yield tr("Nothing is left to try between the two.")
    if plan.mode == "doubling":
        yield tr("The batch is doubled until one fails; then it is bisected below that.")
    for run in plan.probes:
        yield from _run(plan, run)
    if plan.notes:
        yield ""
        yield from plan.notes
    if plan.next_command is not None and plan.probes:
        yield ""
        yield tr("When runs are done: {command}", command=plan.next_command)


def _without_effect(plan: SeriesPlan) -> Iterator[str]:
    yield plan.no_effect or ""
    if plan.vary_instead:
        yield tr("Vary what does: add one of these to the command.")
        yield from (f"  --vary {shlex.quote(key)}" for key in plan.vary_instead)
    if plan.computed:
        yield tr("What does is computed in the script; write its number there to vary it:")
        yield from (f"  {one}" for one in plan.computed)
    if not plan.vary_instead and not plan.computed:
        yield tr("No batch size and no token limit of the script does.")
    yield tr("With --ran N, for a value that ran, it is bisected all the same.")


def _limits(plan: SeriesPlan) -> Iterator[str]:
    lines: list[tuple[str, str]] = []
    if (lower := plan.lower) is not None:
        name = tr("should fit") if lower.source == "predicted" else tr("ran")
        lines.append((name, _limit(lower)))
    if plan.expected is not None:
        lines.append((tr("expected to fit"), str(plan.expected)))
    if (upper := plan.upper) is not None:
        name = tr("far too large") if upper.source == "predicted" else tr("failed")
        lines.append((name, _limit(upper)))
    yield from _table(lines)


def _limit(limit: Limit) -> str:
    if limit.batch is None or limit.batch == limit.value:
        return tr("{what}: {why}", what=limit.value, why=limit.reason)
    return tr(
        "{value} (batch {batch}): {reason}",
        value=limit.value,
        batch=limit.batch,
        reason=limit.reason,
    )


def _run(plan: SeriesPlan, run: TrialRun) -> Iterator[str]:
    if plan.runs is not None:
        yield tr_plural("At most {count} run.", "At most {count} runs.", plan.runs)
    yield tr("Next: {values}", values=f"{plan.varied[0].name}={run.value}")
    rows = []
    if run.batch is not None and run.batch != run.value:
        rows.append((tr("batch"), str(run.batch)))
    if run.expected_gib is not None:
        sizes = {"expected": f"{run.expected_gib:.1f}", "usable": f"{plan.usable_gib or 0:.1f}"}
        rows.append((tr("expected GiB"), tr("{expected} of {usable}", **sizes)))
    rows += [(tr("if it runs"), run.if_ran), (tr("if out of memory"), run.if_failed)]
    yield from _table(rows)
    if run.path is not None:
        yield f"  bash {shlex.quote(run.path)}"


def _table(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    wide = max((width_of(name) for name, _ in rows), default=0)
    yield from (f"  {padded(name, wide)}  {text}" for name, text in rows)


def _bracket(bracket: Bracket) -> Iterator[str]:
    yield bracket.summary
    yield ""
    name = bracket.varied[0].name
    rows = []
    for one in bracket.outcomes:
        value = "" if one.value is None else f"{name}={one.value}  "
        rows.append((one.run, f"{value}{_OUTCOMES[one.outcome]()}: {one.reason}"))
    yield from _table(rows)
    if bracket.trial_log is not None:
        yield ""
        yield tr("Trial log: {log}", log=bracket.trial_log)
    if bracket.next_values:
        yield tr("Next: {values}", values=tr(", ").join(map(str, bracket.next_values)))
    yield from (f"  bash {shlex.quote(path)}" for path in bracket.next_paths)
    if bracket.next_command is not None:
        yield f"  {bracket.next_command}"
    if bracket.notes:
        yield ""
        yield from bracket.notes
