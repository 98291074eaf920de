"""What a question lets one choose from beside cards: models, frameworks, lengths, each answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from bot.base.digits import is_digits
from bot.recommend.model_names import likely_model, model
from bot.recommend.sorted_words import HardwareWord, SortedWords
from bot.recommend.vocabulary import is_plain, kind_words

_MOST = 6
"""Answers to one question."""
_LONGEST_NAME = 7
"""Words of a model's name where several are named."""
_MOST_WORDS = 12
_KINDS = ("framework", "lengths", "prompt", "response", "batch", "rank")
"""What there may be several of; of a task and a method the question itself has several."""


def alternatives(parts: SortedWords) -> list[SortedWords]:
    """The words of each alternative; all of them where there is no choice, or too large a one."""
    is_choice = any(word.kind == "or" for word in parts.hardware) or "either" in parts.values
    if not is_choice:
        return [parts]
    values = _values(parts)
    kinds = [kind for kind in _KINDS if len(values.get(kind, ())) > 1]
    of_names = {*kind_words("variant"), "it"}
    plain = [word for word in parts.rest if is_plain(word) and word.lower() not in of_names]
    names = tuple(word for word in parts.rest if word not in plain)
    models = several_models(names) or [names]
    chosen = list(product(models, product(*(values[kind] for kind in kinds))))
    if not 1 < len(chosen) <= _MOST:
        return [parts]
    cards = _between(parts)
    return [
        replace(
            parts,
            hardware=[*cards],
            rest=[*rest, *plain],
            left_out=[*parts.left_out],
            values={
                **{kind: [*each] for kind, each in values.items()},
                **{kind: [value] for kind, value in zip(kinds, taken, strict=True)},
            },
        )
        for rest, taken in chosen
    ]


def _values(parts: SortedWords) -> dict[str, list[str]]:
    """The values of each kind; `4k or 16k responses` are two responses."""
    values = {kind: [*each] for kind, each in parts.values.items()}
    lengths, responses = values.get("lengths", []), values.get("response", [])
    if len(lengths) == len(responses) == 1 and is_digits(lengths[0]):
        values["response"] = values.pop("lengths") + responses
    return values


def _between(parts: SortedWords) -> list[HardwareWord]:
    """The words about cards, without what stood between other things."""
    kept: list[HardwareWord] = []
    for word in parts.hardware:
        if word.kind != "or" or (kept and kept[-1].kind != "or"):
            kept.append(word)
    return kept[:-1] if kept and kept[-1].kind == "or" else kept


def several_models(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words of each model where they name several and nothing else; none otherwise.

    Of ways to part them the one with the fewest models, whose names are whole.
    """
    if not 1 < len(words) <= _MOST_WORDS:
        return []
    named = cache(lambda part: model(part) is not None or likely_model(part) is not None)

    def split(at: int) -> Iterator[list[tuple[str, ...]]]:
        if at == len(words):
            yield []
        for end in range(min(len(words), at + _LONGEST_NAME), at, -1):
            if named(words[at:end]):
                for others in split(end):
                    yield [words[at:end], *others]

    found = min(split(0), key=len, default=[])
    return found if len(found) > 1 else []
