"""Edits that several rules offer."""

from __future__ import annotations

from bot.base.regex import regex
from bot.rules._support.base import RuleContext, TextEdit
from bot.shell.source import Span
from bot.shell.words import Word

_LINE = regex(r"[ \t]*\Z")
_END = regex(r"[ \t]*(?:(\\)[ \t]*)?\r?(?:\n|\Z)")


def without_word(context: RuleContext, word: Word) -> tuple[TextEdit, ...]:
    """The edit that removes a word of a command; none where that is not sure to be all.

    A word that has a line to itself goes with the line. The last word of a command is left alone,
    since the backslash of the line above it would then join what follows.
    """
    text, span = context.source.text, word.span
    inside = {piece.span for piece in word.pieces}
    if not all(span.start <= place.start and place.end <= span.end for place in inside):
        return ()  # The word came through a variable or an array.
    start = text.rfind("\n", 0, span.start) + 1
    after = _END.match(text, span.end)
    if _LINE.match(text[start : span.start]) and after:
        if not after[1]:
            return ()
        return (TextEdit(span=Span(start, after.end()), text=""),)
    if text[span.end : span.end + 1] == " ":
        return (TextEdit(span=Span(span.start, span.end + 1), text=""),)
    return ()


def first_line_after_shebang(context: RuleContext) -> int:
    """The offset where a line can be put in: the start, or below the shebang and the comments."""
    source = context.source
    for number in range(1, source.lines + 1):
        if not source.line(number).startswith("#"):
            return source.offset(number, 1)
    return len(source.text)
