"""`[ … ]` and `test`."""

from __future__ import annotations

from bot.shell.pieces import known
from bot.shell.run.verdicts import (
    COMPARE,
    TestFault,
    Truth,
    binary,
    both,
    empty,
    negated,
    plain_number,
    unary,
    without_arguments,
)
from bot.shell.words import Word
from bot.shell.world.session import Session
from bot.shell.world.state import World

_FILES = frozenset("abcdefghkprsuwxGLNOS")


class _Arguments:
    """The arguments of `[`, by the rules that POSIX gives for their number."""

    def __init__(self, session: Session, world: World, words: list[Word]) -> None:
        self.session = session
        self.world = world
        self.words = words

    def text(self, at: int) -> str | None:
        return known(self.words[at].pieces) if at < len(self.words) else None

    def whole(self) -> Truth:
        count = len(self.words)
        if count == 0:
            return Truth(False)
        if count == 1:
            return negated(empty(self.words[0].pieces))
        if count == 2:
            return self._two(0)
        if count == 3:
            return self._three(0)
        if count == 4 and self.text(0) == "!":
            return negated(self._three(1))
        # What joins conditions is not evaluated; no launch of public scripts depends on it.
        if {None, "-a", "-o", "!", "("}.isdisjoint(map(self.text, range(count))):
            raise TestFault("too many arguments")
        return Truth(None)

    def _two(self, at: int) -> Truth:
        operator = self.text(at)
        if operator == "!":
            return empty(self.words[at + 1].pieces)
        if operator and _is_unary(operator):
            return unary(self.session, self.world, operator, self.words[at + 1].pieces)
        if operator is None:
            return Truth(None)
        raise TestFault(f"{operator}: unary operator expected")

    def _three(self, at: int) -> Truth:
        operator = self.text(at + 1)
        left, right = self.words[at].pieces, self.words[at + 2].pieces
        if operator and _is_binary(operator):
            return binary(operator, left, right, plain_number)
        if operator == "-a":
            return both(negated(empty(left)), negated(empty(right)))
        if operator == "-o":
            return negated(both(empty(left), empty(right)))
        if self.text(at) == "!":
            return negated(self._two(at + 1))
        if self.text(at) == "(" and self.text(at + 2) == ")":
            return negated(empty(self.words[at + 1].pieces))
        if operator is None:
            return Truth(None)
        raise TestFault(f"{operator}: binary operator expected")


def _is_unary(text: str) -> bool:
    return len(text) == 2 and text[0] == "-" and (text[1] in _FILES or text[1] in "znovtR")


def _is_binary(text: str) -> bool:
    return text in ("=", "==", "!=", "<", ">", "-nt", "-ot", "-ef") or text in COMPARE


def evaluate_test(session: Session, world: World, words: list[Word]) -> Truth:
    """The outcome of `test words…`.

    Raises:
        TestFault: the words are no condition; the status is 2.

    """
    given = [Word(without_arguments(session, word.pieces), word.span) for word in words]
    truth = _Arguments(session, world, given).whole()
    return Truth(None) if any(map(_is_of_any_number, words)) else truth


def _is_of_any_number(word: Word) -> bool:
    """Whether a word with text in quotes may be others too, `"${A[@]}*"`: with more `[` may fail.

    An unknown value that stands outside of quotes is taken for one word, as in `[ x$A = x ]`.
    """
    return word.several and any(one.quoted for one in word.pieces)
