"""The escapes of `$'...'` strings, and of what `echo -e` and `printf` write."""

from __future__ import annotations

import re

from bot.base.regex import regex

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_CODED = regex(
    r"x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)", re.DOTALL
)
_RUN = regex(r"[^\\']+")


def decode_ansi(text: str, start: int, end: int) -> tuple[str, int]:
    """The value of a `$'...'` string whose text starts at `start`, and where its quote closes.

    The place is -1 when the string is never closed.
    """
    parts: list[str] = []
    at = start
    while at < end:
        found = _RUN.match(text, at, end)
        if found:
            parts.append(found.group())
            at = found.end()
            continue
        if text[at] == "'":
            # A NUL ends the string, as in C.
            return "".join(parts).split("\0")[0], at
        if at + 1 >= end:
            break
        value, at = _escape(text, at + 1, end)
        parts.append(value)
    return "", -1


def _escape(text: str, at: int, end: int) -> tuple[str, int]:
    """The value of the escape whose letter is at `at`, and where the text goes on."""
    letter = text[at]
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 1
    found = _CODED.match(text, at, end)
    if not found:
        return "\\" + letter, at + 1
    hexadecimal, octal, short, long, control = found.groups()
    if control is not None:
        return chr(ord(control.upper()) & 0x1F), found.end()
    code = int(octal, 8) & 0xFF if octal else int(hexadecimal or short or long, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}", found.end()
    if (octal or hexadecimal) and code >= 0x80:
        # One byte of a sequence that need not be text: gather the bytes that follow.
        return _bytes(text, at, end)
    return chr(code), found.end()


def _bytes(text: str, at: int, end: int) -> tuple[str, int]:
    gathered = bytearray()
    while True:
        found = re.compile(r"x([0-9A-Fa-f]{1,2})|([0-7]{1,3})").match(text, at, end)
        if not found:
            at -= 1
            break
        hexadecimal, octal = found.groups()
        gathered.append(int(octal, 8) & 0xFF if octal else int(hexadecimal, 16))
        at = found.end()
        if not text.startswith("\\", at, end):
            break
        at += 1
    return gathered.decode("utf-8", "replace"), at


def decode_echo(text: str) -> tuple[str, bool]:
    """The text that `echo -e` or `%b` of printf writes, and whether it ends the output early."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        stop = text.find("\\", at)
        if stop < 0 or stop + 1 >= len(text):
            parts.append(text[at:])
            break
        parts.append(text[at:stop])
        letter = text[stop + 1]
        if letter == "c":
            return "".join(parts), True
        if letter in "'\"?":
            parts.append("\\" + letter)
            at = stop + 2
        elif letter == "0":
            found = re.compile(r"[0-7]{0,3}").match(text, stop + 2)
            digits = found.group() if found else ""
            parts.append(chr(int(digits or "0", 8) & 0xFF))
            at = stop + 2 + len(digits)
        else:
            value, at = _escape(text, stop + 1, len(text))
            parts.append(value)
    return "".join(parts), False
