"""argparse's command line: words become settings, or something argparse would refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import TypeAlias

from bot.base.digits import is_digits, natural_number, whole_number
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, plural_message
from bot.base.regex import regex
from bot.frameworks.settings.key_table import Key
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.setting import UNKNOWN, BadArgument, Setting, WholeSetting
from bot.report import JsonValue, Scalar
from bot.shell.source import Span
from bot.shell.words import Hole, Word

_NEGATIVE = regex(r"-[0-9]+\Z|-[0-9]*\.[0-9]+\Z")
_INT = regex(r"[+-]?[0-9](?:_?[0-9])*\Z")


@dataclass(slots=True)
class OptionLine:
    """argparse's arguments, sorted out."""

    settings: list[Setting] = field(default_factory=list)
    bad: list[BadArgument] = field(default_factory=list)


ReadLines: TypeAlias = dict[int, tuple[OptionTable, OptionLine]]
"""Of each launch, by its identity, the options of the release that was tried last, and the
arguments as it reads them."""


def read_line(words: Sequence[Word], table: OptionTable | None, of_file: int = 0) -> OptionLine:
    """Sort out the arguments of a module whose options are `table`.

    The first `of_file` words stand in a file of settings, which `TrlParser` takes for defaults as
    they are: any option may have a list there.
    Without a table, or for an option it does not have, one following word that is no option counts
    as the value, so that the setting can be shown whole. A word that is unknown altogether is left
    out where an option may stand, since it may be anything.
    """
    line = OptionLine()
    at = 0
    known = table is not None  # Whether it is known how many values the last option takes.
    while at < len(words):
        word = words[at]
        at += 1
        text = word.text
        if not _is_option(word, table):
            if text and known and not text.startswith("${?"):
                problem = message(
                    "{text} belongs to no option; the program refuses it", text=repr(text)
                )
                line.bad.append(BadArgument(word, word.span_of(0, len(text)), problem))
            continue
        name, equals, _ = text.partition("=")
        if "${?" in name:
            continue
        shown = name.lstrip("-")
        whole = at <= of_file
        full = table.full(shown, whole=whole) if table else None
        key = table.get(full) if table and full else None
        known = key is not None
        least, most = _arity(key)
        span = word.span_of(0, len(name))
        if equals:
            if most == 0:
                problem = message("--{name} is a flag and takes no value", name=shown)
                line.bad.append(BadArgument(word, word.span_of(0, len(text)), problem))
                continue
            values = [_Value.inline(word, len(name) + 1)]
        else:
            most, end = (of_file, of_file) if whole and most else (most, len(words))
            values = _following(words, table, at, min(end, at + most))
            at += len(values)
        if len(values) < least:
            problem = plural_message(
                "{name} needs a value", "{name} needs {count} values", least, name=f"--{shown}"
            )
            if not (equals or values) and at < len(words) and _is_dashed(words[at], table):
                problem = message(
                    "--{name} needs a value: {word} begins with a dash, as options do",
                    name=shown,
                    word=words[at].text,
                )
                at += 1
            line.bad.append(BadArgument(word, span, problem))
            continue
        typed = [
            table.convert(value.text, key) if table and key else _guessed(value.text)
            for value in values
        ]
        setting = _setting(word, full or shown, key, values, typed)
        line.settings.append(WholeSetting.of(setting) if whole else setting)
        if table is not None and most == 0:
            line.settings[-1] = _switched(line.settings[-1], table)
    return line


def _switched(setting: Setting, table: OptionTable) -> Setting:
    """A flag; one that switches an option off is that option's own (`--no_packing`)."""
    to, on = table.destination(setting.key), table.switches_to(setting.key)
    key = to if not on and table.spells(to) else setting.key
    return replace(setting, key=key, value=on)


def _is_dashed(word: Word, table: OptionTable | None) -> bool:
    """Whether a word can only be meant for a value, though argparse takes it for an option."""
    known = table is not None and table.fitting(word.text.partition("=")[0].lstrip("-"))
    return word.text.startswith("-") and not word.text.startswith("--") and not known


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    complete: bool
    span: Span
    holes: tuple[Hole, ...] = ()

    @classmethod
    def of(cls, word: Word) -> _Value:
        return cls(word.text, word.complete, word.span_of(0, len(word.text)), word.holes)

    @classmethod
    def inline(cls, word: Word, start: int) -> _Value:
        text = word.text[start:]
        span = word.span_of(start, len(word.text))
        return cls(text, "${?" not in text or word.complete, span)


def _is_option(word: Word, table: OptionTable | None) -> bool:
    """Whether argparse takes a word for an option; negative numbers and texts with blanks are not.

    Follows `ArgumentParser._parse_optional` of Python 3.11.
    """
    text = word.text
    if not text.startswith("-") or len(text) == 1:
        return False
    if table is not None and table.fitting(text.partition("=")[0].lstrip("-")):
        return True
    blank = any(" " in piece.text for piece in word.pieces if isinstance(piece.text, str))
    return not _NEGATIVE.match(text) and not blank


def _following(words: Sequence[Word], table: OptionTable | None, at: int, end: int) -> list[_Value]:
    """The words from `at` to `end` that are values: those in front of the next option."""
    waiting = map(words.__getitem__, range(at, end))
    return [_Value.of(word) for word in takewhile(lambda one: not _is_option(one, table), waiting)]


def _arity(key: Key | None) -> tuple[int, int]:
    """The least and the most values that an option takes."""
    if key is None:
        return 0, 1
    if (number := natural_number(key.arity)) is not None:
        return number, number
    return {"?": (0, 1), "?true": (0, 1), "*": (0, 1 << 30), "+": (1, 1 << 30)}.get(
        key.arity, (1, 1)
    )


def _setting(
    word: Word,
    name: str,
    key: Key | None,
    values: Sequence[_Value],
    typed: Sequence[Scalar],
) -> Setting:
    span = word.span_of(0, len(word.text.partition("=")[0]))
    value: JsonValue
    if key is not None and (key.arity in ("*", "+") or is_digits(key.arity)):
        value = list(typed)
    elif not typed:
        value = True if key is None or key.type == "bool" or key.arity == "?true" else None
    else:
        value = typed[0] if len(typed) == 1 else list(typed)
    first, last = (values[0].span, values[-1].span) if values else (span, span)
    joined = Span(first.start, last.end) if first.start <= last.start else last
    return Setting(
        key=name,
        value=value if all(v.complete for v in values) else UNKNOWN,
        text=" ".join(v.text for v in values),
        operator="",
        word=word,
        key_span=span,
        value_span=joined,
        value_holes=tuple(hole for v in values for hole in v.holes),
    )


def _guessed(text: str) -> Scalar:
    """The value of an option whose type is not known: a whole number, else the text."""
    number = whole_number(text) if _INT.match(text) else None
    return text if number is None else number
