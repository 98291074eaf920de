"""Trial logs in comments: `nproc_per_gpu=45 # 32√ → 64× → 48× → 40√`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_GOOD = "√✓✔✅"
_BAD = "×✗✘❌"
_ENTRY = re.compile(
    rf"(?<![\w.])(\d{{1,9}})\s*[:=(]?\s*"
    rf"([{_GOOD}{_BAD}]|ok|pass(?:ed|es)?|works|fits|oom|fail(?:ed|s)?|x)(?!\w)\)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,;|/→⇒>\-=]*\Z")
_GOOD_WORDS = ("ok", "pass", "works", "fits")


@dataclass(frozen=True, slots=True)
class Trial:
    """One value that was tried."""

    value: int
    passed: bool


def read_trials(comment: str) -> tuple[Trial, ...]:
    """The trials of a comment, in order; empty when it is not surely a trial log.

    Two entries in a row make a log, as does one with a mark of its own that is all the comment
    holds. A letter x counts as a mark only beside an entry that passed, since "4x" also means
    "four times".
    """
    body = comment.lstrip("#").strip()
    runs: list[list[re.Match[str]]] = []
    for found in _ENTRY.finditer(body):
        if runs and _BETWEEN.match(body[runs[-1][-1].end() : found.start()]):
            runs[-1].append(found)
        else:
            runs.append([found])
    if not runs:
        return ()
    run = max(runs, key=len)
    trials = tuple(Trial(int(found[1]), _passed(found[2])) for found in run)
    if any(found[2] in "xX" for found in run) and not any(trial.passed for trial in trials):
        return ()
    alone = run[0].start() == 0 and run[0].end() == len(body) and run[0][2] in _GOOD + _BAD
    return trials if len(run) > 1 or alone else ()


def _passed(mark: str) -> bool:
    return mark in _GOOD or mark.lower().startswith(_GOOD_WORDS)


def outcome(trials: Sequence[Trial], value: int) -> bool | None:
    """Whether `value` passed, by its last trial; None when it was not tried."""
    results = [trial.passed for trial in trials if trial.value == value]
    return results[-1] if results else None


def largest_passing(trials: Sequence[Trial]) -> int | None:
    """The largest value that passed and has no failure at or below it; None when there is none."""
    values = {trial.value for trial in trials}
    failed = [value for value in values if not outcome(trials, value)]
    passed = [value for value in values if outcome(trials, value)]
    floor = min(failed, default=None)
    return max((v for v in passed if floor is None or v < floor), default=None)
