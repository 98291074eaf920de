"""The scripts of a series: the original with another number, and a line that names the next run."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from pathlib import PurePosixPath

from bot.base.regex import regex
from bot.bisect.candidates import Candidates
from bot.bisect.knob import edited
from bot.bisect.report import SeriesPlan, TrialRun
from bot.script.trial_log import read_trials
from bot.shell.source import Span

MARK = "# rlbot bisect: "
FIRST = 3
"""Runs of a series whose scripts are written at once: seven scripts at most."""
_BOM = b"\xef\xbb\xbf"
_HEAD = regex(r"(?:#[^\n]*\n)*")


def scripts(candidates: Candidates, plan: SeriesPlan) -> dict[str, bytes]:
    """Name of each run to the bytes of its script; every other byte is the original's.

    Those of the first three runs: what comes then is better chosen by what the finished runs show.
    """
    runs = [run for run in plan.probes if run.number <= FIRST]
    names = {run.name for run in runs}
    return {run.name: _script(candidates, run, _comment(plan, run, names)) for run in runs}


def next_script(candidates: Candidates, plan: SeriesPlan, done: int) -> dict[str, bytes]:
    """The script of the next run of a series by its name, after `done` tried values."""
    run = replace(plan.probes[0], number=done + 1)
    comment = _comment(plan, run, (), done)
    return {f"{run.number}-{run.value}": _script(candidates, run, comment)}


def same_launch(one: bytes, other: bytes) -> bool:
    """Whether two scripts differ in no more than the line that names the next run."""
    return _unmarked(one) == _unmarked(other)


def _unmarked(data: bytes) -> list[bytes]:
    lines = data.removeprefix(_BOM).splitlines(keepends=True)
    return [line for line in lines if not line.startswith(MARK.encode())]


def with_paths(plan: SeriesPlan, root: str, parent: str, written: Container[str]) -> SeriesPlan:
    """The plan with the path of each script that is written below a folder."""
    path = PurePosixPath(plan.script)
    return replace(
        plan,
        probes=tuple(
            replace(run, path=(PurePosixPath(root) / folder(run.name, path, parent)).as_posix())
            if run.name in written
            else run
            for run in plan.probes
        ),
    )


def folder(name: str, path: PurePosixPath, parent: str) -> PurePosixPath:
    """Where a run's script stands: its name and the folder that it is named after stay."""
    return PurePosixPath(name) / parent / path.name


def _script(candidates: Candidates, run: TrialRun, comment: str) -> bytes:
    data = candidates.script.data
    at, line = _line(data, comment)
    # The line stands before every number: in or below the comments that the script begins with.
    edits = [(Span(at, at), line), *candidates.knob.edits(run.value)]
    return edited(data, sorted(edits, key=lambda edit: edit[0].start))


def _comment(plan: SeriesPlan, run: TrialRun, written: Container[str], done: int = 0) -> str:
    def then(after: str | None, otherwise: str) -> str:
        unwritten = after is not None and after not in written
        return "rlbot bisect read names the next" if unwritten else otherwise

    most = f" of at most {plan.runs + done}" if plan.runs is not None else ""
    return (
        f"{plan.varied[0].name}={run.value}, run {run.number}{most}. "
        f"If it runs: {then(run.ran, run.if_ran)}. "
        f"If it is out of memory: {then(run.failed, run.if_failed)}."
    )


def _line(data: bytes, comment: str) -> tuple[int, str]:
    """Where the comment goes, and its line, which ends as the script's lines do."""
    text = data.removeprefix(_BOM).decode("utf-8")
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    head = _HEAD.match(text)
    at = head.end() if head is not None else 0
    if at and read_trials(text[:at].splitlines()[-1]):
        # A trial log above its value stays above it.
        at = text.rfind("\n", 0, at - 1) + 1
        if text.startswith("#!") and at == 0:
            at = text.find("\n") + 1
    return at, f"{MARK}{' '.join(comment.splitlines())}{end}"
