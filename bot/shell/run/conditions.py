"""`[[ … ]]`, and matching against patterns."""

from __future__ import annotations

from functools import partial

from bot.shell.expand.expansion import pattern_of, text_of
from bot.shell.expand.patterns import Pattern
from bot.shell.expand.regular import search
from bot.shell.expand.transformations import symbols_of
from bot.shell.limits import NotEvaluated
from bot.shell.parse.syntax import Condition, Logic, Test
from bot.shell.pieces import Value, known
from bot.shell.run.verdicts import (
    Truth,
    about,
    arithmetic_number,
    binary,
    both,
    empty,
    equal,
    negated,
    unary,
    without_arguments,
)
from bot.shell.words import Piece
from bot.shell.world.session import ExpansionFault, Session, hole
from bot.shell.world.state import ShellVariable, World


def evaluate_condition(session: Session, world: World, node: Condition) -> Truth:
    """The outcome of what stands between `[[` and `]]`.

    Raises:
        ExpansionFault: where bash would report an error.

    """
    if isinstance(node, Logic):
        if node.operator == "!":
            return negated(evaluate_condition(session, world, node.operands[0]))
        # `a || b` is read as `! (! a && ! b)`.
        either = node.operator == "||"
        verdict = Truth(True)
        for operand in node.operands:
            outcome = evaluate_condition(session, world, operand)
            verdict = both(verdict, negated(outcome) if either else outcome)
            if verdict.outcome is False:
                break
        return negated(verdict) if either else verdict
    return _primary(session, world, node)


def _primary(session: Session, world: World, node: Test) -> Truth:
    left = without_arguments(session, text_of(session, world, node.operands[0]))
    if not node.operator:
        return negated(empty(left))
    if len(node.operands) == 1:
        return unary(session, world, node.operator, left)
    if node.operator == "=~":
        return _regex(session, world, node, left)
    if node.operator not in ("=", "==", "!="):
        right = without_arguments(session, text_of(session, world, node.operands[1]))
        try:
            return binary(node.operator, left, right, partial(arithmetic_number, session, world))
        except ExpansionFault:
            return Truth(False)
    verdict = match(session, left, pattern_of(session, world, node.operands[1]))
    return negated(verdict) if node.operator == "!=" else verdict


def match(session: Session, value: Value, atoms: list[tuple[Piece, int]]) -> Truth:
    """Whether a value matches a pattern."""
    symbols = symbols_of(atoms)
    pattern_value = tuple(piece for piece, _ in atoms if piece.text != "")
    if symbols is None:
        return about("~", value, pattern_value)
    active = any(not quoted and c in "*?[\\+@!" for c, quoted in symbols)
    if not active:
        return equal(value, pattern_value)
    text = known(value)
    if text is None:
        if all(symbol == ("*", False) for symbol in symbols):
            return Truth(True)
        return about("~", value, pattern_value)
    session.spend(len(text), 1 + len(symbols))
    try:
        return Truth(Pattern(symbols, session.work).matches(text))
    except NotEvaluated:
        return Truth(None)


def _regex(session: Session, world: World, node: Test, left: Value) -> Truth:
    span = node.span
    groups = hole("unsupported", "what a regular expression matched", span)
    world.set("BASH_REMATCH", ShellVariable(groups, name_span=span, value_span=span, spoiled=True))
    pattern = pattern_of(session, world, node.operands[1])
    symbols, text = symbols_of(pattern), known(left)
    if symbols is not None and text is not None:
        session.spend(len(text), 1 + len(symbols))
        try:
            return Truth(search(symbols, text, session.work))
        except NotEvaluated:
            pass  # As one of a value that nobody can know.
    return about("=~", left, tuple(piece for piece, _ in pattern))
