"""The ways to a point of a script: on each, what was asked on it and how that was answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

UNSTABLE: Final = "\2"
"""How a question starts that may be answered differently when it is asked again."""
_MOST = 8
"""Ways to one point that are told apart."""
_LONGEST = 240
"""Characters of the words for several ways."""


@dataclass(frozen=True, slots=True)
class Way:
    """What is assumed on one way."""

    answers: Mapping[str, bool] = field(default_factory=dict)
    """Question to answer; the same text has the same answer, unless it starts with `UNSTABLE`."""
    assumptions: tuple[str, ...] = ()
    """The same in words."""

    def answered(self, question: str, answer: bool, text: str) -> Way | None:
        """The way with one more answer; None where it has the opposite one."""
        if self.answers.get(question, answer) is not answer and not question.startswith(UNSTABLE):
            return None
        assumptions = self.assumptions
        if text not in assumptions:
            assumptions = (*assumptions, text)
        return Way({**self.answers, question: answer}, assumptions)

    def shared(self, other: Way) -> Way:
        """What is assumed on both ways."""
        if self is other:
            return self
        there = set(other.assumptions)
        return Way(
            {q: answer for q, answer in self.answers.items() if other.answers.get(q) is answer},
            tuple(text for text in self.assumptions if text in there),
        )

    def resolves(self, other: Way) -> bool:
        """Whether one of the two ways is taken exactly where what they share is assumed.

        They answer one question differently and all others alike, or one assumes all of the other.
        """
        one, two = sorted((self.answers, other.answers), key=len)
        differing = [
            question for question, answer in one.items() if two.get(question) is not answer
        ]
        return not differing or (
            len(one) == len(two) and len(differing) == 1 and differing[0] in two
        )


Ways: TypeAlias = tuple[Way, ...]
"""At least one."""
START: Final[Ways] = (Way(),)


def either(one: Ways, other: Ways) -> Ways:
    """The ways of both; where together they leave nothing out, what was asked is forgotten."""
    if one is other or one == other:
        return one
    ways = list(one)
    for way in other:
        while True:
            found = next((earlier for earlier in ways if earlier.resolves(way)), None)
            if found is None:
                break
            ways.remove(found)
            way = found.shared(way)
        ways.append(way)
    return tuple(ways) if len(ways) <= _MOST else (common(ways),)


def common(ways: Iterable[Way]) -> Way:
    """What is assumed on all ways."""
    first, *rest = ways
    for way in rest:
        first = first.shared(way)
    return first


def words(ways: Ways) -> tuple[str, ...]:
    """What is assumed, in words: on all ways, and then how they differ."""
    shared = common(ways).assumptions
    if len(ways) == 1:
        return shared
    rest = [" and ".join(text for text in way.assumptions if text not in shared) for way in ways]
    if not all(rest):
        return shared
    text = ", or ".join(rest)
    return (*shared, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...")
