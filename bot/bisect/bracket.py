"""From the finished runs of a series to the bracket, the next run, and the trial log."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot import __version__
from bot.base.messages import message, plural_message
from bot.bisect.candidates import Candidates
from bot.bisect.ends import Ends, known_ends
from bot.bisect.log import whole_log, with_log
from bot.bisect.outcomes import read_outcome, unread
from bot.bisect.report import Bracket, Limit, Outcome, SeriesPlan
from bot.bisect.request import SeriesRequest, command
from bot.bisect.scripts import next_script
from bot.bisect.series import candidates_of, plan_runs, varied
from bot.check.request import CheckOptions, ScriptFile
from bot.evidence.facts import Facts
from bot.report import Tool
from bot.script.name import read_name
from bot.script.trial_log import Trial, trial_log

NamedRun = tuple[str, Facts | str]
"""A run as it was named, with what was read of it, or the reason why it could not be read."""


def read_bracket(
    script: ScriptFile, options: CheckOptions, request: SeriesRequest, runs: Sequence[NamedRun]
) -> tuple[Bracket, bytes, dict[str, bytes]]:
    """The bracket; the script with the largest that ran and its trial log; the next script by name.

    Raises UserError where the script has no batch that can be varied.
    """
    request = replace(request, facts=tuple(f for _, f in runs if not isinstance(f, str)))
    candidates = candidates_of(script, options, request)
    outcomes = _outcomes(candidates, runs)
    trials = [
        Trial(one.value, one.outcome == "ran")
        for one in outcomes
        if one.value is not None and one.outcome != "nothing"
    ]
    ran, failed = _ends(known_ends(candidates, SeriesRequest()), outcomes)
    contradictory = ran is not None and failed is not None and ran.value >= failed.value
    largest = None if contradictory else ran
    data, written = with_log(candidates, trials, largest.value if largest is not None else None)
    notes: tuple[str, ...] = ()
    if trials and not written:
        notes = (
            message(
                "No comment can stand beside {name} without changing what the script starts; put "
                "the log where it belongs by hand.",
                name=candidates.knob.name,
            ),
        )
    log = whole_log(candidates, trials)
    bracket = Bracket(
        tool=Tool(name="rlbot", version=__version__),
        language=options.config.language,
        script=script.path,
        batch_key=candidates.knob.batch_key,
        varied=varied(candidates),
        outcomes=outcomes,
        verdict="open",
        ran=ran,
        failed=failed,
        max_batch=largest.batch if largest is not None else None,
        summary="",
        trial_log=trial_log(log) if trials else None,
        written=None,
        next_values=(),
        next_paths=(),
        next_command=None,
        notes=notes,
    )
    bracket, plan = _judged(bracket, candidates, request)
    scripts = next_script(candidates, plan, len(log)) if plan is not None else {}
    return bracket, data if written else script.data, scripts


def _outcomes(candidates: Candidates, runs: Sequence[NamedRun]) -> tuple[Outcome, ...]:
    """What each run shows, by when it was made; those that could not be read come last."""
    script, options = candidates.script, candidates.options
    name = read_name(script.full_path or script.path, options.config.name_profiles())
    readable = [(named, facts) for named, facts in runs if not isinstance(facts, str)]
    readable.sort(key=lambda run: run[1].created or "")
    return (
        *(read_outcome(named, facts, candidates, name, options) for named, facts in readable),
        *(unread(named, reason) for named, reason in runs if isinstance(reason, str)),
    )


def _ends(logged: Ends, outcomes: Iterable[Outcome]) -> Ends:
    """The largest that ran and the smallest that failed; what no run shows is taken from the log.

    The ends of the script's own trial log count beside runs that agree with them.
    """
    limits = [(one.outcome, limit) for one in outcomes if (limit := _limit(one)) is not None]
    ran = max((limit for kind, limit in limits if kind == "ran"), key=_value, default=None)
    failed = min((limit for kind, limit in limits if kind != "ran"), key=_value, default=None)
    if not limits:
        return None, None
    lower, upper = logged
    if failed is None and upper is not None and (ran is None or ran.value < upper.value):
        failed = upper
    if ran is None and lower is not None and (failed is None or lower.value < failed.value):
        ran = lower
    return ran, failed


def _value(limit: Limit) -> int:
    return limit.value


def _limit(one: Outcome) -> Limit | None:
    if one.value is None or one.outcome == "nothing":
        return None
    reason = message("{run}: {reason}", run=one.run, reason=one.reason)
    return Limit(value=one.value, batch=one.batch, source="run", reason=reason)


def _judged(
    bracket: Bracket, candidates: Candidates, request: SeriesRequest
) -> tuple[Bracket, SeriesPlan | None]:
    """The bracket with its verdict, and the series of what to try next."""
    ran, failed = bracket.ran, bracket.failed
    if ran is None and failed is None:
        summary = message("No run says whether its batch fits.")
        return replace(bracket, verdict="nothing", summary=summary), None
    if ran is not None and failed is not None:
        if ran.value >= failed.value:
            return _contradictory(bracket, ran, failed), None
        if not any(map(candidates.valid, range(ran.value + 1, failed.value))):
            return _closed(bracket, ran, failed), None
    following = replace(
        request,
        ran=ran.value if ran is not None else None,
        failed=failed.value if failed is not None else None,
    )
    plan = plan_runs(candidates, following)
    if plan.mode == "closed":
        # The memory model sees no difference, or leaves nothing between; the runs do.
        plan = plan_runs(candidates, replace(following, blind=True))
    words = command("plan", candidates.script.path, request.vary)
    words += ["--ran", str(following.ran)] if following.ran is not None else []
    words += ["--failed", str(following.failed)] if following.failed is not None else []
    return replace(
        bracket,
        summary=_open(bracket, plan.runs),
        next_values=(plan.probes[0].value,),
        next_command=shlex.join(words),
    ), plan


def _contradictory(bracket: Bracket, ran: Limit, failed: Limit) -> Bracket:
    summary = message(
        "Contradictory: {name}={ran} ran, and {name}={failed}, which is no larger, ran out "
        "of memory. Memory was not decided by the batch alone: look at what else differed, "
        "and run {failed} again.",
        name=bracket.varied[0].name,
        ran=ran.value,
        failed=failed.value,
    )
    return replace(bracket, verdict="contradictory", summary=summary, next_values=(failed.value,))


def _closed(bracket: Bracket, ran: Limit, failed: Limit) -> Bracket:
    values = {
        "batch": ran.batch,
        "name": bracket.varied[0].name,
        "ran": ran.value,
        "failed": failed.value,
    }
    if "trial log" in (ran.source, failed.source):
        summary = message(
            "MaxBatch {batch}, in part by the script's own trial log, which no run backs here: "
            "{name}={ran} ran, {name}={failed} failed, and nothing between them can be tried.",
            **values,
        )
    else:
        summary = message(
            "MaxBatch {batch}: {name}={ran} ran, {name}={failed} ran out of memory, and nothing "
            "between them can be tried.",
            **values,
        )
    return replace(bracket, verdict="bracketed", summary=summary)


def _open(bracket: Bracket, runs: int | None) -> str:
    name, ran, failed = bracket.varied[0].name, bracket.ran, bracket.failed
    if ran is None:
        return message(
            "{name}={failed} ran out of memory; none ran.",
            name=name,
            failed=failed.value if failed is not None else None,
        )
    if failed is None:
        return message(
            "{name}={ran} ran (batch {batch}); whether more fits was not shown.",
            name=name,
            ran=ran.value,
            batch=ran.batch,
        )
    return message(
        "{name}={ran} ran (batch {batch}), {name}={failed} ran out of memory.{more}",
        name=name,
        ran=ran.value,
        batch=ran.batch,
        failed=failed.value,
        more=_left(runs) if runs else "",
    )


def _left(runs: int) -> str:
    return plural_message(
        " At most {count} more run closes it.", " At most {count} more runs close it.", runs
    )
