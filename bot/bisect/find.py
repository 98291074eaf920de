"""Finds the value that is varied, and its place in a script.

The place is found by trying: a whole number of the script is the value when another number in its
place changes the batch by the same factor, and no setting that is not a batch size. Nothing is
guessed: where several numbers would do, the author has to name one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches

from bot.base.errors import UserError
from bot.base.messages import enumeration, message
from bot.base.regex import regex
from bot.bisect.knob import Knob, KnobPart, edited
from bot.check.read import why_no_launch
from bot.evidence.claims.batch import BOOKKEEPING
from bot.frameworks.plan import Plan
from bot.rules._support.base import RuleContext
from bot.script.trial_log import tried_values
from bot.shell.source import Span
from bot.shell.words import Reading, Variable

Read = Callable[[bytes], RuleContext]
"""Reads a script as the original was read: with the same tree and the same releases."""

BATCH_SIZE = regex(r"(?:\A|[._])\w{0,200}batch_?size\w{0,200}\Z|(?:\A|_)nproc_per_gpu\Z")
"""Keys of batch sizes, in every framework."""
DECIDING = regex(r"batch_?size|max_token")
"""Keys that may decide what a pass holds, whatever its samples are."""
SIZE = regex(
    rf"{DECIDING.pattern}|len|tokens|nproc_per_gpu|(?:\A|\.)n\Z|num_generations|n_samples_per_prompt"
    r"|gradient_accumulation"
)
"""Keys that may be varied: of batches, lengths, and responses to a prompt."""
_BESIDE = regex(r"[\s='\"\\]*\Z")
"""What may stand between a key and a value that was written beside it."""


def find_knob(data: bytes, read: Read, vary: Sequence[str]) -> Knob:
    """The number that is to be varied, or those that `vary` names: keys, or variables.

    Raises UserError, with what to do, when there is none or more than one would do.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            "The script is not UTF-8 (byte {start}); convert it first.", start=error.start
        ) from None
    context = read(data)
    plans = context.choice.plans
    if not plans:
        why = why_no_launch(context)
        raise UserError("There is no launch whose batch could vary: {why}.", why=why)
    finder = _Finder(data, read, context.reading, plans)
    parts = tuple(map(finder.named, dict.fromkeys(vary))) if vary else (finder.batch(),)
    key = plans[0].train_batch_size.key or (parts[0].key or parts[0].name)
    knob = Knob(parts, key)
    finder.settle(knob)
    return knob


class _Finder:
    def __init__(self, data: bytes, read: Read, reading: Reading, plans: Sequence[Plan]) -> None:
        self._data, self._read, self._reading, self._plans = data, read, reading, plans

    def batch(self) -> KnobPart:
        """The number that the page's MaxBatch is made from."""
        key = self._plans[0].train_batch_size.key
        if key is None:
            raise UserError(
                "The script does not say how large its batch is; name what is to be varied "
                "with --vary KEY."
            )
        return self._of_key(key)

    def named(self, name: str) -> KnobPart:
        """The number of the key or the variable of this name."""
        if any(plan.last(name) is not None for plan in self._plans):
            if not SIZE.search(name):
                raise UserError("--vary: {name} is neither a batch nor a length.", name=name)
            return self._of_key(name)
        part = next((part for part in self._variables() if part.name == name), None)
        if part is not None:
            self._refuse_other(part)
            return part
        if any(variable.name == name for variable in self._reading.variables):
            raise UserError(
                "--vary: {name} is not set once, to a whole number, in the script.", name=name
            )
        keys = {s.key for plan in self._plans for s in plan.settings if isinstance(s.value, int)}
        near = get_close_matches(name, [*keys, *(v.name for v in self._reading.variables)], n=1)
        hint = message(" Did you mean {name}?", name=near[0]) if near else ""
        raise UserError(
            "--vary: the script sets neither a key nor a variable {name}.{hint}",
            name=name,
            hint=hint,
        )

    def _refuse_other(self, part: KnobPart) -> None:
        """Raise UserError for a variable that no size follows, or that the number of GPUs does."""
        after = self._doubled(part)
        changed = set().union(*map(_changed_keys, self._plans, after))
        gpus = [plan.gpus.value for plan in self._plans] != [plan.gpus.value for plan in after]
        if changed and (gpus or not any(map(SIZE.search, changed))):
            raise UserError(
                "--vary: {name} is neither a batch nor a length: it sets {keys}.",
                name=part.name,
                keys=enumeration(sorted(key for key in changed if not SIZE.search(key)), 3),
            )

    def _doubled(self, part: KnobPart) -> Sequence[Plan]:
        """The launches with twice the number."""
        return self._read(edited(self._data, [(part.span, str(part.value * 2))])).choice.plans

    def _of_key(self, key: str) -> KnobPart:
        setting = next((s for plan in self._plans if (s := plan.last(key)) is not None), None)
        if setting is None:
            raise UserError(
                "The script leaves {key} to the framework; set it in the script to vary it.",
                key=key,
            )
        value = setting.value
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UserError(
                "{key} is {text}, where a whole number that the script itself holds belongs.",
                key=key,
                text=setting.text,
            )
        span = setting.value_span
        file, at = self._reading.source.part(setting.key_span.start)
        if file is not self._reading.source:
            raise UserError(
                "{key}={value} stands in {path} (line {line}), and only numbers of the script "
                "itself are varied: give {key} in its command.",
                key=key,
                value=value,
                path=file.path,
                line=file.line_column(at)[0],
            )
        between = self._reading.source.text[setting.key_span.end : span.start]
        beside = setting.key_span.end <= span.start and _BESIDE.match(between)
        # Within the word stands a default too: `${BATCH:-64}`.
        inside = setting.word.span.start <= span.start and span.end <= setting.word.span.end
        if self._reading.source.written(span) == str(value) and (beside or inside):
            return KnobPart(key, value, span, key)
        return self._behind(key, value)

    def _behind(self, key: str, value: int) -> KnobPart:
        """The variable that a setting's value comes from."""
        moving = [part for part in self._variables() if self._moves(part, key)]
        logged = {tried.name for tried in tried_values(self._reading, self._plans)}
        chosen = [part for part in moving if part.name in logged] or moving
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            raise UserError(
                "{key} is computed from {names}; say which one is to be varied with --vary {name}.",
                key=key,
                names=enumeration(dict.fromkeys(part.name for part in chosen)),
                name=chosen[0].name,
            )
        raise UserError(
            "{key}={value} is not written in the script as a number of its own, so it cannot "
            "be varied; write it so, or name a variable with --vary NAME.",
            key=key,
            value=value,
        )

    def _variables(self) -> Iterator[KnobPart]:
        """The variables that are set once, to a whole number that stands in the script."""
        seen: dict[str, list[Variable]] = {}
        for variable in self._reading.variables:
            seen.setdefault(variable.name, []).append(variable)
        for name, assigned in seen.items():
            text = assigned[0].value.text
            places = {v.value.span_of(0, len(v.value.text)) for v in assigned}
            if len(places) != 1 or not re.fullmatch("[1-9][0-9]{0,8}", text):
                continue
            (span,) = places
            if self._reading.source.written(span) == text:
                inside = assigned[0].value_span
                if inside.start <= span.start and span.end <= inside.end:
                    yield KnobPart(name, int(text), span, None)

    def _moves(self, part: KnobPart, key: str) -> bool:
        """Whether the key follows a variable, and nothing but batch sizes does."""
        after = self._doubled(part)
        if len(self._plans) != len(after):
            return False
        changed = set().union(*map(_changed_keys, self._plans, after))
        return key in changed and all(map(_follows, changed - {key}))

    def settle(self, knob: Knob) -> None:
        """Check that every launch follows its places; raises UserError when one does not."""
        after = self._read(knob.write(self._data, knob.value * 2)).choice.plans
        several = len(self._plans) > 1
        for old, new in zip(self._plans, after, strict=len(self._plans) == len(after)):
            if several and not _changed_keys(old, new):
                raise self._separate_trainings_error()
            for part in knob.parts:
                key = part.key
                if key is None or old.last(key) is None:
                    continue
                setting = new.last(key)
                if setting is not None and setting.value == part.value * 2:
                    continue
                if several:
                    raise self._separate_trainings_error()
                raise UserError(
                    "Another number in the place of {key} (line {line}) does not reach the "
                    "launch; name what is to be varied with --vary.",
                    key=key,
                    line=self._line(part.span),
                )

    def _separate_trainings_error(self) -> UserError:
        lines = [str(self._line(plan.launch.command.span)) for plan in self._plans]
        return UserError(
            "The script starts {count} trainings (lines {lines}) whose batches stand in places "
            "of their own; keep one of them in the script.",
            count=len(self._plans),
            lines=enumeration(dict.fromkeys(lines)),
        )

    def _line(self, span: Span) -> int:
        return self._reading.source.line_column(span.start)[0]


def _follows(key: str) -> bool:
    """Whether a setting may follow the batch without being part of what is compared."""
    return bool(BATCH_SIZE.search(key) or BOOKKEEPING.match(key))


def _changed_keys(old: Plan, new: Plan) -> set[str]:
    """Keys whose value differs between two readings of a launch."""
    before, after = old.resolved(), new.resolved()
    both = before.keys() & after.keys()
    return (before.keys() ^ after.keys()) | {key for key in both if before[key] != after[key]}
