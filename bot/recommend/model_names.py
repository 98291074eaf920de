"""Which model the words of a question name: by its name, what it was made from, or a size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations

from bot.base.digits import is_digits
from bot.base.regex import regex
from bot.memory.shapes.models import Model, find, guess, pinned

_ROUNDING = 0.08
"""Between what is said and what is exact, as a share: a 671B model has 685e9."""
_SIZE = regex(r"\d{1,4}(?:\.\d)?b")
_VARIANT = regex(
    r"-(instruct|chat|base|it|hf|thinking|preview|(?:0[1-9]|1[0-2]|2[2-9])\d\d)(?=-|\Z)", re.I
)
"""What a name says of a model beside its family and size: how it was trained, and when."""
_MOST_ORDERED = 4
"""Words that are tried in every order."""
_WITH_SIZE = regex(r"([a-z]{3,})(\d{1,3}(?:\.\d)?b)", re.I)
_USUAL = ("Qwen3-", "Qwen2.5-", "Llama-3.1-", "Llama-3.2-", "Llama-2-", "Gemma-2-")
"""Beginnings of the names that a size alone most likely means, the likeliest first."""


def model(words: tuple[str, ...]) -> str | None:
    """The name of the model that the words name together, in any order; None when there is none.

    It is the one that was asked for, also where another one's shape stands for it: a further
    training (`Skywork-OR1-7B`) as it is written, a variant (`qwen2.5 coder 32b`) as its maker does.
    """
    orders = list(permutations(words)) if len(words) <= _MOST_ORDERED else [words]
    for order in orders:
        name = "-".join(order)
        exact = find(name)
        if exact is not None:
            return name if len(order) == 1 else _spelled(name, exact.name)
    for order in orders:
        name = "-".join(order)
        near = _compact_models().get(_compact(_VARIANT.sub("", name)))
        if near is not None:
            return _spelled(name, near.name)
    if len(words) > 1 and any(model((word,)) for word in words):
        return None  # A model, and something else.
    written = "-".join(words)
    if guess(written) is None or (len(words) > 2 and longest_known(words) is not None):
        return None
    return written


def longest_known(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The most words beside each other, but fewer than all, that name a known model; else None."""
    for length in range(len(words) - 1, 1, -1):
        for at in range(len(words) - length + 1):
            run = words[at : at + length]
            name = model(run)
            if name is not None and base_of(name) is None:
                return run
    return None


def is_exactly(words: Sequence[str]) -> bool:
    """Whether the words are a known model's name with all that belongs to it: phi 3 mini 4k."""
    return _compact("".join(words)) in _names_by_compact()


def base_of(name: str) -> str | None:
    """The known model whose shape another one has; None for a known one's own name."""
    known = find(name)
    if known is None:
        known = guess(name)
    elif _compact(name.rstrip("/").rpartition("/")[2]) in _names_by_compact():
        return None
    return known.name if known is not None else None


def _spelled(written: str, known: str) -> str:
    """The name of a model as its maker writes it, of one as it was asked for and its shape's."""
    names = _names_by_compact()
    parts = written.lower().split("-")
    if set(parts) <= set(known.lower().split("-")):
        return known
    whole = names.get(_compact(written)) or names.get(_compact(_VARIANT.sub("", written)))
    own = whole.lower().split("-") if whole else []
    more = [part for part in _VARIANT.findall(written) if part.lower() not in own]
    if whole is None or {*own, *map(str.lower, more)} == set(parts):
        return "-".join(_as_makers_write(part, whole or known) for part in written.split("-"))
    return "-".join([whole, *(_as_makers_write(part, known) for part in more)])


def _as_makers_write(part: str, known: str) -> str:
    """A part of a name in the capitals of the model that it is beside."""
    same = next((one for one in known.split("-") if one.lower() == part.lower()), None)
    if (
        same is not None
        or part != part.lower()
        or known.startswith(("Gemma", "Phi"))
        or known[0].islower()
    ):
        return same or part
    return part.upper() if part[-1:] == "b" and is_digits(part[-2:-1]) else part.capitalize()


def is_size(word: str) -> bool:
    """Whether a word is a number of parameters: 32b."""
    return _SIZE.fullmatch(word.lower()) is not None


def size_in(word: str) -> str | None:
    """The number of parameters that a name says: 32B of Enigmata-32B; None when it says none."""
    return next((part for part in _split(word) if is_size(part)), None)


def with_its_size(words: Sequence[str]) -> str | None:
    """The model that the words name beside a size, where it has that: deepseek-v3 671b."""
    sizes = [float(word[:-1]) for word in words if is_size(word)]
    named = model(tuple(word for word in words if not is_size(word)))
    one = find(named) if named else None
    if one is None or len(sizes) != 1:
        return None
    return named if abs(one.shape.parameters / 1e9 / sizes[0] - 1) <= _ROUNDING else None


@cache
def parts_of_names() -> frozenset[str]:
    """The words of letters in the names of models."""
    return frozenset(part for name in pinned() for part in re.findall("[a-z]+", name.lower()))


def of_family(word: str) -> list[str]:
    """Three models whose names begin with a word, the usual ones and those near 8B first."""
    begun = [name for name in pinned() if _begins(name.lower().split("-")[0], word.lower())]
    return sorted(begun, key=lambda name: (_unlikely(name)[0], abs(pinned()[name] - 8e9)))[:3]


def likely_model(words: Iterable[str]) -> str | None:
    """The model that a size most likely means, with words of its name or alone: 32b, llama 70b.

    Where no name says the size, it is one that has about so many parameters: deepseek 671b. Without
    a size it is the only one whose name begins with one of the words and has them all.
    """
    low = [part for word in words for part in _split(word.lower())]
    able = {name: one for name in pinned() if _holds(name, low) and (one := find(name))}
    sizes = [word for word in low if is_size(word)]
    if len(sizes) == 1:
        named = [word for word in low if word not in sizes]
        return min(able or _about(float(sizes[0][:-1]), named), key=_unlikely, default=None)
    shapes = {one.shape for one in able.values()}
    begun = any(_begins(name.lower().split("-")[0], word) for name in able for word in low)
    return min(able, key=_unlikely) if len(shapes) == 1 and begun else None


def _split(word: str) -> Iterable[str]:
    """The parts of a word between hyphens, and a size apart: qwen32b."""
    for part in word.split("-"):
        sized = _WITH_SIZE.fullmatch(part)
        yield from sized.groups() if sized else (part,)


def _about(size: float, words: Sequence[str]) -> list[str]:
    """The models with some words in their names and about so many parameters, in 1e9."""
    return [
        name
        for name in pinned()
        if words
        and not any(map(is_size, name.split("-")))
        and _holds(name, words)
        and (one := find(name)) is not None
        and abs(one.shape.parameters / 1e9 / size - 1) <= _ROUNDING
    ]


def _holds(name: str, words: Iterable[str]) -> bool:
    """Whether a name has each word: a size as a part of its own, the others beginning one."""
    parts = name.lower().split("-")
    return all(any(_begins(part, word) for part in parts) for word in words)


def _begins(part: str, word: str) -> bool:
    """Whether a part of a name is a word, or is it with a version: qwen of qwen2.5, not qwen2."""
    rest = part.removeprefix(word)
    return not rest or (rest != part and word.isalpha() and not rest[0].isalpha())


def _unlikely(name: str) -> tuple[int, int, str]:
    usual = (at for at, start in enumerate(_USUAL) if is_digits(name.removeprefix(start)[:1]))
    return next(usual, len(_USUAL)), name.count("-"), name


@cache
def _names_by_compact() -> Mapping[str, str]:
    """Each known name without points and dashes."""
    return {_compact(name): name for name in reversed(list(pinned()))}


@cache
def _compact_models() -> Mapping[str, Model]:
    """Each model by its name without points and dashes; without those that would be ambiguous."""
    found: dict[str, Model] = {}
    shared: set[str] = set()
    for name in pinned():
        one = find(name)
        if one is None:
            continue
        key = _compact(name)
        if found.setdefault(key, one).shape != one.shape:
            shared.add(key)
    return {key: one for key, one in found.items() if key not in shared}


def _compact(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", re.sub(r"-(?:instruct|chat|base|it|hf)\b", "", name.lower()))
