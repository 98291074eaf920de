"""RLB041: the value that is used is not the one that the script's own trial log supports."""

from __future__ import annotations

from collections.abc import Iterator

from bot.frameworks.plan import Plan
from bot.rules._example import verl
from bot.rules.base import Case, Example, Hit, Meta, TextEdit
from bot.trials import Tried, largest_passing, outcome, reaches, tried_values

_BATCH = "nproc_per_gpu=44 # 32√ → 64× → 48× → 40√ → 44√ → 46× → 45×"

META = Meta(
    id="RLB041",
    slug="trial-log",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary=(
        "A value is marked as failing in the script's own trial log, or is below one that passed."
    ),
    why=(
        "MaxBatch is the largest batch that ran. When the author's own notes mark the used value "
        "×, the row publishes a batch that ran out of memory; when a larger one is marked √, it "
        "publishes less than the hardware gives."
    ),
    instead="Use the largest value that is marked √, or bring the log up to date.",
    limits=(
        "Reads marks such as √ ✓ ok and × ✗ oom behind the numbers of a comment on the line of the "
        "value, or on the line above it. Of a value that was tried twice the last trial counts. A "
        "value below a larger √ is a warning, one that was not tried a note. Silent when the value "
        "does not reach a launch."
    ),
    source=(
        "The column MaxBatch of verl's docs/perf/device_tuning.rst, and the logs that its scripts "
        "of May 2025 carry"
    ),
    example=Example(
        bad=verl(
            "data.train_batch_size=$((nproc_per_gpu * 8))",
            before=_BATCH.replace("=44", "=45", 1),
        ),
        good=verl("data.train_batch_size=$((nproc_per_gpu * 8))", before=_BATCH),
    ),
)


def check(case: Case) -> Iterator[Hit]:
    """Compare each value that has a trial log with the log."""
    for tried in tried_values(case.reading, case.plans):
        plans = [plan for plan in case.plans if reaches(case.reading, plan, tried)]
        if plans:
            yield from _judge(case, plans[0], tried)


def _judge(case: Case, plan: Plan, tried: Tried) -> Iterator[Hit]:
    best = largest_passing(tried.trials)
    result = outcome(tried.trials, tried.value)
    shown = f"{tried.name}={tried.value}"
    if result is False:
        known = f"the largest √ is {best}" if best is not None else "no value is marked √"
        message = f"{shown} is marked × in this script's own trial log; {known}"
        yield _hit(case, plan, tried, best, message, None)
    elif best is not None and best > tried.value:
        message = f"this script's own trial log shows {best} passing, but {shown} is used"
        yield _hit(case, plan, tried, best, message, "warning")
    elif result is None:
        known = f"; the largest √ is {best}" if best is not None else ""
        yield Hit(
            message=f"{shown} is not in this script's own trial log{known}",
            span=tried.span,
            severity="note",
            help="add its outcome to the log",
        )


def _hit(
    case: Case, plan: Plan, tried: Tried, best: int | None, message: str, severity: str | None
) -> Hit:
    use = f"use {tried.name}={best}{_max_batch(plan, tried, best)}" if best is not None else None
    literal = case.source.text[tried.span.start : tried.span.end] == str(tried.value)
    edits = (TextEdit(span=tried.span, text=str(best)),) if best is not None and literal else ()
    return Hit(
        message=message,
        span=tried.span,
        severity="warning" if severity else None,
        help=use or "add a value that passed to the log, and use it",
        fix_title=f"use {tried.name}={best}" if edits else None,
        edits=edits,
    )


def _max_batch(plan: Plan, tried: Tried, best: int) -> str:
    """The batch over all GPUs that `best` gives, when the batch is a multiple of the value."""
    total = plan.train_batch_size.value
    if not total or not tried.value or total % tried.value or plan.train_batch_size.default:
        return ""
    gpus = plan.gpus.value
    where = f" on {gpus} {'GPU' if gpus == 1 else 'GPUs'}" if gpus else ""
    return f" (MaxBatch {best * (total // tried.value)}{where})"
