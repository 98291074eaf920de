"""Whether a regular expression can take more than linear time, judged by its structure alone.

Backtracking tries the ways in which an automaton of the pattern can read a text. Their number grows
with the text when one state loops on a word and reaches another one on it that loops on it too (a
polynomial), or when a state comes back to itself on a word in two ways (an exponential): Weber and
Seidl, "On the degree of ambiguity of finite automata", 1991. A search begins at every character,
which is one more loop. What cannot fail any more once it is in a loop is left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

_parser: Any = vars(re)["_parser"]
_c: Any = vars(re)["_constants"]
_compiler: Any = vars(re)["_compiler"]

_EDGE: Final = -1
"""Stands for the beginning of a text among the characters before, for its end among those after."""
_MANY: Final = 500
"""A repetition up to this number is taken for a bounded one: it costs a factor, not a power."""
_STEPS: Final = 20_000
Node: TypeAlias = tuple[int, int]
"""A state, and the class of the character that was read last."""
Atoms: TypeAlias = frozenset[int]


@dataclass(frozen=True, slots=True)
class _Guard:
    """What stands before or after a place without being read."""

    before: bool
    allowed: Atoms
    greedy: bool = False
    """Whether it only says that a possessive repetition took all it could."""


@dataclass
class Automaton:
    """The ways through one pattern; states are numbers, characters are those of a sample."""

    pattern: re.Pattern[Any]
    searched: bool
    """Whether a match may begin anywhere."""
    sample: list[int] = field(default_factory=list)
    free: dict[int, list[tuple[int, _Guard | None]]] = field(default_factory=dict)
    """State to those that are reached without reading."""
    read: dict[int, tuple[Atoms, int]] = field(default_factory=dict)
    """State to the characters it reads and the state after them."""
    groups: dict[int, Any] = field(default_factory=dict)
    safe: set[Node] = field(default_factory=set)
    """Where a match may end, whatever follows; known once the ways are."""
    count: int = 0

    def __post_init__(self) -> None:
        source = self.pattern.pattern
        text = source.decode("latin-1") if isinstance(source, bytes) else source
        points = {0, 9, 10, 11, 13, *range(32, 128), 0x85, 0xA0, 0xB2, 0xE9, 0x2028, 0x4E2D}
        points |= {ord(char) + step for char in text for step in (-1, 0, 1) if ord(char) + step > 0}
        if isinstance(source, bytes):
            points = {point for point in points if point < 256}
        self.sample = sorted(points)
        self.all = frozenset(range(len(self.sample)))
        self.flags = self.pattern.flags
        parsed = _parser.parse(source, self.flags & ~re.DEBUG)
        self.start = self._state()
        self.end = self._sequence(parsed, self.start)

    def _state(self) -> int:
        self.count += 1
        return self.count

    def _free(self, start: int, end: int, guard: _Guard | None = None) -> int:
        self.free.setdefault(start, []).append((end, guard))
        return end

    def _reads(self, start: int, atoms: Atoms) -> int:
        begin, end = self._free(start, self._state()), self._state()
        self.read[begin] = (atoms, end)
        return end

    def _atoms(self, item: Any) -> Atoms:
        """The characters of the sample that one item matches."""
        parsed = _parser.SubPattern(_parser.State(), [item])
        parsed.state.flags = self.flags
        compiled = _compiler.compile(parsed)
        is_bytes = isinstance(self.pattern.pattern, bytes)
        wanted: Callable[[int], Any] = (lambda p: bytes([p])) if is_bytes else chr
        return frozenset(
            at for at, point in enumerate(self.sample) if compiled.fullmatch(wanted(point))
        )

    def _sequence(self, items: Iterable[Any], state: int) -> int:
        for item in items:
            state = self._item(item, state)
        return state

    def _item(self, item: Any, state: int) -> int:
        kind, value = item
        if kind in (_c.LITERAL, _c.NOT_LITERAL, _c.ANY, _c.IN):
            return self._reads(state, self._atoms(item))
        if kind in (_c.BRANCH, _c.GROUPREF_EXISTS):
            end = self._state()
            for branch in value[1] if kind is _c.BRANCH else value[1:]:
                self._free(self._sequence(branch or (), self._free(state, self._state())), end)
            return end
        if kind in (_c.MAX_REPEAT, _c.MIN_REPEAT, _c.POSSESSIVE_REPEAT):
            return self._repeat(value, state, possessive=kind is _c.POSSESSIVE_REPEAT)
        if kind is _c.AT:
            return self._free(state, self._state(), self._at(value))
        if kind in (_c.ASSERT, _c.ASSERT_NOT):
            return self._looking(value, state, wanted=kind is _c.ASSERT)
        return self._sequence(self._inside(kind, value), state)

    def _inside(self, kind: Any, value: Any) -> Any:
        """What a group holds, or one that is referred to."""
        if kind is _c.SUBPATTERN:
            self.groups[value[0]] = value[3]
            return value[3]
        if kind is _c.GROUPREF:
            return self.groups[value]
        if kind is _c.ATOMIC_GROUP:
            return value
        raise NotImplementedError(str(kind))

    def _repeat(self, value: Any, state: int, *, possessive: bool) -> int:
        least, most, items = value
        endless = most is _c.MAXREPEAT or most > _MANY
        for _ in range(min(least, 2)):
            state = self._sequence(items, state)
        end = self._state()
        if endless:
            body = self._free(state, self._state())
            after = self._sequence(items, body)
            self._free(after, body)
            self._free(after, end)
            self._free(state, end)
        else:
            for _ in range(min(most - least, 2)):
                self._free(state, end)
                state = self._sequence(items, state)
            self._free(state, end)
        if possessive and endless and len(items) == 1 and items[0][0] in _SINGLE:
            rest = self.all - self._atoms(items[0]) | {_EDGE}
            return self._free(end, self._state(), _Guard(False, rest, greedy=True))
        return end

    def _at(self, where: Any) -> _Guard | None:
        ends = frozenset((_EDGE,))
        line = ends | (self._atoms((_c.LITERAL, 10)) if self.flags & re.MULTILINE else frozenset())
        if where is _c.AT_BEGINNING_STRING:
            return _Guard(True, ends)
        if where is _c.AT_BEGINNING:
            return _Guard(True, line)
        if where is _c.AT_END_STRING:
            return _Guard(False, ends)
        if where is _c.AT_END:
            return _Guard(False, ends | self._atoms((_c.LITERAL, 10)))
        return None  # \b and \B: as if they always held

    def _looking(self, value: Any, state: int, *, wanted: bool) -> int:
        """A look ahead or behind: one character is a guard, anything longer a way of its own."""
        direction, items = value
        simple = _one_character(items)
        if simple is not None:
            atoms = frozenset().union(*(self._atoms(one) for one in simple))
            if any(one[0] is _c.AT for one in items):
                return state
            allowed = atoms if wanted else self.all - atoms | {_EDGE}
            return self._free(state, self._state(), _Guard(direction < 0, allowed))
        if direction > 0:
            self._sequence(items, self._free(state, self._state()))
        return state

    # The ways

    @cached_property
    def _classes(self) -> dict[int, int]:
        """Character to its class among those that guards ask for in what was read."""
        asked = [g.allowed for free in self.free.values() for _, g in free if g and g.before]
        found: dict[tuple[bool, ...], int] = {}
        classes = {}
        for atom in (_EDGE, *self.all):
            key = (atom == _EDGE, *(atom in allowed for allowed in asked))
            classes[atom] = found.setdefault(key, len(found))
        return classes

    @cached_property
    def _member(self) -> dict[int, int]:
        """Class to a character of it."""
        return {number: atom for atom, number in self._classes.items()}

    def _closure(self, node: Node) -> tuple[dict[tuple[int, Atoms], int], bool]:
        """The reading states that are reached, each with in how many ways; whether it accepts."""
        last = self._member[node[1]]
        reached: dict[tuple[int, Atoms], int] = {}
        accepts = False
        steps = 0
        begin = node[0] or self.start
        waiting = [(begin, self.all | {_EDGE}, True, frozenset((begin,)))]
        while waiting and steps < _STEPS:
            steps += 1
            state, ahead, sure, path = waiting.pop()
            accepts = accepts or (state == self.end and sure)
            if state in self.read:
                reached[state, ahead] = reached.get((state, ahead), 0) + 1
            for target, guard in self.free.get(state, ()):
                if target in path or (guard and guard.before and last not in guard.allowed):
                    continue
                asks = guard is not None and not guard.before
                after = ahead & guard.allowed if guard and asks else ahead
                still = sure and not (guard and asks and not guard.greedy)
                if after:
                    waiting.append((target, after, still, path | {target}))
        return reached, accepts

    @cached_property
    def ways(self) -> dict[Node, dict[Node, tuple[Atoms, bool]]]:
        """Node to node: the characters that lead there, and whether in more than one way."""
        begin: Node = (0 if self.searched else self.start, self._classes[_EDGE])
        found: dict[Node, dict[Node, tuple[Atoms, bool]]] = {}
        waiting = [begin]
        while waiting:
            node = waiting.pop()
            if node in found:
                continue
            reached, accepts = self._closure(node)
            if accepts:
                self.safe.add(node)
            ways: dict[Node, tuple[Atoms, int]] = {}
            for (state, ahead), times in reached.items():
                atoms, target = self.read[state]
                self._add(ways, target, atoms & ahead, times)
            if node[0] == 0:
                self._add(ways, 0, self.all, 1)
            found[node] = {to: (atoms, times > 1) for to, (atoms, times) in ways.items()}
            waiting.extend(ways)
        return found

    def _add(self, ways: dict[Node, tuple[Atoms, int]], to: int, atoms: Atoms, times: int) -> None:
        by_class: dict[int, set[int]] = {}
        for atom in atoms:
            by_class.setdefault(self._classes[atom], set()).add(atom)
        for number, some in by_class.items():
            old, before = ways.get((to, number), (frozenset(), 0))
            ways[to, number] = (old | some, times + (before if old & some else 0))


_SINGLE: Final = (_c.LITERAL, _c.NOT_LITERAL, _c.ANY, _c.IN)


def _one_character(items: Any) -> list[Any] | None:
    """The single-character alternatives that a look is made of; None when it is longer."""
    if len(items) != 1:
        return None
    kind, value = items[0]
    if kind in _SINGLE:
        return [items[0]]
    if kind is _c.SUBPATTERN:
        return _one_character(value[3])
    if kind is _c.BRANCH:
        found = [_one_character(branch) for branch in value[1]]
        return None if None in found else [one for some in found for one in some or ()]
    return None


def problem(pattern: re.Pattern[Any], *, searched: bool) -> str:
    """Why matching may take more than linear time; empty when it does not."""
    automaton = Automaton(pattern, searched)
    # Where a match may end, nobody goes back any further.
    every = automaton.ways
    ways = {
        node: {to: how for to, how in reached.items() if to not in automaton.safe}
        for node, reached in every.items()
        if node not in automaton.safe
    }
    loops = {node for node in ways if node in _after(ways, ways[node])}
    for node in loops:
        if _doubles(ways, node):
            return f"exponential: {_text(automaton, ways, node)} in two ways"
    for first in loops:
        for second in loops - {first}:
            if _meet(ways, first, second):
                where = "a search" if first[0] == 0 else _text(automaton, ways, first)
                return f"polynomial: {where} and then {_text(automaton, ways, second)}"
    return ""


def _text(automaton: Automaton, ways: Any, node: Node) -> str:
    chars = {at for some in ways.values() for to, (atoms, _) in some.items() if to == node
             for at in atoms}  # fmt: skip
    return "[" + "".join(chr(automaton.sample[at]) for at in sorted(chars)[:12]) + "]"


def _after(ways: Any, begin: Iterable[Node]) -> set[Node]:
    seen: set[Node] = set()
    waiting = list(begin)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(ways[node])
    return seen


def _doubles(ways: Any, node: Node) -> bool:
    """Whether two different ways lead from a node back to it on one word."""
    seen: set[tuple[Node, Node, bool]] = set()
    waiting = [(node, node, False)]
    while waiting:
        one, other, apart = waiting.pop()
        for a, (first, twice) in ways[one].items():
            for b, (second, _) in ways[other].items():
                if first & second:
                    now = (a, b, apart or a != b or twice)
                    if now == (node, node, True):
                        return True
                    if now not in seen:
                        seen.add(now)
                        waiting.append(now)
    return False


def _meet(ways: Any, first: Node, second: Node) -> bool:
    """Whether a word leads from the first to it and to the second, and from that to itself."""
    around = _after(ways, [first])
    if second not in around:
        return False
    seen: set[tuple[Node, Node, Node]] = set()
    waiting = [(first, first, second)]
    while waiting:
        for now in _steps(ways, *waiting.pop()):
            if now == (first, second, second):
                return True
            if now not in seen:
                seen.add(now)
                waiting.append(now)
    return False


def _steps(ways: Any, x: Node, y: Node, z: Node) -> Iterator[tuple[Node, Node, Node]]:
    for a, (first, _) in ways[x].items():
        for b, (second, _) in ways[y].items():
            both = first & second
            if both:
                for c, (third, _) in ways[z].items():
                    if both & third:
                        yield a, b, c


if __name__ == "__main__":
    sys.stdout.write(problem(re.compile(sys.argv[1]), searched="search" in sys.argv) + "\n")
