"""What `echo` and `printf` write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.base.regex import regex
from bot.shell.limits import LimitReached, NotEvaluated
from bot.shell.pieces import Value, computed, joined, known
from bot.shell.quoting import decode_echo
from bot.shell.source import Span
from bot.shell.words import Piece, Word
from bot.shell.world.session import Session, hole

_FLAGS = regex(r"-[neE]+")
_DIRECTIVE = regex(r"%([-+ #0]*)(\*|[1-9][0-9]*)?(?:\.(\*|[0-9]*))?([a-zA-Z%]|\([^)]{0,500}\)T)")
_OTHER_ESCAPES = regex(r"\\[0-7\"']")
"""Those that a format knows and echo does not, or reads otherwise."""
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
    output = joined(words[at:])
    if newline:
        output += computed("\n", span)
    if not escapes or not any("\\" in str(piece.text) for piece in output):
        return output
    whole = known(output)
    if whole is None:
        return hole("command", "output of echo -e", span)
    text, _ = decode_echo(whole)
    return computed(text, span)


def printf(session: Session, words: Sequence[Word], span: Span) -> Value | None:
    """The output of printf; None when its format or a number is unknown, or none."""
    if words and known(words[0].pieces) == "--":
        words = words[1:]
    if not words:
        return ()
    template = known(words[0].pieces)
    if template is None:
        return None
    output = _Output([word.pieces for word in words[1:]], span)
    try:
        while True:
            before = output.taken
            ended = output.add(template)
            if output.characters > session.limits.expansion:
                raise LimitReached("expansion", session.limits, span)
            left = output.taken < len(output.arguments)
            if ended or not left or output.taken == before:
                return tuple(piece for piece in output.pieces if piece.text != "")
    except NotEvaluated:
        return None


class _Output:
    """What printf has written, and the arguments that it has used."""

    def __init__(self, arguments: Sequence[Value], span: Span) -> None:
        self.arguments = arguments
        self.span = span
        self.taken = 0
        self.pieces: list[Piece] = []
        self.characters = 0

    def add(self, template: str) -> bool:
        """Adds one pass over the format; True when it ends the output."""
        at = 0
        for found in _DIRECTIVE.finditer(template):
            if self._text(template[at : found.start()]):
                return True
            at = found.end()
            self._directive(found)
        return self._text(template[at:])

    def _write(self, pieces: Sequence[Piece]) -> None:
        self.pieces.extend(pieces)
        self.characters += sum(len(str(piece.text)) for piece in pieces)

    def _text(self, text: str) -> bool:
        """Adds text of the format; True when it ends the output."""
        if "%" in text or _OTHER_ESCAPES.search(text):
            raise NotEvaluated
        text, ended = decode_echo(text)
        self._write(computed(text, self.span))
        return ended

    def _take(self) -> Value:
        self.taken += 1
        return self.arguments[self.taken - 1] if self.taken <= len(self.arguments) else ()

    def _number(self, text: str) -> int:
        """A width or precision: digits, or `*` for the next argument."""
        number = _integer(_known_text(self._take()) if text == "*" else text)
        if number > _MAX_WIDTH:
            raise NotEvaluated
        return number

    def _directive(self, found: re.Match[str]) -> None:
        flags, width, precision, letter = found.groups()
        if letter == "%":
            self._write(computed("%", self.span))
            return
        wide = self._number(width or "")
        exact = -1 if precision is None else self._number(precision)
        value = self._take()
        if letter == "s" and not wide and exact < 0:
            self._write(value)
            return
        spec = f"%{flags}{wide or ''}{'' if exact < 0 else f'.{exact}'}"
        self._write(computed(_formatted(spec, letter, _known_text(value)), self.span))


def _known_text(value: Value) -> str:
    text = known(value)
    if text is None:
        raise NotEvaluated
    return text


def _formatted(spec: str, letter: str, text: str) -> str:
    """A text under a directive, whose flags, width and precision `spec` has."""
    if letter in "sb":
        return (spec + "s") % (decode_echo(text)[0] if letter == "b" else text)
    if letter in "di":
        return (spec + "d") % _integer(text)
    if letter in "fFeEgG":
        try:
            return (spec + letter) % float(text or "0")
        except ValueError:
            raise NotEvaluated from None
    raise NotEvaluated


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
        raise NotEvaluated from None
