"""The trial log in a script: the comment beside the value, and the value that it supports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.bisect.candidates import Candidates
from bot.bisect.ends import logged_trials
from bot.bisect.knob import KnobPart, edited
from bot.frameworks.plan import Plan
from bot.script.trial_log import Trial, log_span, trial_log, tried_values
from bot.shell.source import Source, Span, line_end
from bot.shell.words import Reading

LogEdit = tuple[Span, str]


def with_log(
    candidates: Candidates, trials: Sequence[Trial], value: int | None
) -> tuple[bytes, bool]:
    """The script with a value and its trial log, and whether that could be done.

    What the log held already stays in front; a value that was tried twice gets its new mark. A
    place is taken only when the script then starts what it would without the comment, and the log
    is read back from it.
    """
    data, knob = candidates.script.data, candidates.knob
    value = knob.value if value is None else value
    if not trials or knob.values(value) is None:
        return data, False
    part = knob.parts[0]
    context = candidates.read(data)
    reading, plans = context.reading, context.choice.plans
    wanted = whole_log(candidates, trials)
    bare = knob.write(data, value)
    starts = _words(candidates.read(bare).reading)
    for edit in _places(reading, plans, part, trial_log(wanted)):
        changed = edited(data, sorted([edit, *knob.edits(value)], key=lambda one: one[0].start))
        again = candidates.read(changed)
        after, launches = again.reading, again.choice.plans
        logs = [
            tried
            for tried in tried_values(after, launches)
            if tried.name == part.name and tried.value == value
        ]
        if _words(after) == starts and [tried.trials for tried in logs] == [wanted]:
            return changed, True
    return data, False


def whole_log(candidates: Candidates, trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The log that the script has, with new trials."""
    return merged(logged_trials(candidates), trials)


def merged(before: Sequence[Trial], now: Sequence[Trial]) -> tuple[Trial, ...]:
    """An earlier log with new trials: the trial of a value that it had is replaced in its place.

    A value that it did not have comes behind, in the order of the runs.
    """
    return tuple({trial.value: trial for trial in (*before, *now)}.values())


def _places(reading: Reading, plans: Sequence[Plan], part: KnobPart, log: str) -> Iterator[LogEdit]:
    """Where a log may stand, the usual place first; whether it may is for the caller to try."""
    source, text = reading.source, reading.source.text
    line = source.line_column(part.span.start)[0]
    for comment in reading.comments:
        beside = source.line_column(comment.span.start)[0] == line
        old = log_span(comment.text) if beside or _alone(text, comment.span) else None
        if old is not None:
            start = comment.span.start
            yield Span(start + old.start, start + old.end), log.removeprefix("# ")
        elif beside:
            yield Span(comment.span.end, comment.span.end), f" {log}"
    end = source.offset(line, 1) + len(source.line(line))
    yield Span(end, end), f" {log}"
    yield _line(source, line, log)
    if part.key is not None:
        named = log.replace("# ", f"# {part.key}: ", 1)
        for plan in plans:
            if plan.last(part.key) is not None:
                begins = source.line_column(plan.launch.command.span.start)[0]
                yield _line(source, begins, named)


def _line(source: Source, line: int, comment: str) -> LogEdit:
    """A comment in a line of its own above a line, indented as that is."""
    start = source.offset(line, 1)
    indent = re.match(r"[ \t]*", source.line(line))
    return Span(start, start), f"{indent[0] if indent else ''}{comment}{line_end(source.text)}"


def _alone(text: str, span: Span) -> bool:
    """Whether a comment has its line to itself."""
    return not text[text.rfind("\n", 0, span.start) + 1 : span.start].strip()


def _words(reading: Reading) -> list[list[str]]:
    return [
        [*(word.text for word in command.argv), *(w.text for w in command.environment.values())]
        for command in reading.commands
    ]
