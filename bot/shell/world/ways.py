"""The paths to a point of a script: the conditions on each, and their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final, TypeAlias

from bot.base.fast_dataclass import dataclass

UNSTABLE: Final = "\2"
"""How a question starts that may be answered differently when it is asked again."""
_MOST = 8
"""Ways to one point that are told apart."""
_NOTHING = (None, "")
_LONGEST = 240
"""Characters of the words for several ways."""


@dataclass(frozen=True, slots=True)
class Way:
    """What is assumed on one way."""

    answers: Mapping[str, tuple[bool, str]] = field(default_factory=dict)
    """Question to answer, and the assumption in words. The same question has the same answer,
    unless it starts with `UNSTABLE`."""

    def answered(self, question: str, answer: bool, text: str) -> Way | None:
        """The way with one more answer; None where it has the opposite one."""
        earlier = self.answers.get(question)
        if earlier and earlier[0] is not answer and not question.startswith(UNSTABLE):
            return None
        return Way({**self.answers, question: (answer, text)})

    def shared(self, other: Way) -> Way:
        """What is assumed on both ways."""
        if self is other:
            return self
        return Way({q: answer for q, answer in self.answers.items() if other.agrees(q, answer[0])})

    def beyond(self, other: Way) -> Way:
        """What is assumed on this way alone."""
        return Way(
            {q: answer for q, answer in self.answers.items() if not other.agrees(q, answer[0])}
        )

    def agrees(self, question: str, answer: bool) -> bool:
        """Whether this is its answer to a question."""
        return self.answers.get(question, _NOTHING)[0] is answer

    def resolves(self, other: Way) -> bool:
        """Whether one of the two ways is taken exactly where what they share is assumed.

        They answer one question differently and all others alike, or one assumes all of the other.
        """
        one, two = sorted((self, other), key=lambda way: len(way.answers))
        there = two.answers
        differing = [
            question
            for question, (answer, _) in one.answers.items()
            if there.get(question, _NOTHING)[0] is not answer
        ]
        if not differing or len(one.answers) < len(two.answers):
            return not differing
        return len(differing) == 1 and differing[0] in there


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
    on_all = common(ways)
    shared = tuple(text for _, text in on_all.answers.values())
    if len(ways) == 1:
        return shared
    rest = _shortened([dict(way.beyond(on_all).answers) for way in ways])
    if not all(rest):
        return shared
    text = ", or ".join(" and ".join(text for _, text in way.values()) for way in rest)
    return (*shared, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...")


def _shortened(ways: list[dict[str, tuple[bool, str]]]) -> list[dict[str, tuple[bool, str]]]:
    """Ways of which one alone need hold, without the "not a" of "a, or not a and b"."""
    for way in ways:
        if len(way) != 1:
            continue
        ((question, (answer, _)),) = way.items()
        for other in ways:
            if question in other and other[question][0] is not answer:
                del other[question]
    return ways
