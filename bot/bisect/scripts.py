"""The scripts of a series: the original with another number, and a line that says what is next."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from bot.bisect.knob import edited
from bot.bisect.series import Series
from bot.bisection import Plan, Probe
from bot.shell.source import Span
from bot.trials import read_trials

MARK = "# rlbot bisect: "
_BOM = b"\xef\xbb\xbf"
_HEAD = re.compile(r"(?:#[^\n]*\n)*")


def scripts(series: Series) -> dict[str, bytes]:
    """Name of each probe to the bytes of its script; every other byte is the original's."""
    knob, data = series.knob, series.candidates.script.data
    made = {}
    for probe in series.plan.probes:
        at, line = _line(data, _says(series, probe))
        # The line stands before every number: in or below the comments that the script begins with.
        edits = sorted(
            [(Span(at, at), line), *knob.edits(probe.value)], key=lambda edit: edit[0].start
        )
        made[probe.name] = edited(data, edits)
    return made


def with_paths(plan: Plan, root: str, parent: str) -> Plan:
    """The plan with the path of each script that is written below a folder."""
    path = PurePosixPath(plan.script)
    probes = tuple(
        replace(probe, path=(PurePosixPath(root) / folder(probe.name, path, parent)).as_posix())
        for probe in plan.probes
    )
    return replace(plan, probes=probes)


def folder(name: str, path: PurePosixPath, parent: str) -> PurePosixPath:
    """Where a probe's script stands: its name and the folder that it is named after stay."""
    return PurePosixPath(name) / parent / path.name


def _says(series: Series, probe: Probe) -> str:
    plan = series.plan
    first = f"{plan.varied[0].name}={probe.value}"
    if plan.mode == "round":
        return f"{first}, one of {len(plan.probes)} runs beside each other."
    most = f" of at most {plan.runs}" if plan.runs is not None else ""
    return (
        f"{first}, run {probe.number}{most}. If it runs: {probe.if_ran}. "
        f"If it is out of memory: {probe.if_failed}."
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
