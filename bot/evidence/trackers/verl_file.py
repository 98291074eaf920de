"""verl's `file` logger: a line of JSON for each step, `{"step": 1, "data": {"metric": 40.1}}`.

Source: verl/utils/tracking.py, `FileLogger`. NaN and the infinities arrive as null. The file is
opened anew by a run that is resumed, so that the steps before are gone.
"""

from __future__ import annotations

from typing import BinaryIO

from bot.base.messages import message, plural_message
from bot.evidence.facts import EvidenceError, Facts, RunId
from bot.evidence.json_values import number, parsed, whole
from bot.evidence.limits import RunLimits
from bot.evidence.locate import open_inside, shown
from bot.evidence.trackers.collect import MetricCollector, StoppedError
from bot.evidence.trackers.places import RunPath, several


def find_verl_file(place: RunPath) -> bool:
    """Whether a path is such a file, or a folder that holds files of that name."""
    if place.is_folder:
        return place.holds(_is_named)
    return place.start.startswith(b'{"step":') and b'"data":' in place.start


def _is_named(name: str) -> bool:
    return name.endswith(".jsonl")


def read_verl_file(place: RunPath, limits: RunLimits) -> Facts:
    """Read the file; raises EvidenceError where there are several, or no metric."""
    files = [path for path in place.files if not place.is_folder or _is_named(path.name)]
    if len(files) != 1:
        names = [str(path.relative_to(place.root)) for path in files]
        raise several(place, "verl", names)
    path, name = files[0], shown(files[0].name)
    collector = MetricCollector(limits)
    with open_inside(place.root, path) as stream:
        try:
            _read_lines(stream, name, collector, limits)
        except StoppedError as error:
            collector.stopped(error, name)
    run = RunId(name=path.stem, project=path.parent.name if place.is_folder else None)
    facts = collector.facts(message("verl's log file {name}", name=name), "verl-file", run)
    if not facts.history:
        raise EvidenceError(
            '{name} holds no line of verl\'s file logger ({{"step": 1, "data": {{…}}}}): give '
            "the file that the run logged its metrics to.",
            name=name,
        )
    return facts


def _read_lines(stream: BinaryIO, name: str, collector: MetricCollector, limits: RunLimits) -> None:
    at, damaged, damaged_at, cut_at = 0, 0, 0, None
    while line := stream.readline(limits.record_bytes + 1):
        whole = line.endswith(b"\n")
        if len(line) > limits.record_bytes and not whole:
            while part := stream.readline(1 << 20):
                line += part[-1:]
                at += len(part) - 1
                if part.endswith(b"\n"):
                    break
            taken = False
        elif not whole:
            cut_at = at
            break
        else:
            taken = not line.isspace() and _line(line, collector)
        if not taken and line.strip():
            damaged_at = damaged_at if damaged else at
            damaged += 1
        at += len(line)
        collector.look()
        if at > limits.log_bytes:
            raise StoppedError(plural_message("{count} byte", "{count} bytes", at))
    if damaged:
        collector.damaged(name, damaged, damaged_at)
    if cut_at is not None:
        collector.cut(name, cut_at)


def _line(line: bytes, collector: MetricCollector) -> bool:
    """Take a line; False where it is none of the logger's."""
    row = parsed(line) or {}
    step, data = whole(row.get("step")), row.get("data")
    if step is None or not isinstance(data, dict):
        return False
    for key, value in data.items():
        found = number(value)
        if found is not None:
            collector.metric(key, found, step)
    return True
