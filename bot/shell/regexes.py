"""The extended regular expressions of `=~`, matched without backtracking.

An expression is compiled to a small program whose states are followed all at once (Pike's virtual
machine), so that the time grows with its length times that of the text, whatever it repeats. Of the
matches the leftmost counts, and of those the longest, as POSIX.1-2017, section 9.1, asks. What the
dialects of regcomp leave open is not evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from bot.shell.limits import NotEvaluated
from bot.shell.patterns import Accepts, Symbols
from bot.shell.regex_tree import (
    Alternation,
    Anchor,
    Capture,
    One,
    RegexNode,
    RegexParser,
    Repeat,
    Sequenced,
)

_STATES: Final = 2_000
"""Instructions of a program at most; `(a{99}){99}` would be some 10,000."""
_WORK: Final = 500_000
"""Instructions that one search carries out at most."""


def search(
    symbols: Symbols, text: str, work: Callable[[int], None]
) -> tuple[bool, list[str] | None] | None:
    """Whether there is a match, and it with its groups; None when that is not evaluated.

    Quoted characters stand for themselves. The groups are None where which of several equally good
    ways counts differs between implementations. `work` is told how many instructions are to be
    carried out, and may raise.
    """
    parser = RegexParser(symbols)
    try:
        node = parser.whole()
        greedy = _Program(node, parser.groups)
        states = len(greedy.code)
        if states * (len(text) + 1) > _WORK:
            return None
        work(states + states * (len(text) + 1))
        found = greedy.search(text)
        if found is None:
            return False, []
        if parser.groups and not parser.plain:
            work(states + states * (len(text) + 1))
            lazy = _Program(node, parser.groups, greedy=False).search(text)
            if parser.nested or lazy != found:
                return True, None
    except (NotEvaluated, RecursionError):
        return None
    spans = zip(found[::2], found[1::2], strict=True)
    return True, [text[start:end] if end >= 0 else "" for start, end in spans]


@dataclass(frozen=True, slots=True)
class _Read:
    """Go on behind a character that is accepted."""

    accepts: Accepts


@dataclass(frozen=True, slots=True)
class _Fork:
    """Go on at several places, the preferred one first."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Save:
    """Note the position: start of group n in slot 2n, its end in the slot behind."""

    slot: int


@dataclass(frozen=True, slots=True)
class _Match:
    """The whole expression has matched."""


_Instruction: TypeAlias = _Read | _Fork | _Save | Anchor | _Match
_Saved: TypeAlias = tuple[int, ...]
"""Positions by slot; -1 for a group that took no part."""
_Thread: TypeAlias = tuple[int, _Saved]


class _Program:
    """An expression as instructions."""

    def __init__(self, node: RegexNode, groups: int, *, greedy: bool = True) -> None:
        """Compile; `greedy` prefers another round to the end, and the first alternative.

        Raises `NotEvaluated` for a program that is too long.
        """
        self.code: list[_Instruction] = []
        self._greedy = greedy
        self._nothing: _Saved = (-1,) * (2 * groups + 2)
        self._emit(Capture(0, node))
        self._add(_Match())

    def _add(self, instruction: _Instruction) -> int:
        if len(self.code) >= _STATES:
            raise NotEvaluated
        self.code.append(instruction)
        return len(self.code) - 1

    def _fork(self) -> int:
        """A fork whose targets are set later."""
        return self._add(_Fork(()))

    def _aim(self, fork: int, *targets: int) -> None:
        self.code[fork] = _Fork(targets if self._greedy else targets[::-1])

    def _emit(self, node: RegexNode) -> None:
        match node:
            case One(accepts):
                self._add(_Read(accepts))
            case Anchor():
                self._add(node)
            case Sequenced(parts):
                for part in parts:
                    self._emit(part)
            case Alternation(options):
                self._emit_choice(options)
            case Repeat(part, least, most):
                self._emit_repeat(part, least, most)
            case Capture(number, part):
                self._add(_Save(2 * number))
                self._emit(part)
                self._add(_Save(2 * number + 1))

    def _emit_choice(self, options: tuple[RegexNode, ...]) -> None:
        ends: list[int] = []
        for option in options[:-1]:
            fork = self._fork()
            self._emit(option)
            ends.append(self._fork())
            self._aim(fork, fork + 1, len(self.code))
        self._emit(options[-1])
        for end in ends:
            self._aim(end, len(self.code))

    def _emit_repeat(self, part: RegexNode, least: int, most: int | None) -> None:
        for _ in range(least):
            self._emit(part)
        if most is None:
            fork = self._fork()
            self._emit(part)
            self._aim(self._fork(), fork)
            self._aim(fork, fork + 1, len(self.code))
            return
        forks = []
        for _ in range(most - least):
            forks.append(self._fork())
            self._emit(part)
        for fork in forks:
            self._aim(fork, fork + 1, len(self.code))

    def search(self, text: str) -> _Saved | None:
        """Start and end of the leftmost longest match and of its groups; None without one."""
        threads: list[_Thread] = []
        best: _Saved | None = None
        for at in range(len(text) + 1):
            if best is None:
                threads.append((0, self._nothing))
            readers = self._reached(threads, at, len(text))
            threads = []
            for state, saved in readers:
                instruction = self.code[state]
                if isinstance(instruction, _Match):
                    if best is None or (saved[0], -saved[1]) < (best[0], -best[1]):
                        best = saved
                elif isinstance(instruction, _Read) and at < len(text):
                    # Only what begins no later than the best match can still be better.
                    early = best is None or saved[0] <= best[0]
                    if early and instruction.accepts(text[at]):
                        threads.append((state + 1, saved))
            if best is not None and not threads:
                break
        return best

    def _reached(self, threads: list[_Thread], at: int, length: int) -> list[_Thread]:
        """Where the threads come without reading, each place once, the preferred ones first."""
        reached: list[_Thread] = []
        seen: set[int] = set()
        waiting = threads[::-1]
        while waiting:
            state, saved = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            match self.code[state]:
                case _Fork(targets):
                    waiting.extend((target, saved) for target in reversed(targets))
                case _Save(slot):
                    waiting.append((state + 1, (*saved[:slot], at, *saved[slot + 1 :])))
                case Anchor(side):
                    if at == (0 if side == "start" else length):
                        waiting.append((state + 1, saved))
                case _:
                    reached.append((state, saved))
        return reached
