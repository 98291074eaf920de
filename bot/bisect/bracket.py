"""From the finished runs of a series to the bracket, the next run, and the trial log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from bot import __version__
from bot.base.messages import message, plural_message
from bot.bisect.candidates import Candidates
from bot.bisect.ends import Ends, logged_ends, logged_trials
from bot.bisect.log import merged, whole_log, with_log
from bot.bisect.outcomes import read_outcome, unread
from bot.bisect.report import Bracket, BracketVerdict, Limit, Outcome, SeriesPlan
from bot.bisect.series import plan_series
from bot.evidence.facts import Facts
from bot.report import Tool
from bot.script.name import read_name
from bot.script.trial_log import Trial, outcome, trial_log

NamedRun = tuple[str, Facts | str]
"""A run as it was named, with what was read of it, or the reason why it could not be read."""


def read_bracket(
    candidates: Candidates, runs: Sequence[NamedRun]
) -> tuple[Bracket, bytes, SeriesPlan | None]:
    """The bracket; the script with the largest that ran and its trial log; the next run.

    The bracket's `written` says whether that script holds the log.
    """
    outcomes = _outcomes(candidates, runs)
    limits = [
        (one.outcome == "ran", _limit(one, one.value))
        for one in outcomes
        if one.value is not None and one.outcome in ("ran", "out of memory")
    ]
    trials = [Trial(limit.value, passed) for passed, limit in limits]
    log = whole_log(candidates, trials)
    ran, failed = ends = _known_ends(logged_ends(candidates), limits)
    contradictory = ran is not None and failed is not None and ran.value >= failed.value
    largest = None if contradictory else ran
    data, written = with_log(candidates, trials, largest.value if largest is not None else None)
    plan = None
    if trials and not contradictory:
        plan = plan_series(candidates, ends, len(log))
    following = [run.value for run in plan.probes] if plan is not None else []
    verdict, summary = _verdict(candidates.knob.name, ends, plan)
    notes = [*_marked_otherwise(logged_trials(candidates), trials)]
    if trials and not written:
        notes.append(
            message(
                "No comment can stand beside {name} without changing what the script starts; put "
                "the log where it belongs by hand.",
                name=candidates.knob.name,
            )
        )
    bracket = Bracket(
        tool=Tool(name="rlbot", version=__version__),
        language=candidates.options.config.language,
        script=candidates.script.path,
        batch_key=candidates.knob.batch_key,
        varied=candidates.varied,
        outcomes=outcomes,
        verdict=verdict,
        ran=ran,
        failed=failed,
        max_batch=largest.batch if largest is not None else None,
        summary=summary,
        trial_log=trial_log(log) if trials else None,
        written=written,
        next_values=(failed.value,) if contradictory and failed is not None else tuple(following),
        next_paths=(),
        next_command=_plan_command(candidates, ran, failed) if following else None,
        notes=tuple(notes),
    )
    return bracket, data, plan


def _marked_otherwise(before: Sequence[Trial], now: Sequence[Trial]) -> Iterator[str]:
    """Each value whose mark in the script's own trial log a run changes, a sentence."""
    for trial in merged((), now):
        marked = outcome(before, trial.value)
        if marked is False and trial.passed:
            yield message(
                "The script's own trial log marked {value} as failed, and a run shows that it "
                "fits: its mark is √ now.",
                value=trial.value,
            )
        elif marked is True and not trial.passed:
            yield message(
                "The script's own trial log marked {value} as passing, and a run of it was out of "
                "memory: its mark is × now.",
                value=trial.value,
            )


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


def _limit(one: Outcome, value: int) -> Limit:
    reason = message("{run}: {reason}", run=one.run, reason=one.reason)
    return Limit(value=value, batch=one.batch, source="run", reason=reason)


def _known_ends(logged: Ends, limits: Sequence[tuple[bool, Limit]]) -> Ends:
    """The largest that ran and the smallest that failed; what no run shows is taken from the log.

    The ends of the script's own trial log count beside runs that agree with them.
    """
    size = attrgetter("value")
    ran = max((limit for passed, limit in limits if passed), key=size, default=None)
    failed = min((limit for passed, limit in limits if not passed), key=size, default=None)
    lower, upper = logged
    if ran is not None and failed is None and upper is not None and ran.value < upper.value:
        failed = upper
    elif failed is not None and ran is None and lower is not None and lower.value < failed.value:
        ran = lower
    return ran, failed


def _plan_command(candidates: Candidates, ran: Limit | None, failed: Limit | None) -> str:
    words = [candidates.command("plan")]
    words += [f"--ran {ran.value}"] if ran is not None else []
    words += [f"--failed {failed.value}"] if failed is not None else []
    return " ".join(words)


def _verdict(name: str, ends: Ends, plan: SeriesPlan | None) -> tuple[BracketVerdict, str]:
    """What the ends say; without a plan there is nothing, or a contradiction."""
    ran, failed = ends
    if ran is None and failed is None:
        return "nothing", message("No run says whether its batch fits.")
    if ran is None or failed is None:
        return "open", _half_open(name, ran, failed)
    values = {"batch": ran.batch, "name": name, "ran": ran.value, "failed": failed.value}
    if plan is None:
        return "contradictory", message(
            "Contradictory: {name}={ran} ran, and {name}={failed}, which is no larger, ran out "
            "of memory. Memory was not decided by the batch alone: look at what else differed, "
            "and run {failed} again.",
            **values,
        )
    if plan.probes:
        more = plural_message(
            " At most {count} more run closes it.",
            " At most {count} more runs close it.",
            plan.runs or 0,
        )
        return "open", message(
            "{name}={ran} ran (batch {batch}), {name}={failed} ran out of memory.{more}",
            **values,
            more=more,
        )
    if "trial log" in (ran.source, failed.source):
        return "bracketed", message(
            "MaxBatch {batch}, in part by the script's own trial log, which no run backs here: "
            "{name}={ran} ran, {name}={failed} failed, and nothing between them can be tried.",
            **values,
        )
    return "bracketed", message(
        "MaxBatch {batch}: {name}={ran} ran, {name}={failed} ran out of memory, and nothing "
        "between them can be tried.",
        **values,
    )


def _half_open(name: str, ran: Limit | None, failed: Limit | None) -> str:
    if ran is not None:
        return message(
            "{name}={ran} ran (batch {batch}); whether more fits was not shown.",
            name=name,
            ran=ran.value,
            batch=ran.batch,
        )
    return message(
        "{name}={failed} ran out of memory; none ran.",
        name=name,
        failed=failed.value if failed is not None else None,
    )
