"""Operators that change a value: `#`, `%`, `/`, `^`, `,`, slices and `@`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.shell.expand.numbers import Unknown, evaluate
from bot.shell.expand.patterns import Pattern
from bot.shell.limits import NotEvaluated
from bot.shell.parse.syntax import Parameter, WordNode
from bot.shell.pieces import Value, cut, cuts, first_hole, known, part, size
from bot.shell.source import Span
from bot.shell.words import Hole, Piece
from bot.shell.world.fields import PROTECTED, WHOLE, Atom
from bot.shell.world.session import CommandFault, ExpansionFault, Session, hole
from bot.shell.world.state import World


def transform(session: Session, world: World, node: Parameter, value: Value, span: Span) -> Value:
    """The value of `${X<operator>…}` for a value of X."""
    operator = node.operator
    if operator == ":":
        return _slice(session, world, node, value, span)
    if operator == "@":
        return _at(session, node, value, span)
    symbols = _symbols(session, world, node.argument)
    if symbols is None:
        return _lost(value, span)
    text = known(value)
    if text is None:
        shortened = _around_holes(operator, symbols, value)
        return _lost(value, span) if shortened is None else shortened
    session.spend(len(text), 1 + len(symbols))
    try:
        if operator[0] in "#%":
            return _remove(session, operator, symbols, value, text)
        if operator[0] == "/":
            return _replace(session, world, node, symbols, value)
        return _convert(session, operator, symbols, value)
    except NotEvaluated:
        session.unsupported("patterns such as @(a|b) are not evaluated", span)
        return hole("unsupported", "pattern with a group", span)


def _lost(value: Value, span: Span) -> Value:
    """The hole that a changed value with a hole becomes."""
    reason = first_hole(value) or Hole("unsupported", "pattern with an unknown part")
    via = next((p.via for p in value if isinstance(p.text, Hole)), ())
    return (Piece(reason, span, False, False, via),)


def _symbols(
    session: Session, world: World, node: WordNode | None
) -> list[tuple[str, bool]] | None:
    """The characters of a pattern, each with whether it is quoted; None with a hole in it."""
    if node is None:
        return []
    parts = session.tildes(session, world, node.parts) if node.tilde else node.parts
    return symbols_of(session.expand(session, world, parts, WHOLE))


def symbols_of(atoms: list[Atom]) -> list[tuple[str, bool]] | None:
    """Atoms as the characters of a pattern; None with a hole among them."""
    symbols: list[tuple[str, bool]] = []
    for piece, mode in atoms:
        if not isinstance(piece.text, str):
            return None
        symbols.extend((character, mode == PROTECTED) for character in piece.text)
    return symbols


def _around_holes(operator: str, symbols: list[tuple[str, bool]], value: Value) -> Value | None:
    """What `${X##*/}`, `${X%/*}` and `${X%.sh}` leave of a value with holes, where that is certain.

    The text behind the last `/` does not depend on what stands before it.
    """
    star = ("*", False)
    if len(symbols) == 2:
        if operator == "##" and symbols[0] == star:
            found = _last_mark(value, symbols[1][0])
            return None if found is None else _behind(value, *found)
        if operator == "%" and symbols[1] == star:
            found = _last_mark(value, symbols[0][0])
            return None if found is None else _before(value, *found)
    tail = value[-1].text
    if operator not in ("%", "%%") or not isinstance(tail, str):
        return None
    if any(character in "*?[@+!" and not quoted for character, quoted in symbols):
        return None
    suffix = "".join(character for character, _ in symbols)
    if tail.endswith(suffix):
        return _before(value, len(value) - 1, len(tail) - len(suffix))
    return value if len(tail) >= len(suffix) else None


def _last_mark(value: Value, mark: str) -> tuple[int, int] | None:
    """The piece and the place in it of the last `mark`; None where a hole may hide it."""
    for index in range(len(value) - 1, -1, -1):
        text = value[index].text
        if not isinstance(text, str):
            return None
        at = text.rfind(mark)
        if at >= 0:
            return index, at
    return None


def _before(value: Value, index: int, at: int) -> Value:
    return value[:index] + ((part(value[index], 0, at),) if at else ())


def _behind(value: Value, index: int, at: int) -> Value:
    end = len(str(value[index].text))
    head = (part(value[index], at + 1, end),) if at + 1 < end else ()
    return head + value[index + 1 :]


def _remove(
    session: Session, operator: str, symbols: list[tuple[str, bool]], value: Value, text: str
) -> Value:
    backwards = operator[0] == "%"
    pattern = Pattern(symbols, session.work, backwards=backwards)
    lengths = pattern.lengths(text[::-1] if backwards else text)
    length = next(iter(lengths), -1) if len(operator) == 1 else max(lengths, default=-1)
    if length <= 0:
        return value
    return cut(value, 0, len(text) - length) if backwards else cut(value, length)


def _replace(
    session: Session,
    world: World,
    node: Parameter,
    symbols: list[tuple[str, bool]],
    value: Value,
) -> Value:
    """`${X/pattern/replacement}` of a known value."""
    atoms = session.expand(session, world, node.second.parts, WHOLE) if node.second else []
    if any(
        mode != PROTECTED and isinstance(piece.text, str) and not {"&", "\\"}.isdisjoint(piece.text)
        for piece, mode in atoms
    ):
        # `&` stands for what was matched from bash 5.2 on, and for itself before.
        return hole("unsupported", "`&` or a backslash in a replacement", node.span)
    text = known(value) or ""
    found = _matches(session, node.operator, symbols, text)
    if not found:
        return value
    session.spend(len(text) + len(found) * max(1, size(tuple(a[0] for a in atoms))), len(found))
    put = tuple(piece for piece, _ in atoms if piece.text != "")
    starts, ends = zip(*found, strict=True)
    kept = cuts(value, zip((0, *ends), (*starts, len(text)), strict=True))
    return (*next(kept), *(piece for left in kept for piece in (*put, *left)))


def _matches(
    session: Session, operator: str, symbols: list[tuple[str, bool]], text: str
) -> list[tuple[int, int]]:
    """What the pattern of `${X/…}` matches."""
    if not symbols and operator in ("/", "//"):
        return []
    if operator == "/" and symbols[0] in (("#", False), ("%", False)):
        operator += symbols[0][0]
        symbols = symbols[1:]
    if operator in ("/%", "/#"):
        backwards = operator == "/%"
        pattern = Pattern(symbols, session.work, backwards=backwards)
        length = max(pattern.lengths(text[::-1] if backwards else text), default=-1)
        if length < 0:
            return []
        return [(len(text) - length, len(text)) if backwards else (0, length)]
    pattern = Pattern(symbols, session.work)
    if not text:
        return [(0, 0)] if pattern.matches(text) else []
    found: list[tuple[int, int]] = []
    at = 0
    while (match := pattern.first(text, at)) is not None:
        found.append(match)
        session.spend(0, 1 + (match[1] - at) // 4)
        at = match[1] if match[1] > match[0] else match[1] + 1
        if operator == "/" or at > len(text):
            return found
    session.spend(0, 1 + (len(text) - at) // 4)
    return found


def _convert(
    session: Session, operator: str, symbols: list[tuple[str, bool]], value: Value
) -> Value:
    pattern = Pattern(symbols, session.work) if symbols else None
    change = str.upper if operator[0] == "^" else str.lower
    result: list[Piece] = []
    at = 0
    for piece in value:
        old = piece.text
        if not isinstance(old, str):
            continue
        new = "".join(
            _convert_one(change, c)
            if (len(operator) == 2 or at + k == 0) and (pattern is None or pattern.matches(c))
            else c
            for k, c in enumerate(old)
        )
        at += len(old)
        result.append(piece if new == old else replace(piece, text=new, literal=False))
    return tuple(result)


def _convert_one(change: Callable[[str], str], character: str) -> str:
    """One character in the other case; bash leaves alone what would become several."""
    changed = change(character)
    return changed if len(changed) == 1 else character


def _slice(session: Session, world: World, node: Parameter, value: Value, span: Span) -> Value:
    text = known(value)
    if text is None:
        return _lost(value, span)
    try:
        start = evaluate(session, world, node.argument, span) if node.argument else 0
        length = evaluate(session, world, node.second, span) if node.second else None
    except Unknown as unknown:
        return unknown.value(span)
    if start < 0:
        start += len(text)
        if start < 0:
            return ()
    if start > len(text):
        return ()
    end = len(text) if length is None else length + (start if length >= 0 else len(text))
    if end < start:
        raise CommandFault("substring expression < 0")
    return cut(value, start, end)


def _at(session: Session, node: Parameter, value: Value, span: Span) -> Value:
    letter = session.text(node.argument) if node.argument else ""
    if known(value) is None:
        return _lost(value, span)
    if letter not in tuple("QULuEPAKak"):
        raise ExpansionFault("bad substitution")
    session.unsupported(f"the transformation @{letter} is not evaluated", span)
    return hole("unsupported", f"transformation @{letter}", span)
