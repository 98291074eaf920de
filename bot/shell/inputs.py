"""`read`, `mapfile` and `getopts`: builtins that set variables from input and arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.shell.expansion import separators
from bot.shell.fields import SPLIT, part, split
from bot.shell.session import Session, hole
from bot.shell.source import Span
from bot.shell.state import OpenArguments, Value, Variable, World, cut, known
from bot.shell.values import AssignedAt, assign_scalar, scalar
from bot.shell.words import Piece, Word

_READ_WITH = frozenset("adinNptu")
_MAPFILE_WITH = frozenset("dnOsuCc")


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
    text = None if value is None else known(value)
    if value is not None and text is None and _whole(value, options, targets, separators(world)):
        (name, where), *_ = targets
        world.stdin = ()
        if "r" not in options:
            value = tuple(_without_backslashes(value, span))
        if names:
            value = _trimmed(value, separators(world))
        assign_scalar(session, world, name, value, AssignedAt(where, span))
        world.settle(1)
        return
    if value is None or text is None or options.keys() & {"n", "N"}:
        unknown = hole("command", "line read from input", span)
        for name, where in targets:
            if name.isidentifier():
                assign_scalar(session, world, name, unknown, AssignedAt(where, span))
        if array:
            world.set(array, Variable(items={0: unknown}, name_span=span, value_span=span))
        world.settle(None, False)
        return
    delimiter = options.get("d", "\n") or "\0"
    end = text.find(delimiter[:1]) if delimiter != "\0" else -1
    line = value if end < 0 else cut(value, 0, end)
    world.stdin = () if end < 0 else cut(value, end + 1, len(text))
    if "r" not in options and "\\" in (known(line) or ""):
        line = (Piece(_unescaped(known(line) or ""), span, False),)
    ifs = separators(world)
    if array:
        values = split([(piece, SPLIT) for piece in line], ifs)
        session.spend_words(len(values))
        items: dict[int | str, Value] = dict(enumerate(values))
        world.set(array, Variable(items=items, name_span=span, value_span=span))
    elif len(targets) == 1 and targets[0][0] == "REPLY" and not names:
        assign_scalar(session, world, "REPLY", line, AssignedAt(span, span))
    else:
        _distribute(session, world, line, targets, ifs, span)
    world.settle(0 if end >= 0 else 1)


def _whole(
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
    pieces = list(value)
    while pieces and isinstance(pieces[0].text, str):
        text = pieces[0].text
        start = len(text) - len(text.lstrip(ifs)) if ifs else 0
        if start < len(text):
            pieces[0] = part(pieces[0], start, len(text))
            break
        pieces.pop(0)
    while pieces and isinstance(pieces[-1].text, str):
        text = pieces[-1].text
        end = len(text.rstrip(ifs)) if ifs else len(text)
        if end:
            pieces[-1] = part(pieces[-1], 0, end)
            break
        pieces.pop()
    return tuple(pieces)


def _unescaped(text: str) -> str:
    result: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        if at < len(text):
            result.append(text[at])
        at += 1
    return "".join(result)


def _distribute(
    session: Session,
    world: World,
    line: Value,
    targets: Sequence[tuple[str, Span]],
    ifs: str,
    span: Span,
) -> None:
    """Splits a line: the last name takes what is left."""
    rest = line
    for index, (name, where) in enumerate(targets):
        text = known(rest) or ""
        blanks = "".join(c for c in ifs if c in " \t\n")
        start = len(text) - len(text.lstrip(blanks)) if blanks else 0
        end = len(text)
        following = end
        if index == len(targets) - 1:
            end = max(len(text.rstrip(blanks)), start) if blanks else end
            last = split([(piece, SPLIT) for piece in cut(rest, start, end)], ifs)
            if len(last) == 1 and end > start and text[end - 1] in ifs:
                end -= 1
        else:
            for at in range(start, len(text)):
                if text[at] in ifs:
                    end = at
                    following = at
                    while following < len(text) and text[following] in blanks:
                        following += 1
                    if following < len(text) and text[following] in set(ifs) - set(blanks):
                        following += 1
                    break
        value = cut(rest, start, end) if text else ()
        if name.isidentifier():
            where_value = Span(value[0].span.start, value[-1].span.end) if value else span
            if where_value.end < where_value.start:
                where_value = span
            assign_scalar(session, world, name, value, AssignedAt(where, where_value))
        rest = cut(rest, following, len(text)) if text else ()


def mapfile(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `mapfile`."""
    options, names = _options(words, _MAPFILE_WITH)
    name = (known(names[0].pieces) if names else None) or "MAPFILE"
    value = world.stdin
    text = None if value is None else known(value)
    items: dict[int | str, Value] = {}
    if value is None or text is None or options.keys() & {"d", "n", "O", "s", "u", "C", "c"}:
        items[0] = hole("command", "lines read from input", span)
        world.settle(None)
    else:
        at = 0
        while at < len(text):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            keep = stop if "t" in options else min(stop + 1, len(text))
            items[len(items)] = cut(value, at, keep)
            session.spend(0, 1 + len(value))
            at = stop + 1
        session.spend_words(len(items))
        world.stdin = ()
        world.settle(0)
    if name.isidentifier():
        world.set(name, Variable(items=items, name_span=span, value_span=span))


def getopts(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `getopts`."""
    spec = known(words[0].pieces) if words else None
    name = known(words[1].pieces) if len(words) > 1 else None
    if spec is None or name is None or not name.isidentifier():
        world.settle(None, False)
        return
    if session.needs_arguments and isinstance(world.positional, OpenArguments):
        for variable, reason in ((name, "an option"), ("OPTARG", "value of an option")):
            value = hole("argument", reason, span, variable)
            assign_scalar(session, world, variable, value, AssignedAt(span, span))
        world.settle(None, False)
        return
    arguments = [word.pieces for word in words[2:]] or list(world.positional)
    index = known(scalar(session, world, "OPTIND", span) or ()) or "1"
    place = world.variables.get("_rlbot_getopts_place")
    offset = int(known(place.value or ()) or "1") if place else 1
    at = int(index) if index.isdigit() else 1

    def settle(letter: str, argument: Value | None, following: int, inner: int) -> None:
        one = (Piece(letter, span, False),)
        assign_scalar(session, world, name, one, AssignedAt(span, span))
        if argument is None:
            world.remove("OPTARG")
        else:
            assign_scalar(session, world, "OPTARG", argument, AssignedAt(span, span))
        world.set("OPTIND", Variable((Piece(str(following), span, False),)))
        world.set("_rlbot_getopts_place", Variable((Piece(str(inner), span, False),)))

    text = known(arguments[at - 1]) if at <= len(arguments) else None
    if text is None and at <= len(arguments):
        world.settle(None, False)
        return
    if text is None or len(text) < 2 or text[0] != "-" or text == "--":
        settle("?", None, at + (1 if text == "--" else 0), 1)
        world.settle(1)
        return
    letter = text[offset]
    silent = spec.startswith(":")
    where = spec.find(letter, 1 if silent else 0) if letter != ":" else -1
    last = offset + 1 >= len(text)
    world.settle(0)
    if where < 0:
        unknown = (Piece(letter, span, False),) if silent else None
        settle("?", unknown, at + 1 if last else at, 1 if last else offset + 1)
    elif spec[where + 1 : where + 2] == ":":
        if not last:
            whole = arguments[at - 1]
            settle(letter, cut(whole, offset + 1, len(text)), at + 1, 1)
        elif at < len(arguments):
            settle(letter, arguments[at], at + 2, 1)
        else:
            unknown = (Piece(letter, span, False),) if silent else None
            settle(":" if silent else "?", unknown, at + 1, 1)
    else:
        settle(letter, None, at + 1 if last else at, 1 if last else offset + 1)
