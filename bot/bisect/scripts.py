"""The script of a run: the original with another number, and a line that names the next run."""

from __future__ import annotations

from codecs import BOM_UTF8

from bot.base.regex import regex
from bot.bisect.candidates import Candidates
from bot.bisect.knob import edited
from bot.bisect.report import SeriesPlan
from bot.script.trial_log import read_trials
from bot.shell.source import Span, line_end

MARK = "# rlbot bisect: "
_HEAD = regex(r"(?:#[^\n]*\n)*")


def script_of(candidates: Candidates, plan: SeriesPlan) -> bytes:
    """The script of the next run; every other byte is the original's."""
    run, data = plan.probes[0], candidates.script.data
    most = f" of at most {plan.runs + run.number - 1}" if plan.runs is not None else ""
    at, line = _line(
        data,
        f"{candidates.knob.name}={run.value}, run {run.number}{most}. "
        f"If it runs: {run.if_ran}. If it is out of memory: {run.if_failed}.",
    )
    # The line stands before every number: in or below the comments that the script begins with.
    edits = [(Span(at, at), line), *candidates.knob.edits(run.value)]
    return edited(data, sorted(edits, key=lambda edit: edit[0].start))


def same_launch(one: bytes, other: bytes) -> bool:
    """Whether two scripts differ in no more than the line that names the next run."""
    return _unmarked(one) == _unmarked(other)


def _unmarked(data: bytes) -> list[bytes]:
    lines = data.removeprefix(BOM_UTF8).splitlines(keepends=True)
    return [line for line in lines if not line.startswith(MARK.encode())]


def _line(data: bytes, comment: str) -> tuple[int, str]:
    """Where the comment goes, and its line, which ends as the script's lines do."""
    text = data.removeprefix(BOM_UTF8).decode("utf-8")
    head = _HEAD.match(text)
    at = head.end() if head is not None else 0
    if at and read_trials(text[:at].splitlines()[-1]):
        # A trial log above its value stays above it.
        at = text.rfind("\n", 0, at - 1) + 1
        if text.startswith("#!") and at == 0:
            at = text.find("\n") + 1
    return at, f"{MARK}{' '.join(comment.splitlines())}{line_end(text)}"
