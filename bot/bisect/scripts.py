"""The scripts of a series: the original with another number, and a line that says what is next."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from pathlib import PurePosixPath

from bot.bisect.knob import edited
from bot.bisect.report import Plan, Probe
from bot.bisect.series import Series
from bot.script.trial_log import read_trials
from bot.shell.source import Span

MARK = "# rlbot bisect: "
FIRST = 3
"""Runs of a series whose scripts are written at once: seven scripts at most."""
_BOM = b"\xef\xbb\xbf"
_HEAD = re.compile(r"(?:#[^\n]*\n)*")


def scripts(series: Series, *, whole: bool = False) -> dict[str, bytes]:
    """Name of each probe to the bytes of its script; every other byte is the original's.

    Those of the first three runs, unless the `whole` series is asked for: what comes then is better
    chosen by what the finished runs say.
    """
    probes = [probe for probe in series.plan.probes if whole or probe.number <= FIRST]
    made = {probe.name for probe in probes}
    return {probe.name: _script(series, probe, _says(series, probe, made)) for probe in probes}


def next_scripts(series: Series, done: int) -> dict[str, bytes]:
    """The scripts of the next run, or round of runs, of a series of which some are done.

    `done` is how many values were tried, by which the next is numbered.
    """
    plan, number = series.plan, done + 1
    probes = plan.probes if plan.mode == "round" else plan.probes[:1]
    made = {}
    for probe in probes:
        says = _says(series, replace(probe, number=number), set(), done)
        made[f"{number}-{probe.value}"] = _script(series, probe, says)
    return made


def same_launch(one: bytes, other: bytes) -> bool:
    """Whether two scripts differ in no more than the line that says what is next."""
    return _unmarked(one) == _unmarked(other)


def _unmarked(data: bytes) -> list[bytes]:
    mark = MARK.encode()
    lines = data.removeprefix(_BOM).splitlines(keepends=True)
    return [line for line in lines if not line.startswith(mark)]


def with_paths(plan: Plan, root: str, parent: str, made: Container[str]) -> Plan:
    """The plan with the path of each script that is written below a folder."""
    path = PurePosixPath(plan.script)
    probes = tuple(
        replace(probe, path=(PurePosixPath(root) / folder(probe.name, path, parent)).as_posix())
        if probe.name in made
        else probe
        for probe in plan.probes
    )
    return replace(plan, probes=probes)


def folder(name: str, path: PurePosixPath, parent: str) -> PurePosixPath:
    """Where a probe's script stands: its name and the folder that it is named after stay."""
    return PurePosixPath(name) / parent / path.name


def _script(series: Series, probe: Probe, says: str) -> bytes:
    data = series.candidates.script.data
    at, line = _line(data, says)
    # The line stands before every number: in or below the comments that the script begins with.
    edits = [(Span(at, at), line), *series.knob.edits(probe.value)]
    return edited(data, sorted(edits, key=lambda edit: edit[0].start))


def _says(series: Series, probe: Probe, made: Container[str], done: int = 0) -> str:
    plan = series.plan
    first = f"{plan.varied[0].name}={probe.value}"
    if plan.mode == "round":
        return f"{first}, one of {len(plan.probes)} runs beside each other."

    def then(after: str | None, says: str) -> str:
        return says if after is None or after in made else "rlbot bisect read names the next"

    most = f" of at most {plan.runs + done}" if plan.runs is not None else ""
    return (
        f"{first}, run {probe.number}{most}. If it runs: {then(probe.ran, probe.if_ran)}. "
        f"If it is out of memory: {then(probe.failed, probe.if_failed)}."
    )


def _line(data: bytes, says: str) -> tuple[int, str]:
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
    says = says.replace("\n", " ").replace("\r", " ")
    return at, f"{MARK}{says}{end}"
