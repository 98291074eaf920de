"""What `echo` and `printf` write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.shell.limits import LimitReached
from bot.shell.quoting import decode_echo, quote_shell
from bot.shell.session import Session, hole
from bot.shell.source import Span
from bot.shell.state import Value, known
from bot.shell.words import Piece, Word

_FLAGS = re.compile(r"-[neE]+")
_DIRECTIVE = re.compile(r"%([-+ #0]*)(\*|[0-9]+)?(?:\.(\*|[0-9]*))?([a-zA-Z%]|\([^)]*\)T)")
_MAX_WIDTH = 4096


def echo(words: Sequence[Word], span: Span) -> Value:
    """The output of echo, with the pieces of its arguments."""
    newline = True
    escapes = False
    at = 0
    while at < len(words):
        text = known(words[at].pieces)
        if text is None or not _FLAGS.fullmatch(text):
            break
        newline = newline and "n" not in text
        for letter in text[1:]:
            escapes = letter == "e" if letter in "eE" else escapes
        at += 1
    pieces: list[Piece] = []
    for index, word in enumerate(words[at:]):
        if index:
            pieces.append(Piece(" ", Span(word.span.start, word.span.start), False))
        pieces.extend(word.pieces)
    if newline:
        pieces.append(Piece("\n", span, False))
    if not escapes or not any("\\" in str(piece.text) for piece in pieces):
        return tuple(pieces)
    whole = known(tuple(pieces))
    if whole is None:
        return hole("command", "output of echo -e", span)
    text, _ = decode_echo(whole)
    return (Piece(text, span, False),)


class Refused(Exception):  # noqa: N818 - a signal inside the reader
    """The reader does not carry out the format."""


def printf(session: Session, words: Sequence[Word], span: Span) -> Value:
    """The output of printf; a hole when its format or a number is unknown."""
    if words and known(words[0].pieces) == "--":
        words = words[1:]
    if not words:
        return ()
    template = known(words[0].pieces)
    if template is None:
        return hole("command", "output of printf", span)
    arguments = [word.pieces for word in words[1:]]
    pieces: list[Piece] = []
    used = 0
    characters = 0
    try:
        while True:
            output, taken, ended = _once(template, arguments[used:], span)
            pieces.extend(output)
            used += taken
            characters += sum(len(str(piece.text)) for piece in output)
            if characters > session.limits.expansion:
                limit = session.limits.expansion
                raise LimitReached("expansion", limit, span.start, span.end)
            if ended or used >= len(arguments) or not taken:
                return tuple(piece for piece in pieces if piece.text != "")
    except Refused:
        return hole("command", "output of printf", span)


def _once(template: str, arguments: Sequence[Value], span: Span) -> tuple[list[Piece], int, bool]:
    """One pass over the format: the output, arguments used, and whether it is ended early."""
    pieces: list[Piece] = []
    taken = 0
    at = 0

    def take() -> Value:
        nonlocal taken
        taken += 1
        return arguments[taken - 1] if taken <= len(arguments) else ()

    def number(value: Value) -> int:
        text = known(value)
        if text is None:
            raise Refused
        return _integer(text)

    while at < len(template):
        stop = template.find("%", at)
        stop = len(template) if stop < 0 else stop
        if stop > at:
            text, ended = decode_echo(_format_escapes(template[at:stop]))
            pieces.append(Piece(text, span, False))
            if ended:
                return pieces, taken, True
        if stop == len(template):
            break
        found = _DIRECTIVE.match(template, stop)
        if not found:
            raise Refused
        at = found.end()
        flags, width, precision, letter = found.groups()
        if letter == "%":
            pieces.append(Piece("%", span, False))
            continue
        wide = number(take()) if width == "*" else int(width or "0")
        exact = (
            None
            if precision is None
            else (number(take()) if precision == "*" else int(precision or "0"))
        )
        if wide > _MAX_WIDTH or (exact or 0) > _MAX_WIDTH:
            raise Refused
        value = take()
        plain = letter == "s" and not wide and exact is None
        if plain:
            pieces.extend(value)
            continue
        pieces.append(Piece(_directive(letter, flags, wide, exact, value, number), span, False))
    return pieces, min(taken, max(len(arguments), 0)) if arguments else 0, False


def _directive(
    letter: str,
    flags: str,
    width: int,
    precision: int | None,
    value: Value,
    number: object,
) -> str:
    text = known(value)
    if text is None:
        raise Refused
    left = "-" in flags
    if letter in "sbq":
        if letter == "b":
            text, _ = decode_echo(text)
        elif letter == "q":
            text = quote_shell(text)
        if precision is not None:
            text = text[:precision]
        return text.ljust(width) if left else text.rjust(width)
    if letter == "c":
        return text[:1].ljust(width) if left else text[:1].rjust(width)
    spec = "%" + flags + (str(width) if width else "")
    if precision is not None:
        spec += f".{precision}"
    if letter in "di":
        return (spec + "d") % _integer(text)
    if letter == "u":
        return (spec + "d") % (_integer(text) & 0xFFFFFFFFFFFFFFFF)
    if letter in "xXo":
        if "#" in flags and letter == "o":
            raise Refused
        return (spec + letter) % (_integer(text) & 0xFFFFFFFFFFFFFFFF)
    if letter in "fFeEgG":
        try:
            return (spec + letter) % float(text or "0")
        except ValueError:
            raise Refused from None
    raise Refused


def _integer(text: str) -> int:
    text = text.strip()
    if not text:
        return 0
    if text[0] in "'\"":
        return ord(text[1]) if len(text) > 1 else 0
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    try:
        if digits[:2].lower() == "0x":
            return sign * int(digits, 16)
        return sign * int(digits, 8 if digits[:1] == "0" and len(digits) > 1 else 10)
    except ValueError:
        raise Refused from None


def _format_escapes(text: str) -> str:
    """The octal escapes of a printf format, which need no leading zero, unlike those of echo."""
    return re.sub(r"\\(\\|0?[0-7]{1,3}|\"|')", _octal, text)


def _octal(found: re.Match[str]) -> str:
    digits = found.group(1)
    if digits == "\\":
        return "\\\\"
    if digits in "\"'":
        return digits
    character = chr(int(digits[:3], 8) & 0xFF)
    return "\\\\" if character == "\\" else character + digits[3:]
