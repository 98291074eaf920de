"""Other runs of the same project: what one listing says, and the ends of a few consoles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from bot.base.messages import Notes, message
from bot.evidence.console import Console
from bot.evidence.facts import Sibling
from bot.evidence.json_values import number, text
from bot.evidence.metrics import GLOBAL_STEP
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.failure import ReadingError, ReadStage, bracketed
from bot.evidence.online.sdk import Sdk, failures
from bot.evidence.run_config import plain

_SHORT = 20
"""A run that says "finished" after fewer steps than this may have died (verl before 0.9.0)."""
_MOST_STEPS = 1 << 53
"""A summary is JSON: what is larger is no count."""
_MOST_VALUES = 5_000
"""Values of each other run's configuration, since there are a hundred of them."""


def siblings(sdk: Sdk, run: Any, bounds: Bounds) -> tuple[list[Sibling], list[str]]:
    """Runs of the same group and sweep first, then the project's newest; and what is not known."""
    group, sweep = text(getattr(run, "group", None)), text(getattr(run, "sweepName", None))
    named = {"group": group, "sweep": sweep}
    filters = [*({name: value} for name, value in named.items() if value), {}]
    found: dict[str, Any] = {}
    total = 0
    try:
        for chosen in filters:
            listed = _listing(sdk, run, chosen, bounds)
            for other in islice(listed, bounds.siblings):
                if other.id != run.id and len(found) < bounds.siblings:
                    found.setdefault(other.id, other)
            if not chosen:
                total = len(listed) - 1  # Without this run.
    except ReadingError as error:
        status = bracketed(error.failure.status)
        return [], [
            message("The other runs of the project could not be listed{status}.", status=status)
        ]
    gaps = Notes()
    if total > len(found):
        gaps.note(
            "The project has {total} other runs; {looked} of them, the newest, were looked at.",
            total=total,
            looked=len(found),
        )
    looked, more = _consoles(found.values(), bounds)
    gaps += more
    others = [_sibling(other, looked.get(other.id), gaps) for other in found.values()]
    return others, list(dict.fromkeys(gaps))


def _listing(sdk: Sdk, run: Any, chosen: dict[str, str], bounds: Bounds) -> Any:
    from wandb.apis import public

    with failures(ReadStage.SIBLINGS):
        listed = public.Runs(
            sdk.service,
            run.entity,
            run.project,
            filters=chosen,
            order="-created_at",
            per_page=min(50, bounds.siblings),
            lazy=False,
        )
        len(listed)
        return listed


def _consoles(others: Iterable[Any], bounds: Bounds) -> tuple[dict[str, bool], list[str]]:
    """Run id to whether its last lines report an out-of-memory error, where it has any."""
    suspects = [run for run in others if _suspect(run)]
    looked: dict[str, bool] = {}
    failed = 0
    for run in suspects[: bounds.sibling_consoles]:
        console = Console(1 << 16)
        number = 0
        try:
            with failures(ReadStage.SIBLINGS):
                for line in run.console_logs(last=bounds.sibling_lines):
                    number += 1
                    console.feed(line.content + "\n")
        except ReadingError:
            failed += 1
            continue
        line = console.close()
        if line is not None or number:
            looked[run.id] = line is not None
    gaps = Notes()
    if len(suspects) > bounds.sibling_consoles:
        gaps.note(
            "Of {suspects} other runs that may have failed, the consoles of {searched} were "
            "searched.",
            suspects=len(suspects),
            searched=bounds.sibling_consoles,
        )
    if failed:
        gaps.note_plural(
            "The console of {count} other run could not be read.",
            "The consoles of {count} other runs could not be read.",
            failed,
        )
    return looked, gaps


def _suspect(run: Any) -> bool:
    steps = _steps(run)
    return text(run.state) != "finished" or (steps is not None and steps < _SHORT)


def _sibling(run: Any, out_of_memory: bool | None, gaps: list[str]) -> Sibling:
    config = run.config if isinstance(run.config, Mapping) else {}
    return Sibling(
        id=str(run.id),
        config=plain(config, gaps, _MOST_VALUES),
        steps=_steps(run),
        out_of_memory=out_of_memory,
    )


def _steps(run: Any) -> int | None:
    """The training step that the summary ends with."""
    summary = getattr(run, "summaryMetrics", None)
    if not isinstance(summary, Mapping):
        return None
    for key in GLOBAL_STEP:
        value = number(summary.get(key))
        if value is not None and 0 <= value < _MOST_STEPS:
            return int(value)
    return None


def utc(value: object) -> str | None:
    """A time of the server, which leaves out that it is UTC."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    return value if time.tzinfo is not None else f"{value}Z"
