"""The other streams of a run: the system's samples, the console, and the files beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import field
from itertools import islice
from pathlib import Path
from typing import Any

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Notes, message
from bot.evidence.console import Console
from bot.evidence.facts import MetricSeries
from bot.evidence.json_values import number, text, whole
from bot.evidence.metrics import GPU_MEMORY
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage, bracketed
from bot.evidence.online.sdk import Sdk, failures
from bot.evidence.tally import Tally, gpu_series

WANTED_FILES = ("wandb-metadata.json", "requirements.txt")

_COUNTS = """query RunCounts($entity: String!, $project: String!, $name: String!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { state historyLineCount eventsLineCount logLineCount }
  }
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the server counts; None where it does not say."""

    samples: int | None = None
    lines: int | None = None
    rows: int | None = None
    state: str | None = None


def counts(sdk: Sdk, variables: dict[str, Any]) -> Counts:
    """How long the streams are; servers that do not know these fields say nothing.

    Raises ReadingError when the run is gone.
    """
    try:
        found = sdk.ask(ReadStage.RUN, _COUNTS, variables)
    except ReadingError as error:
        if error.failure.kind not in ("http", "sdk", "garbage"):
            raise
        return Counts()
    run = (found.get("project") or {}).get("run")
    if run is None:
        raise ReadingError(ReadFailure(kind="gone", stage=ReadStage.RUN))
    return Counts(
        samples=whole(run.get("eventsLineCount"), least=0),
        lines=whole(run.get("logLineCount"), least=0),
        rows=whole(run.get("historyLineCount"), least=0),
        state=text(run.get("state")),
    )


@dataclass(slots=True)
class System:
    """GPU index to its used memory over the system stream."""

    series: dict[int, MetricSeries] = field(default_factory=dict)
    rows: int = 0
    gaps: Notes = field(default_factory=Notes)


def system_stream(run: Any, counted: int | None, bounds: Bounds) -> System:
    """Every sample, if the server gives every sample; otherwise how many of how many."""
    found = System()
    if counted == 0:
        return found
    asked = min(bounds.samples, counted or bounds.samples)
    if asked > 1000:
        # The stream comes in one answer, so its size is estimated before it is asked for.
        with failures(ReadStage.SYSTEM):
            few = run.history(stream="system", samples=20, pandas=False)
        each = max((len(json.dumps(sample)) for sample in few), default=1)
        asked = max(1, min(asked, bounds.samples_bytes // each))
    with failures(ReadStage.SYSTEM):
        samples = run.history(stream="system", samples=asked, pandas=False)
    tallies: dict[int, Tally] = {}
    for sample in samples:
        found.rows += 1
        time = number(sample.get("_timestamp"))
        time = number(sample.get("_runtime")) if time is None else time
        for key, value in sample.items():
            match = GPU_MEMORY.match(key)
            if match and (used := number(value)) is not None:
                tally = tallies.setdefault(int(match[1]), Tally(traced=True))
                tally.add(used, None, time)
    found.series = gpu_series(tallies, "system.gpu.{}.memoryAllocatedBytes")
    if counted is not None and found.rows < counted:
        found.gaps.note(
            "Of {counted} samples of the system stream W&B gave {given}: a higher peak may "
            "lie between them.",
            counted=counted,
            given=found.rows,
        )
    elif counted is None and found.rows >= asked:
        found.gaps.note(
            "W&B gave {given} samples of the system stream, as many as were asked for, and "
            "does not say how many there are: a higher peak may lie between them.",
            given=found.rows,
        )
    return found


def console_error(
    run: Any,
    counted: int | None,
    bounds: Bounds,
    tell: Callable[[ReadStage, int, int | None], None],
) -> tuple[str | None, list[str]]:
    """The first console line that reports an out-of-memory error, and what was not searched."""
    if counted == 0:
        return None, []
    console = Console(1 << 16)
    number = 0
    try:
        with failures(ReadStage.CONSOLE):
            for line in run.console_logs(per_page=5_000):
                number += 1
                console.feed(line.content + "\n")
                if console.found is not None:
                    return console.found, []
                if number >= bounds.console_lines:
                    break
                if number % 5_000 == 0:
                    tell(ReadStage.CONSOLE, number, counted)
    except ReadingError as error:
        # Servers before 0.77 give the end of a log alone.
        if number or error.failure.kind not in ("http", "sdk", "garbage"):
            raise
    rest = None if counted is None else counted - number
    if (rest is not None and rest <= 0) or (counted is None and 0 < number < bounds.console_lines):
        return console.close(), []
    return _search_tail(run, number, counted, bounds)


def _search_tail(
    run: Any, searched: int, counted: int | None, bounds: Bounds
) -> tuple[str | None, list[str]]:
    console = Console(1 << 16)
    with failures(ReadStage.CONSOLE):
        lines = list(run.console_logs(last=bounds.console_tail))
    for line in lines:
        console.feed(line.content + "\n")
    found = console.close()
    if found is not None or (counted is not None and searched + len(lines) >= counted):
        return found, []
    gap = message(
        "Of the console, {first}the last {lines} lines{of} were searched for out-of-memory errors: "
        "an earlier one would not have been seen.",
        first=message("the first {lines} and ", lines=searched) if searched else "",
        lines=len(lines),
        of="" if counted is None else message(" of {counted}", counted=counted),
    )
    return None, [gap]


def fetch_files(run: Any, names: tuple[str, ...], folder: Path, bounds: Bounds) -> list[str]:
    """Fetch files of the run into `folder`; returns what could not be had, a sentence for each."""
    gaps = Notes()
    with failures(ReadStage.FILES):
        listing = run.files(names=list(names), per_page=len(names))
        # No more than were asked for, whatever the server says of further pages.
        found = list(islice(listing, len(names)))
        if ((listing.last_response or {}).get("project") or {}).get("run") is None:
            # The SDK gives an empty list for a run that is not there.
            raise ReadingError(ReadFailure(kind="gone", stage=ReadStage.FILES))
    for file in found:
        if file.name not in names:
            continue  # Nothing but what was asked for is written.
        size = file.size
        if isinstance(size, int) and size > bounds.file_bytes:
            gaps.note(
                "files/{name} has {size} bytes, more than {limit}; it was not read.",
                name=file.name,
                size=size,
                limit=bounds.file_bytes,
            )
            continue
        try:
            with failures(ReadStage.FILES):
                file.download(root=str(folder), replace=True).close()
        except ReadingError as error:
            gaps.note(
                "files/{name} is listed but could not be fetched{status}.",
                name=file.name,
                status=bracketed(error.failure.status),
            )
    return gaps
