"""Trial logs in comments, `nproc_per_gpu=45 # 32√ → 64× → 40√`, and the values they are of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import Final

from bot.base.digits import natural_number
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.shell.source import Source, Span
from bot.shell.words import Comment, Reading, Variable, Word

MOST: Final = 100
"""Trial logs of one script; what each of them reaches is looked for in all of it."""

_GOOD = "√✓✔✅"
_BAD = "×✗✘❌"
_ENTRY = regex(
    rf"(?<![\w.])(\d{{1,9}})\s*(?:[:=(]\s*)?"
    rf"([{_GOOD}{_BAD}]|ok|pass(?:ed|es)?|works|fits|oom|fail(?:ed|s)?|x)(?!\w)\)?",
    re.IGNORECASE,
)
_BETWEEN = regex(r"[\s,;|/→⇒>\-=]*\Z")
_NAMED = regex(r"#+\s*([A-Za-z][\w.]*)\s*:\s+(?=\d)")
"""The start of a log that names its setting: `# data.train_batch_size: 32√ → 64×`."""
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
    return tuple(Trial(int(entry[1]), _passed(entry[2])) for entry in _entries(comment))


def log_span(comment: str) -> Span | None:
    """The stretch of a comment that its trial log takes; None without one."""
    entries = _entries(comment)
    return Span(entries[0].start(), entries[-1].end()) if entries else None


def _entries(comment: str) -> list[re.Match[str]]:
    start = len(comment) - len(comment.lstrip("#").lstrip())
    end = len(comment.rstrip())
    rows: list[list[re.Match[str]]] = []
    for entry in _ENTRY.finditer(comment, start, end):
        if rows and _BETWEEN.match(comment[rows[-1][-1].end() : entry.start()]):
            rows[-1].append(entry)
        else:
            rows.append([entry])
    row = max(rows, key=len, default=[])
    if any(entry[2] in "xX" for entry in row) and not any(_passed(entry[2]) for entry in row):
        return []
    alone = len(row) == 1 and row[0].span() == (start, end) and row[0][2] in _GOOD + _BAD
    return row if len(row) > 1 or alone else []


def _passed(mark: str) -> bool:
    return mark in _GOOD or mark.lower().startswith(_GOOD_WORDS)


def trial_log(trials: Sequence[Trial]) -> str:
    """The comment that `read_trials` reads these trials from: `# 32√ → 64× → 48√`."""
    marks = (f"{trial.value}{'√' if trial.passed else '×'}" for trial in trials)
    return "# " + " → ".join(marks)


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


@dataclass(frozen=True, slots=True)
class Tried:
    """A value with a trial log beside it."""

    name: str
    value: int
    span: Span
    trials: tuple[Trial, ...]
    key: str | None
    """The setting's key, when the log stands beside a setting itself."""


def tried_values(reading: Reading, plans: Sequence[Plan]) -> Iterator[Tried]:
    """Each value of a script that has a trial log beside it or above it, or one that names it.

    Within a command that goes over several lines no comment can stand, so that a log anywhere else
    may begin with the key of its setting. At most MOST of a script are looked at.
    """
    return islice(_tried_values(reading, plans), MOST)


def _tried_values(reading: Reading, plans: Sequence[Plan]) -> Iterator[Tried]:
    lines: _Lines | None = None
    for comment in reading.comments:
        tried = _named_setting(plans, comment)
        if tried is None and (trials := read_trials(comment.text)):
            lines = lines or _Lines.of(reading, plans)
            tried = lines.beside(comment, trials)
        if tried is not None:
            yield tried


def tried_batches(reading: Reading, plan: Plan) -> tuple[Trial, ...]:
    """The train batches, over all GPUs, that the script's own trial log says were tried.

    A log of the batch per GPU is scaled as the script scales it; empty when the train batch is no
    whole multiple of the value that the log is of.
    """
    total, key = plan.train_batch_size.value, plan.train_batch_size.key
    if not total or key is None or plan.train_batch_size.default:
        return ()
    for tried in tried_values(reading, (plan,)):
        if tried.value and total % tried.value == 0 and reaches(reading, plan, tried, key):
            factor = total // tried.value
            return tuple(Trial(trial.value * factor, trial.passed) for trial in tried.trials)
    return ()


def _named_setting(plans: Sequence[Plan], comment: Comment) -> Tried | None:
    """The setting that a log begins with; None when it begins with none."""
    found = _NAMED.match(comment.text)
    trials = read_trials("# " + comment.text[found.end() :]) if found is not None else ()
    if found is None or not trials:
        return None
    settings = (plan.last(found[1]) for plan in plans)
    setting = next((one for one in settings if one is not None), None)
    if setting is None or not isinstance(setting.value, int) or isinstance(setting.value, bool):
        return None
    return Tried(setting.key, setting.value, setting.value_span, trials, setting.key)


@dataclass(slots=True)
class _Lines:
    """What stands on each line of a script, which may have thousands of logs."""

    source: Source
    variables: dict[int, list[Variable]]
    texts: dict[str, set[str]]
    """The values that each variable is given anywhere."""
    settings: dict[int, Setting]
    """The first whole number of each line's settings."""
    ends: dict[int, int] = field(default_factory=dict)
    """Line of a comment to the line that is none."""

    @classmethod
    def of(cls, reading: Reading, plans: Sequence[Plan]) -> _Lines:
        """The lines of one reading."""
        lines = cls(reading.source, defaultdict(list), defaultdict(set), {})
        for variable in reading.variables:
            lines.variables[lines.at(variable.name_span)].append(variable)
            lines.texts[variable.name].add(variable.value.text)
        for plan in plans:
            for setting in plan.settings:
                if isinstance(setting.value, int) and not isinstance(setting.value, bool):
                    lines.settings.setdefault(lines.at(setting.value_span), setting)
        return lines

    def at(self, span: Span) -> int:
        """The line on which a span starts."""
        return self.source.line_column(span.start)[0]

    def beside(self, comment: Comment, trials: tuple[Trial, ...]) -> Tried | None:
        """The value on the comment's line, or on the next line when the comment stands alone."""
        line = self._subject(comment)
        assigned = self.variables.get(line)
        if assigned:
            values = {_whole_number(variable.value) for variable in assigned}
            name, word = assigned[-1].name, assigned[-1].value
            number = values.pop()
            if number is None or values or self.texts[name] != {str(number)}:
                return None  # A loop, or a function called twice: several values stand here.
            return Tried(name, number, word.span_of(0, len(word.text)), trials, None)
        setting = self.settings.get(line)
        if setting is None or not isinstance(setting.value, int):
            return None
        return Tried(setting.key, setting.value, setting.value_span, trials, setting.key)

    def _subject(self, comment: Comment) -> int:
        """The line that a comment is about: its own, or the next one that is no comment."""
        line, column = self.source.line_column(comment.span.start)
        if self.source.line(line)[: column - 1].strip():
            return line
        begun = line = line + 1
        while line not in self.ends and line < self.source.lines and self._is_comment(line):
            line += 1
        end = self.ends.get(line, line)
        self.ends.update(dict.fromkeys(range(begun, line + 1), end))
        return end

    def _is_comment(self, line: int) -> bool:
        return self.source.line(line).lstrip().startswith("#")


def _whole_number(word: Word) -> int | None:
    text = word.text
    return natural_number(text) if word.complete else None


def reaches(reading: Reading, plan: Plan, tried: Tried, key: str | None = None) -> bool:
    """Whether a setting of the launch depends on the value; with `key`, that setting."""
    if tried.key is not None:
        return plan.last(tried.key) is not None and key in (None, tried.key)
    names = {tried.name}
    text = reading.source.text
    for variable in reading.variables:
        span = variable.value_span
        if _through(variable.value) & names or _mentions(text[span.start : span.end], names):
            names.add(variable.name)
    return any(
        _through(setting.word) & names
        or _mentions(text[setting.word.span.start : setting.word.span.end], names)
        for setting in plan.settings
        if key in (None, setting.key)
    )


def _through(word: Word) -> set[str]:
    return {name for piece in word.pieces for name in piece.via}


def _mentions(text: str, names: set[str]) -> bool:
    return bool(names & set(re.findall(r"[A-Za-z_]\w*", text))) and ("$" in text or "((" in text)
