"""From the finished runs of a series to the bracket, the next run, and the trial log."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot import __version__
from bot.base.messages import message
from bot.bisect.band import Where
from bot.bisect.log import whole_log, with_log
from bot.bisect.outcomes import read_outcome, unread
from bot.bisect.report import Bracket, Limit, Outcome
from bot.bisect.request import Asked, command
from bot.bisect.scripts import next_scripts
from bot.bisect.series import Series, plan_series, varied
from bot.check.request import CheckOptions, ScriptFile
from bot.evidence.facts import Facts
from bot.report import Tool
from bot.script.name import read_name
from bot.script.trial_log import Trial, trial_log


def read_bracket(
    script: ScriptFile,
    options: CheckOptions,
    asked: Asked,
    runs: Sequence[tuple[str, Facts | str]],
) -> tuple[Bracket, bytes, dict[str, bytes]]:
    """What the runs say; the script with the largest that ran and its trial log; what comes next.

    The last are the scripts of the next run, or round of runs, by their names. A run that could not
    be read comes with the reason in place of its facts.

    Raises UserError where the script has no batch that can be varied.
    """
    series = plan_series(script, options, replace(asked, blind=True, ran=None, failed=None))
    name = read_name(script.full_path or script.path, options.config.name_profiles())
    readable = [(named, facts) for named, facts in runs if not isinstance(facts, str)]
    ordered = sorted(readable, key=lambda run: run[1].created or "")
    outcomes = (
        *(read_outcome(named, facts, series.candidates, name, options) for named, facts in ordered),
        *(unread(named, reason) for named, reason in runs if isinstance(reason, str)),
    )
    trials = [
        Trial(one.value, one.outcome == "ran")
        for one in outcomes
        if one.value is not None and one.outcome != "nothing"
    ]
    ran, failed = _largest_run(outcomes), _smallest_failure(outcomes)
    if trials:
        ran, failed = _with_log(series, ran, failed)
    clash = ran is not None and failed is not None and ran.value >= failed.value
    largest = None if clash else ran
    wanted = largest.value if largest is not None else None
    data, written = with_log(series, trials, wanted)
    bracket = Bracket(
        tool=Tool(name="rlbot", version=__version__),
        language=options.config.language,
        script=script.path,
        batch_key=series.knob.batch_key,
        varied=varied(series.knob, series.candidates.read(script.data)[0]),
        outcomes=outcomes,
        verdict="contradictory" if clash else "nothing" if not trials else "open",
        ran=ran,
        failed=failed,
        max_batch=largest.batch if largest is not None else None,
        summary="",
        trial_log=trial_log(whole_log(series, trials)) if trials else None,
        written=None,
        next_values=(),
        next_paths=(),
        next_command=None,
        notes=(),
    )
    if not written and trials:
        note = message(
            "No comment can stand beside {name} without changing what the script starts; put the "
            "log where it belongs by hand.",
            name=series.knob.name,
        )
        bracket = replace(bracket, notes=(note,))
        data = script.data
    bracket, following = _judged(
        bracket, series, script, options, asked, [facts for _, facts in ordered]
    )
    made = {} if following is None else next_scripts(following, len(whole_log(series, trials)))
    return bracket, data, made


def _largest_run(outcomes: Iterable[Outcome]) -> Limit | None:
    found = [one for one in outcomes if one.outcome == "ran" and one.value is not None]
    return _limit(max(found, key=lambda one: one.value or 0, default=None))


def _smallest_failure(outcomes: Iterable[Outcome]) -> Limit | None:
    found = [one for one in outcomes if one.outcome == "out of memory" and one.value is not None]
    return _limit(min(found, key=lambda one: one.value or 0, default=None))


def _with_log(
    series: Series, ran: Limit | None, failed: Limit | None
) -> tuple[Limit | None, Limit | None]:
    """The ends, those that no run shows by the script's own trial log, where it agrees."""
    lower, upper = series.plan.lower, series.plan.upper
    logged = upper is not None and upper.source == "trial log"
    if failed is None and upper is not None and logged and (ran is None or ran.value < upper.value):
        failed = upper
    logged = lower is not None and lower.source == "trial log"
    if ran is None and lower is not None and logged:
        ran = lower if failed is None or lower.value < failed.value else None
    return ran, failed


def _limit(one: Outcome | None) -> Limit | None:
    if one is None or one.value is None:
        return None
    return Limit(
        value=one.value,
        batch=one.batch,
        source="run",
        reason=message("{run}: {reason}", run=one.run, reason=one.reason),
    )


def _judged(
    bracket: Bracket,
    series: Series,
    script: ScriptFile,
    options: CheckOptions,
    asked: Asked,
    facts: Sequence[Facts],
) -> tuple[Bracket, Series | None]:
    """The bracket with its summary, and the series of what to try next."""
    ran, failed, name = bracket.ran, bracket.failed, series.knob.name
    if ran is not None and failed is not None and ran.value >= failed.value:
        return replace(
            bracket,
            summary=message(
                "Contradictory: {name}={ran} ran, and {name}={failed}, which is no larger, ran out "
                "of memory. Memory was not decided by the batch alone: look at what else differed, "
                "and run {failed} again.",
                name=name,
                ran=ran.value,
                failed=failed.value,
            ),
            next_values=(failed.value,),
        ), None
    if ran is None and failed is None:
        return replace(bracket, summary=message("No run says whether its batch fits.")), None
    again = replace(
        asked,
        ran=ran.value if ran is not None else None,
        failed=failed.value if failed is not None else None,
        where=Where(device=asked.where.device, gpus=asked.where.gpus, facts=tuple(facts)),
    )
    if ran is not None and failed is not None and not _between(series, ran, failed):
        return replace(bracket, verdict="bracketed", summary=_closed(bracket, ran, failed)), None
    following = plan_series(script, options, again)
    if following.plan.mode == "closed":
        # The memory model sees no difference, or leaves nothing between; the runs do.
        following = plan_series(script, options, replace(again, blind=True))
    plan = following.plan
    words = command("plan", script.path, asked.vary)
    words += ["--ran", str(ran.value)] if ran is not None else []
    words += ["--failed", str(failed.value)] if failed is not None else []
    at_once = len(plan.probes) if plan.mode == "round" else 1
    return replace(
        bracket,
        summary=_open(name, ran, failed, plan.runs),
        next_values=tuple(probe.value for probe in plan.probes[:at_once]),
        next_command=shlex.join(words),
    ), following


def _between(series: Series, ran: Limit, failed: Limit) -> bool:
    """Whether there is anything left to try."""
    return any(series.candidates.valid(value) for value in range(ran.value + 1, failed.value))


def _closed(bracket: Bracket, ran: Limit, failed: Limit) -> str:
    values = {
        "batch": ran.batch,
        "name": bracket.varied[0].name,
        "ran": ran.value,
        "failed": failed.value,
    }
    if "trial log" in (ran.source, failed.source):
        return message(
            "MaxBatch {batch}, in part by the script's own trial log, which no run backs here: "
            "{name}={ran} ran, {name}={failed} failed, and nothing between them can be tried.",
            **values,
        )
    return message(
        "MaxBatch {batch}: {name}={ran} ran, {name}={failed} ran out of memory, and nothing "
        "between them can be tried.",
        **values,
    )


def _open(name: str, ran: Limit | None, failed: Limit | None, runs: int | None) -> str:
    if failed is None and ran is not None:
        return message(
            "{name}={ran} ran (batch {batch}); whether more fits was not shown.",
            name=name,
            ran=ran.value,
            batch=ran.batch,
        )
    if ran is None and failed is not None:
        return message(
            "{name}={failed} ran out of memory; none ran.", name=name, failed=failed.value
        )
    if ran is None or failed is None:
        raise ValueError("both ends are open")
    more = message(" At most {runs} more runs close it.", runs=runs) if runs else ""
    return message(
        "{name}={ran} ran (batch {batch}), {name}={failed} ran out of memory.{more}",
        name=name,
        ran=ran.value,
        batch=ran.batch,
        failed=failed.value,
        more=more,
    )
