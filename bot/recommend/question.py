"""A question as people ask it, in any order and part: `2x4090 Qwen3-8B grpo lora 1k+2k`.

Pure: what is not known gets a sentence that names the nearest known word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from unicodedata import normalize

from bot.base.devices import Device
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.recommend.cards import nearest_in_memory
from bot.recommend.request import MOST_GPUS, TASKS
from bot.recommend.vocabulary import (
    FILLERS,
    METHODS,
    TASK_WORDS,
    card,
    is_size,
    likely_model,
    model,
    nearest,
    with_memory,
    without_chinese,
)

_NUMBER = r"\d{1,8}"
_JOINED = (
    # What belongs together although a blank is between it.
    (regex(r"rtx\s+pro\s+6000\b", re.I), "rtxpro6000"),
    (
        regex(r"\b(?:rtx[ -]{0,3})?a?([56]000)[ -]{0,3}ada(?:[ -]{1,3}generation)?\b", re.I),
        r"rtx\1ada",
    ),
    (regex(r"\brtx[\s-]{0,3}(a\d{4})(?!\d)", re.I), r"\1"),
    (regex(r"rtx\s+(\d{4})(?!\d)", re.I), r"rtx\1"),
    (regex(r"(?<=[345]0[6-9]0)[ -]{1,3}(d|ti|super)\b", re.I), r"\1"),
    (regex(r"(?<=[345]0[6-9]0ti)[ -]{1,3}(?=super\b)", re.I), ""),
    (regex(r"\bfull[\s-]+(?:parameters?|fine-?tuning|ft)\b", re.I), "full"),
    (regex(r"\breward[\s-]+model\b", re.I), "rm"),
    (regex(r"\b(?:batch(?:[\s_-]+size)?|bsz?)[\s=:]*(\d{1,8})\b", re.I), r"batch=\1"),
    (regex(r"\b(?:rank|lora_rank)[\s=:]*(\d{1,8})\b", re.I), r"rank=\1"),
    (regex(r"\b(\d{1,4})\s*nodes?(?:\s+(?:of|with|x)\s+(\d{1,2}))?\b", re.I), r"nodes=\1:\2"),
    (regex(r"\b(\d{1,3})\s+gi?b\b", re.I), r"\1gb"),
    (regex(r"\bsingle\b", re.I), "1"),
    (regex(r"\btwo\b", re.I), "2"),
    (regex(r"\bfour\b", re.I), "4"),
    (regex(r"\beight\b", re.I), "8"),
    (regex(r"\b(qwen|llama|phi|gemma)\s+(\d)(?=\s|\Z)", re.I), r"\1-\2"),
    (regex(rf"({_NUMBER}k?)\s*\+\s*({_NUMBER}k?)\b", re.I), r"\1+\2"),
    (regex(r"(?<=\d)\s+x\s+(?=[a-z0-9])|(?<=\d)\s+x(?=[a-z])", re.I), "x"),
)
_SLICE = regex(r"mig|[1-7]g\.\d{1,3}gb", re.I)
_BEFORE = regex(r"(\d{1,4})x(.+)")
_AFTER = regex(r"(.+)x(\d{1,4})")
_LENGTHS = regex(rf"({_NUMBER})(k?)\+({_NUMBER})(k?)")
_LENGTH = regex(rf"({_NUMBER})k")
_KEYED = regex(rf"(batch|rank)=({_NUMBER})")
_NODES = regex(r"nodes=(\d{1,4}):(\d{0,2})")
_MEMORY = regex(r"(\d{1,3})(?:gib|gb|g)")
_MOST_WORDS = 3
"""Words that can be one model's name: qwen 2.5 7b."""
_MOST_TIMES = 6
"""Letters x in a word for cards: each may be a sign, and both sides of it are tried."""
_MOST_LENGTH = 1000
"""Characters of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    """What a question names; None and empty for what it leaves open."""

    cards: tuple[Device, ...] = ()
    gpus: int | None = None
    model: str | None = None
    """A name that `find` knows, or the path of a folder with a config.json."""
    is_model_taken: bool = False
    """Whether the model is the likeliest of its size, since none is named."""
    task: str | None = None
    method: str | None = None
    framework: str | None = None
    prompt: int | None = None
    response: int | None = None
    """Tokens; of a single length, all of a sample's or the response's."""
    batch: int | None = None
    rank: int | None = None


@dataclass(slots=True)
class _Parts:
    """The words of a question, sorted by what they are."""

    cards: list[tuple[Device, ...]]
    """The devices that each word may mean."""
    counts: list[int]
    memory: list[int]
    rest: list[str]
    values: dict[str, list[str]]

    def add(self, kind: str, value: str) -> None:
        """A value of a kind; the same one twice is one."""
        values = self.values.setdefault(kind, [])
        if value not in values:
            values.append(value)


def _no_folder(_path: str) -> bool:
    return False


def parse_question(
    arguments: Sequence[str], is_model_folder: Callable[[str], bool] = _no_folder
) -> ParsedQuestion:
    """What the arguments ask; raises UserError with a sentence for what is unknown or doubled."""
    parts = _Parts([], [], [], [], {})
    if sum(map(len, arguments)) > _MOST_LENGTH:
        raise UserError(message("The question is too long: name cards, a model, a task, lengths."))
    words = []
    for argument in arguments:
        if is_model_folder(argument):
            parts.add("folder", argument)
        else:
            words.append(argument)
    for word in _words(" ".join(words)):
        _sort(word, parts, is_model_folder)
    question = ParsedQuestion(
        cards=_cards(parts),
        gpus=_gpus(parts),
        task=_single(parts, "task"),
        method=_single(parts, "method"),
        framework=_single(parts, "framework"),
        batch=_integer(_single(parts, "batch")),
        rank=_integer(_single(parts, "rank")),
    )
    lengths = _single(parts, "lengths")
    if lengths is not None:
        prompt, _, response = lengths.rpartition("+")
        question = replace(question, prompt=_integer(prompt or None), response=int(response))
    return _with_model(question, parts)


def _words(text: str) -> list[str]:
    """The words of a question; what belongs together is one word, a name keeps its capitals."""
    text = without_chinese(normalize("NFKC", text)).replace("×", "x").replace("*", "x")
    for pattern, together in _JOINED:
        text = pattern.sub(together, text)
    return [word for word in re.split(r"[\s,;?!]+", text) if word]


def _sort(word: str, parts: _Parts, is_model_folder: Callable[[str], bool]) -> None:
    """Put one word where it belongs."""
    low = word.lower()
    if is_model_folder(word):
        parts.add("folder", word)
    elif "/" in word:
        parts.rest.append(word)
    elif found := card(low):
        parts.cards.append(found)
    elif low in TASK_WORDS:
        parts.add("task", TASK_WORDS[low])
    elif low in METHODS:
        parts.add("method", METHODS[low])
    elif low in TASKS:
        parts.add("framework", low)
    elif not _sort_number(low, parts) and low not in FILLERS:
        task, _, method = low.rpartition("-")
        if task in TASK_WORDS and method in METHODS:
            parts.add("task", TASK_WORDS[task])
            parts.add("method", METHODS[method])
        else:
            parts.rest.append(word)


def _sort_number(low: str, parts: _Parts) -> bool:
    """Put a word with a number where it belongs; False when it is none of these."""
    if lengths := _LENGTHS.fullmatch(low):
        prompt, response = _tokens(lengths[1], lengths[2]), _tokens(lengths[3], lengths[4])
        parts.add("lengths", f"{prompt}+{response}")
    elif length := _LENGTH.fullmatch(low):
        parts.add("lengths", str(_tokens(length[1], "k")))
    elif keyed := _KEYED.fullmatch(low):
        parts.add(keyed[1], str(int(keyed[2])))
    elif nodes := _NODES.fullmatch(low):
        if nodes[2]:
            parts.counts.append(int(nodes[1]) * int(nodes[2]))
        else:
            parts.add("nodes", str(int(nodes[1])))
    elif memory := _MEMORY.fullmatch(low):
        parts.memory.append(int(memory[1]))
    elif count := re.fullmatch(rf"x?({_NUMBER})x?|({_NUMBER})gpus?", low):
        number = int(count[1] or count[2])
        if number > MOST_GPUS:  # Without a unit that is a length.
            parts.add("lengths", str(number))
        else:
            parts.counts.append(number)
    elif counted := _counted(low):
        parts.counts.append(counted[0])
        parts.cards.append(counted[1])
    else:
        return False
    return True


def _counted(low: str) -> tuple[int, tuple[Device, ...]] | None:
    """A number and a card in one word: 2x4090, 4090x2, 2x8xh100 (nodes, GPUs of each)."""
    if low.count("x") > _MOST_TIMES:
        return None
    for match, number, name in ((_BEFORE.fullmatch(low), 1, 2), (_AFTER.fullmatch(low), 2, 1)):
        if match is None:
            continue
        found = card(match[name])
        if found:
            return int(match[number]), found
        more = _counted(match[name])
        if more is not None:
            return int(match[number]) * more[0], more[1]
    return None


def _tokens(number: str, thousands: str) -> int:
    return int(number) * (1024 if thousands else 1)


def _integer(text: str | None) -> int | None:
    return None if text is None else int(text)


def _single(parts: _Parts, kind: str) -> str | None:
    """The one value of a kind; None without one."""
    values = parts.values.get(kind, [])
    if len(values) > 1:
        raise UserError(
            "The question names {values}: one of them, please.", values=", ".join(sorted(values))
        )
    return values[0] if values else None


def _gpus(parts: _Parts) -> int | None:
    """GPUs over all nodes: up to eight that are named beside nodes are those of each node."""
    nodes = _integer(_single(parts, "nodes"))
    count = _single_count(parts.counts)
    if nodes is None:
        return count
    each = 8 if count is None else count
    return _single_count([each if each > 8 and each % nodes == 0 else nodes * each])


def _single_count(counts: Sequence[int]) -> int | None:
    different = sorted(set(counts))
    if len(different) > 1:
        raise UserError(
            "{numbers} are several numbers of GPUs: name one, and ask about each kind of card "
            "by itself. Lengths are written 1k+2k, a batch batch=128.",
            numbers=", ".join(map(str, different)),
        )
    if different and not 1 <= different[0] <= MOST_GPUS:
        raise UserError(
            "{number} is no number of GPUs from 1 to {most}.", number=different[0], most=MOST_GPUS
        )
    return different[0] if different else None


def _cards(parts: _Parts) -> tuple[Device, ...]:
    """Each kind of card once; memory decides between those of one name."""
    if not parts.memory:
        chosen = {group[0].token: group[0] for group in parts.cards}
        return tuple(chosen[token] for token in sorted(chosen))
    (gib, *others) = dict.fromkeys(parts.memory)
    if others or not parts.cards:
        raise _without_card(gib)
    sized = {}
    for group in parts.cards:
        fitting = with_memory(group, gib)
        if not fitting:
            known = sorted({round(device.memory_gib) for device in group})
            raise UserError(
                "There is no {label} with {gib} GB here: it has {known} GB.",
                label=group[0].label,
                gib=gib,
                known=", ".join(map(str, known)),
            )
        sized[fitting[0].token] = fitting[0]
    return tuple(sized[token] for token in sorted(sized))


def _without_card(gib: int) -> UserError:
    near = nearest_in_memory(gib)
    names = ", ".join(device.label for device in near)
    known = round(near[0].memory_gib)
    if with_memory(near, gib):
        return UserError(
            "{gib} GB alone names no card: name one, such as {near}.", gib=gib, near=names
        )
    return UserError(
        "No card with {gib} GB is known here: the nearest are {near}, with {known} GB.",
        gib=gib,
        near=names,
        known=known,
    )


def _with_model(question: ParsedQuestion, parts: _Parts) -> ParsedQuestion:
    """The question with its model; raises UserError for words that nothing is known of."""
    folder = _single(parts, "folder")
    if folder is not None:
        if parts.rest:
            raise _unknown(parts.rest[0])
        return replace(question, model=folder)
    rest = list(dict.fromkeys(parts.rest))
    if not rest:
        return question
    _refuse_known(rest)
    found = model(tuple(rest)) if len(rest) <= _MOST_WORDS else None
    if found is None and (likely := likely_model(rest)) is not None:
        return replace(question, model=likely, is_model_taken=True)
    if found is None:
        unknown = [word for word in rest if model((word,)) is None]
        if not unknown or (all(map(is_size, rest)) and len(rest) > 1):
            raise UserError(
                "The question names {values}: one of them, please.", values=", ".join(rest)
            )
        raise _unknown(min(unknown, key=lambda word: (is_size(word), word)))
    return replace(question, model=found)


def _refuse_known(words: Sequence[str]) -> None:
    """Raise UserError for what is known, and has no answer here."""
    if any(_SLICE.fullmatch(word) for word in words):
        raise UserError(
            message(
                "A slice of a card (MIG) is not estimated: ask about a card with as much memory, "
                "such as 1xA100-40."
            )
        )


def _unknown(word: str) -> UserError:
    near = nearest(word)
    hint = (
        message('did you mean "{near}"?', near=near)
        if near
        else message("rlbot recommend --list models, devices or tasks shows what is known.")
    )
    return UserError(
        '"{word}" is no card, model, task or method that is known here; {hint}',
        word=word,
        hint=hint,
    )
