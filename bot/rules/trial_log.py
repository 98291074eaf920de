"""RLB041: the value that is used is not the one that the script's own trial log supports."""

from __future__ import annotations

from bot.base.messages import plural_message
from bot.frameworks.plan import Plan
from bot.report import Severity
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.example import verl
from bot.script.trial_log import Tried, largest_passing, outcome, reaches, tried_values

_BATCH = "nproc_per_gpu=44 # 32√ → 64× → 48× → 40√ → 44√ → 46× → 45×"

META = Meta(
    id="RLB041",
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
        "value, or on the line above it, or anywhere when the comment begins with the setting's "
        "key. Of a value that was tried twice the last trial counts. A value below a larger √ is a "
        "warning, one that was not tried a note. Silent when the value does not reach a launch."
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


def check(context: RuleContext) -> Hits:
    """Compare each value that has a trial log with the log."""
    for tried in tried_values(context.reading, context.choice.plans):
        plans = [plan for plan in context.choice.plans if reaches(context.reading, plan, tried)]
        if plans:
            yield from _judge(context, plans[0], tried)


def _judge(context: RuleContext, plan: Plan, tried: Tried) -> Hits:
    best = largest_passing(tried.trials)
    result = outcome(tried.trials, tried.value)
    used = {"name": tried.name, "value": tried.value}
    if result is False:
        if best is None:
            text = message(
                "{name}={value} is marked × in this script's own trial log; no value is marked √",
                **used,
            )
        else:
            text = message(
                "{name}={value} is marked × in this script's own trial log; "
                "the largest √ is {best}",
                best=best,
                **used,
            )
        yield _hit(context, plan, tried, text)
    elif best is not None and best > tried.value:
        text = message(
            "this script's own trial log shows {best} passing, but {name}={value} is used",
            best=best,
            **used,
        )
        yield _hit(context, plan, tried, text, "warning")
    elif result is None:
        known = message("; the largest √ is {best}", best=best) if best is not None else ""
        yield hit(
            tried.span,
            "{name}={value} is not in this script's own trial log{known}",
            name=tried.name,
            value=tried.value,
            known=known,
            severity="note",
            help=message("add its outcome to the log"),
        )


def _hit(
    context: RuleContext,
    plan: Plan,
    tried: Tried,
    text: str,
    severity: Severity | None = None,
) -> Hit:
    best = largest_passing(tried.trials)
    use = (
        message(
            "use {name}={best}{batch}",
            name=tried.name,
            best=best,
            batch=_max_batch(plan, tried, best),
        )
        if best is not None
        else message("add a value that passed to the log, and use it")
    )
    literal = context.source.written(tried.span) == str(tried.value)
    edits = (TextEdit(span=tried.span, text=str(best)),) if best is not None and literal else ()
    return Hit(
        message=text,
        span=tried.span,
        severity=severity,
        help=use,
        fix_title=(message("use {name}={best}", name=tried.name, best=best) if edits else None),
        edits=edits,
    )


def _max_batch(plan: Plan, tried: Tried, best: int) -> str:
    """The batch over all GPUs that `best` gives, when the batch is a multiple of the value."""
    total = plan.train_batch_size.value
    if not total or not tried.value or total % tried.value or plan.train_batch_size.default:
        return ""
    gpus, most = plan.gpus.value, best * (total // tried.value)
    if gpus is None:
        return message(" (MaxBatch {most})", most=most)
    return plural_message(
        " (MaxBatch {most} on {count} GPU)", " (MaxBatch {most} on {count} GPUs)", gpus, most=most
    )
