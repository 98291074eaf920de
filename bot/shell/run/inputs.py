"""`read`, `mapfile` and `getopts`: builtins that set variables from input and arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.base.digits import natural_number
from bot.base.regex import regex
from bot.shell.expand.numbers import assign_named
from bot.shell.pieces import Value, certain_ones, computed, cut, extent, known, trimmed
from bot.shell.source import Span
from bot.shell.words import Piece, Word
from bot.shell.world.fields import SPLIT, split
from bot.shell.world.session import Session, hole
from bot.shell.world.state import (
    OpenArguments,
    ShellVariable,
    UncountedArguments,
    World,
    arguments_of,
    separators,
)
from bot.shell.world.values import AssignedAt, assign_scalar, demand_writable, scalar

_READ_WITH = frozenset("adinNptu")
_MAPFILE_WITH = frozenset("dnOsuCc")
_ESCAPED = regex(r"(?s)\\(.?)")


def _options(
    words: Sequence[Word], with_value: frozenset[str]
) -> tuple[dict[str, str | None], list[Word]]:
    """Options with their values, and the words behind them."""
    found: dict[str, str | None] = {}
    at = 0
    while at < len(words):
        text = known(words[at].pieces)
        if text is None or not text.startswith("-") or text == "-":
            break
        at += 1
        if text == "--":
            break
        position = 1
        while position < len(text):
            letter = text[position]
            position += 1
            if letter not in with_value:
                found[letter] = ""
                continue
            if position < len(text):
                found[letter] = text[position:]
            elif at < len(words):
                found[letter] = known(words[at].pieces)
                at += 1
            break
    return found, list(words[at:])


def read(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `read`."""
    options, names = _options(words, _READ_WITH)
    targets = [(known(word.pieces) or "", word.span) for word in names]
    array = options.get("a")
    if not targets and not array:
        targets = [("REPLY", span)]
    value = world.stdin if "u" not in options else None
    if value is not None and _is_followed(value, options, separators(world)):
        line, ended = _line(world, value, options, span)
        if array:
            values = split([(piece, SPLIT) for piece in line], separators(world))
            session.spend_words(len(values))
            items: dict[int | str, Value] = dict(enumerate(values))
            demand_writable(world, array)
            world.set(array, ShellVariable(items=items, name_span=span, value_span=span))
        elif names:
            _distribute(session, world, line, targets, span)
        else:
            assign_scalar(session, world, "REPLY", line, AssignedAt(span, span))
        world.settle(0 if ended else 1)
    elif value is not None and _takes_whole_text(value, options, targets, separators(world)):
        (name, where), *_ = targets
        world.stdin = ()
        if "r" not in options:
            value = tuple(_without_backslashes(value, span))
        if names:
            value = _trimmed(value, separators(world))
        assign_scalar(session, world, name, value, AssignedAt(where, span))
        world.settle(1)
    else:
        unknown = hole("command", "line read from input", span)
        _assign_all(session, world, targets, unknown, span)
        if array:
            world.set(array, _unknown_lines(unknown, span))
        world.settle(None, False)


def _is_followed(value: Value, options: dict[str, str | None], ifs: str) -> bool:
    """Whether the words of the next line of an input are certain.

    A backslash makes a separator a part of a word, and joins a line with the next.
    """
    text = known(value)
    if text is None or options.keys() & {"n", "N"}:
        return False
    if "r" in options or "\\" not in text:
        return True
    delimiter = (options.get("d", "\n") or "")[:1]
    line = text[: text.find(delimiter) + 1] if delimiter and delimiter in text else text
    special = {*ifs, "\n", delimiter}
    return all(found[1] not in special for found in _ESCAPED.finditer(line))


def _assign_all(
    session: Session,
    world: World,
    targets: Sequence[tuple[str, Span]],
    value: Value,
    span: Span,
) -> None:
    for name, where in targets:
        assign_named(session, world, name, value, AssignedAt(where, span))


def _line(
    world: World, value: Value, options: dict[str, str | None], span: Span
) -> tuple[Value, bool]:
    """Takes a line of known input: it, and whether it has an end."""
    text = known(value) or ""
    delimiter = options.get("d", "\n")
    end = text.find(delimiter[:1]) if delimiter else -1
    line = value if end < 0 else cut(value, 0, end)
    world.stdin = () if end < 0 else cut(value, end + 1)
    if "r" not in options and "\\" in (known(line) or ""):
        line = computed(_unescaped(known(line) or ""), span)
    return line, end >= 0


def _takes_whole_text(
    value: Value,
    options: dict[str, str | None],
    targets: Sequence[tuple[str, Span]],
    ifs: str,
) -> bool:
    """Whether `read` takes all of a text of which parts are unknown: `read -d '' X <<EOF`.

    No unknown part can hold a NUL byte. A backslash before an unknown part would take its first
    character along.
    """
    if options.get("d", "\n") != "" or options.keys() & {"n", "N", "a", "u"}:
        return False
    if len(targets) != 1 or not targets[0][0].isidentifier() or ifs.strip(" \t\n"):
        return False
    return "r" in options or not any(
        isinstance(piece.text, str) and piece.text.endswith("\\") for piece in value
    )


def _without_backslashes(value: Value, span: Span) -> Iterator[Piece]:
    for piece in value:
        if isinstance(piece.text, str) and "\\" in piece.text:
            yield Piece(_unescaped(piece.text), span, False, piece.quoted, piece.via)
        else:
            yield piece


def _trimmed(value: Value, ifs: str) -> Value:
    """A value without the blanks of IFS at its ends."""
    value = trimmed(value, ifs)
    while value and isinstance(text := value[0].text, str):
        blanks = len(text) - len(text.lstrip(ifs))
        if blanks < len(text):
            return cut(value, blanks)
        value = value[1:]
    return value


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[1].removeprefix("\n"), text)


def _distribute(
    session: Session, world: World, line: Value, targets: Sequence[tuple[str, Span]], span: Span
) -> None:
    """Splits a line: the last name takes what is left."""
    ifs = separators(world)
    rest = line
    for index, (name, where) in enumerate(targets):
        text = known(rest) or ""
        last = index == len(targets) - 1
        start, end, following = (_remainder if last else _first_word)(rest, text, ifs)
        value = cut(rest, start, end) if text else ()
        assign_named(session, world, name, value, AssignedAt(where, extent(value, span)))
        rest = cut(rest, following)


def _blanks(ifs: str) -> str:
    return "".join(character for character in ifs if character in " \t\n")


def _first_word(_rest: Value, text: str, ifs: str) -> tuple[int, int, int]:
    """Where the first word of a line starts and ends, and where the rest starts."""
    blanks = _blanks(ifs)
    start = len(text) - len(text.lstrip(blanks)) if blanks else 0
    end = next((at for at in range(start, len(text)) if text[at] in ifs), len(text))
    following = end
    while following < len(text) and text[following] in blanks:
        following += 1
    if following < len(text) and text[following] in set(ifs) - set(blanks):
        following += 1
    return start, end, following


def _remainder(rest: Value, text: str, ifs: str) -> tuple[int, int, int]:
    """Where the rest of a line starts and ends; a separator behind a single word is left out."""
    blanks = _blanks(ifs)
    start = len(text) - len(text.lstrip(blanks)) if blanks else 0
    end = max(len(text.rstrip(blanks)), start) if blanks else len(text)
    words = split([(piece, SPLIT) for piece in cut(rest, start, end)], ifs)
    if len(words) == 1 and end > start and text[end - 1] in ifs:
        end -= 1
    return start, end, len(text)


def mapfile(world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `mapfile`, so far as what it reads is not known."""
    _, names = _options(words, _MAPFILE_WITH)
    name = (known(names[0].pieces) if names else None) or "MAPFILE"
    world.settle(None)
    if name.isidentifier():
        lines = hole("command", "lines read from input", span)
        world.set(name, _unknown_lines(lines, span))


def _unknown_lines(value: Value, span: Span) -> ShellVariable:
    """An array of any number of elements that nobody knows."""
    return ShellVariable(items={0: value}, uncounted=True, name_span=span, value_span=span)


_PLACE = "_rlbot_getopts_place"
"""A variable that no script has: the place of the next letter in the argument."""


def getopts(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `getopts`."""
    spec = known(words[0].pieces) if words else None
    name = known(words[1].pieces) if len(words) > 1 else None
    if spec is None or name is None or not name.isidentifier():
        world.settle(None, False)
        return
    options = _Options(session, world, name, span)
    if isinstance(world.positional, OpenArguments) and session.needs("arguments"):
        options.unknown()
        return
    arguments = arguments_of(words[2:]) or world.positional
    any_number = isinstance(arguments, UncountedArguments)
    index = known(scalar(session, world, "OPTIND", span) or ()) or "1"
    options.index = natural_number(index) or 1
    if options.index > (certain_ones(arguments) if any_number else len(arguments)):
        options.unknown() if any_number else options.end("")
        return
    text = known(arguments[options.index - 1])
    if text is None:
        options.unknown()
    elif len(text) < 2 or text[0] != "-" or text == "--":
        options.end(text)
    else:
        options.take(spec, text, arguments)


class _Options:
    """Options being read by getopts."""

    def __init__(self, session: Session, world: World, name: str, span: Span) -> None:
        self.session = session
        self.world = world
        self.name = name
        self.span = span
        self.index = 1
        """Which argument comes next, from 1."""

    def unknown(self) -> None:
        """Sets an option of arguments that nobody has named."""
        for variable, reason in ((self.name, "an option"), ("OPTARG", "value of an option")):
            self._assign(variable, hole("argument", reason, self.span, variable))
        self.world.settle(None, False)

    def end(self, text: str) -> None:
        """There are no further options."""
        self._set("?", None, self.index + (text == "--"), 1)
        self.world.settle(1)

    def take(self, spec: str, text: str, arguments: Sequence[Value]) -> None:
        """Takes the next letter of an argument."""
        place = self.world.variables.get(_PLACE)
        offset = int(known(place.value or ()) or "1") if place else 1
        if offset >= len(text):
            # The arguments are others now than when the letter before was taken.
            self.unknown()
            return
        letter = text[offset]
        silent = spec.startswith(":")
        rejected = computed(letter, self.span) if silent else None
        where = spec.find(letter, 1 if silent else 0) if letter != ":" else -1
        last = offset + 1 >= len(text)
        following = (self.index + 1, 1) if last else (self.index, offset + 1)
        self.world.settle(0)
        if where < 0:
            self._set("?", rejected, *following)
        elif spec[where + 1 : where + 2] != ":":
            self._set(letter, None, *following)
        elif not last:
            value = cut(arguments[self.index - 1], offset + 1)
            self._set(letter, value, self.index + 1, 1)
        elif self.index < len(arguments):
            self._set(letter, arguments[self.index], self.index + 2, 1)
        else:
            self._set(":" if silent else "?", rejected, self.index + 1, 1)

    def _assign(self, name: str, value: Value) -> None:
        assign_scalar(self.session, self.world, name, value, AssignedAt(self.span, self.span))

    def _set(self, letter: str, argument: Value | None, index: int, place: int) -> None:
        self._assign(self.name, computed(letter, self.span))
        if argument is None:
            self.world.remove("OPTARG")
        else:
            self._assign("OPTARG", argument)
        for name, number in (("OPTIND", index), (_PLACE, place)):
            self.world.set(name, ShellVariable(computed(str(number), self.span)))
