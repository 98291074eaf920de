"""Merges several sources of one run, and says where they disagree.

Sources are of one run when values of one metric agree at the same steps, when settings agree, or
when both carry the run's id. Values are compared at the steps that every source keeps
(`bot.evidence.tally.StepValues`); TensorBoard holds 32 bits of a number and verl's console logger
three decimals before 0.5.0, so that small differences count for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, TypeVar

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, Notes, enumeration, message, plural_message
from bot.evidence.facts import UNNAMED, Facts, MetricSeries, RunId, SourceAgreement
from bot.evidence.values import leaves, same, shown

_RELATIVE, _ABSOLUTE = 1e-5, 6e-4
_APART: Final = 600.0
"""Seconds by which clocks and the ends of a run may differ."""
_IDENTIFIED: Final = frozenset({"trackio", "mlflow", "manifest"})
"""Sources whose runs have one id each; a run of SwanLab's has two, by file and by page."""
_NAMED: Final = 3
"""Differences of a kind that are named."""
T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class _Pair:
    """What two sources have in common, and where they disagree."""

    shared: int
    """Values and settings that agree."""
    against: tuple[str, ...]


def joined(parts: Sequence[Facts]) -> Facts:
    """The facts of several sources of one run; at least one must be given.

    Of two records of one thing the tracker's comes before what the process printed, and the longer
    series before the shorter; the highest value of any counts: they may be successive parts of
    a run that was resumed.
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    recorded = sorted(parts, key=lambda f: ("arguments" in f.printed, "config" in f.printed))
    config = _first_part_with(recorded, lambda facts: bool(facts.config)) or first
    history = _highest(
        _longest(facts.history for facts in recorded), (facts.history for facts in recorded)
    )
    system = max(parts, key=lambda facts: facts.system_rows)
    cards = _first_part_with(parts, lambda f: any(gpu.name != UNNAMED for gpu in f.gpus))
    cards = cards or _first_part_with(parts, lambda facts: bool(facts.gpus)) or first
    printed: set[Any] = {*config.printed & {"config", "arguments"}}
    if history and all("history" in facts.printed for facts in parts if facts.history):
        printed.add("history")
    if all(facts.printed for facts in parts if facts.requirements):
        printed.add("requirements")
    windows = [facts.window for facts in parts if facts.window is not None]
    return replace(
        first,
        source=enumeration([facts.source for facts in parts]),
        kind="several",
        run=_run(parts),
        config=config.config,
        history=history,
        history_rows=max(facts.history_rows for facts in parts),
        system=_highest(system.system, (f.system for f in parts if f.kind == system.kind)),
        system_rows=system.system_rows,
        system_kind=system.system_kind or system.kind,
        printed=frozenset(printed),
        gpus=cards.gpus,
        host_gpu_count=_first_value(parts, lambda facts: facts.host_gpu_count),
        requirements={k: v for f in reversed(parts) for k, v in f.requirements.items()},
        script_release=_first_value(parts, lambda facts: facts.script_release),
        program=_first_value(parts, lambda facts: facts.program),
        args=next((facts.args for facts in parts if facts.args), ()),
        exit_code=_first_value(parts, lambda facts: facts.exit_code),
        out_of_memory=_first_value(parts, lambda facts: facts.out_of_memory),
        gaps=tuple(
            message("{source}: {gap}", source=facts.source, gap=gap)
            for facts in parts
            for gap in facts.gaps
        ),
        state=_first_value(parts, lambda facts: facts.state),
        created=min((facts.created for facts in parts if facts.created), default=None),
        window=(min(w[0] for w in windows), max(w[1] for w in windows)) if windows else None,
        siblings=next((facts.siblings for facts in parts if facts.siblings), ()),
        sibling_gaps=tuple(gap for facts in parts for gap in facts.sibling_gaps),
        private=any(facts.private for facts in parts),
        signed=_first_value(parts, lambda facts: facts.signed),
        agreement=_agreement(parts),
    )


def _first_part_with(parts: Sequence[Facts], has: Callable[[Facts], bool]) -> Facts | None:
    return next((facts for facts in parts if has(facts)), None)


def _first_value(parts: Sequence[Facts], of: Callable[[Facts], T | None]) -> T | None:
    return next((value for facts in parts if (value := of(facts)) is not None), None)


def _longest(histories: Iterator[Mapping[str, MetricSeries]]) -> dict[str, MetricSeries]:
    found: dict[str, MetricSeries] = {}
    for history in histories:
        for key, series in history.items():
            if key not in found or series.rows > found[key].rows:
                found[key] = series
    return found


def _highest(
    chosen: Mapping[K, MetricSeries], others: Iterable[Mapping[K, MetricSeries]]
) -> dict[K, MetricSeries]:
    """The chosen series, each with the highest value that any source has of it."""
    found = dict(chosen)
    for key, other in (item for each in others for item in each.items()):
        own = found.setdefault(key, other)
        near = math.isclose(own.maximum, other.maximum, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
        if other.maximum > own.maximum and not near:
            found[key] = replace(own, maximum=other.maximum, at_step=other.at_step)
    return found


def _run(parts: Sequence[Facts]) -> RunId:
    """The names of the source that knows the id; else what any knows."""
    named = _first_part_with(
        parts, lambda facts: facts.run.id is not None and facts.run.entity is not None
    )
    if named is not None:
        return named.run
    return RunId(
        id=_first_value(parts, lambda facts: facts.run.id),
        project=_first_value(parts, lambda facts: facts.run.project),
        name=_first_value(parts, lambda facts: facts.run.name),
    )


def _agreement(parts: Sequence[Facts]) -> SourceAgreement:
    """Whether the sources are of one run: every source must share something with another."""
    against: list[str] = []
    linked = {0}
    pairs = {(a, b): _pair(parts[a], parts[b]) for a, b in combinations(range(len(parts)), 2)}
    for pair in pairs.values():
        against += pair.against
    for _ in parts:
        for (a, b), pair in pairs.items():
            if pair.shared and (a in linked or b in linked):
                linked |= {a, b}
    shared = sum(pair.shared for pair in pairs.values())
    if against:
        reason = message(
            "The sources are not of one run, or one was changed: {differences}.",
            differences=enumeration(against[:_NAMED]),
        )
        return SourceAgreement("inconsistent", shared, reason)
    apart = [facts.source for at, facts in enumerate(parts) if at not in linked]
    if apart:
        reason = message(
            "Nothing shows that the sources are of one run: no setting and no step of a metric of "
            "the others stands in {source}.",
            source=apart[0],
        )
        return SourceAgreement("inconclusive", shared, reason)
    reason = plural_message(
        "{count} value and setting stands in more than one source, and is the same.",
        "{count} values and settings stand in more than one source, and are the same.",
        shared,
    )
    return SourceAgreement("consistent", shared, reason)


def _pair(left: Facts, right: Facts) -> _Pair:
    against = Notes()
    shared = 0
    ids = left.run.id, right.run.id
    kinds = {left.kind, right.kind} - {"folder", "online", "log"}
    # W&B's id, which the console names too; others count within one tracker.
    if None not in ids and (not kinds or (left.kind == right.kind and left.kind in _IDENTIFIED)):
        shared += ids[0] == ids[1]
        if ids[0] != ids[1]:
            against.note("one is run {left}, the other {right}", left=ids[0], right=ids[1])
    for compared in (_settings(left, right), _values(left, right)):
        for difference in compared:
            if difference is None:
                shared += 1
            else:
                against.append(difference)
    cards = [sorted(gpu.name for gpu in f.gpus if gpu.name != UNNAMED) for f in (left, right)]
    if all(cards) and cards[0] != cards[1]:
        against.note("one names {left}, the other {right}", left=cards[0][0], right=cards[1][0])
    codes = left.exit_code, right.exit_code
    if None not in codes and codes[0] != codes[1]:
        against.note(
            "one ended with exit code {left}, the other with {right}", left=codes[0], right=codes[1]
        )
    if left.window and right.window:
        gap = max(left.window[0], right.window[0]) - min(left.window[1], right.window[1])
        if gap > _APART:
            against.note("their times are {count} s apart", count=f"{gap:,.0f}")
    return _Pair(shared, tuple(against[: _NAMED + 1]))


def _settings(left: Facts, right: Facts) -> Iterator[Message | None]:
    """For each setting that both have: None where it is the same, else what differs."""
    ours, theirs = dict(leaves(left.config)), dict(leaves(right.config))
    for key in sorted(ours.keys() & theirs.keys()):
        if {} in (ours[key], theirs[key]):
            continue
        equal = same(ours[key], theirs[key])
        if equal:
            yield None
        elif equal is False:
            yield message(
                "{key} is {left} in one and {right} in the other",
                key=key,
                left=shown(ours[key], key),
                right=shown(theirs[key], key),
            )


def _values(left: Facts, right: Facts) -> Iterator[Message | None]:
    """For each metric and step that both keep: None where it is the same, else what differs."""
    for key in sorted(left.history.keys() & right.history.keys()):
        ours, theirs = left.history[key].values or {}, right.history[key].values or {}
        for step in sorted(ours.keys() & theirs.keys()):
            if math.isclose(ours[step], theirs[step], rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
                yield None
            else:
                yield message(
                    "{key} is {left} in one and {right} in the other at step {step}",
                    key=key,
                    left=f"{ours[step]:g}",
                    right=f"{theirs[step]:g}",
                    step=step,
                )
                break
