"""What a question names and has no answer: a sentence for each, with the nearest known words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from bot.base.csv_file import read_table
from bot.base.device_words import BRAND
from bot.base.devices import Device, Vendor, devices
from bot.base.errors import UserError
from bot.base.messages import Message, enumeration, mark, message
from bot.base.regex import regex
from bot.recommend.model_names import is_size, likely_model, model, of_family, size_in
from bot.recommend.request import all_tasks
from bot.recommend.vocabulary import COUNTED, nearest

_SLICE = regex(r"mig|[1-7]g\.\d{1,3}gb")
_CARD = regex(
    r"(?:rtx|gtx|rx|arc)(?:pro|a|b|t)?\d{3,4}|mi\d{2,3}|[abghklmpqtvw]\d{2,4}|a2|p4|[1-5]0[5-9]0|16[56]0"
    r"|\d{4}(?=xt|gre)"
)
"""A maker's word or the letter of a series, and a number; or the number of a GeForce."""
_MOST_NEAR = 6
"""Names of cards that are compared with an unknown one; a card has several."""
_REFUSALS = {
    "bf16": mark("The {label} has no bf16, and is not known here."),
    "shared": mark(
        "The processor and the GPU of a {label} share one memory, which is not estimated. What a "
        "model needs is answered without a card: rlbot recommend Qwen3-8B."
    ),
    "software": mark(
        "{label} takes other software than the scripts here, which are for cards of {vendors}."
    ),
    "task": mark("There is no prediction for {task}; the tasks are {tasks}."),
    "serving": mark(
        "What training takes is answered here, and {task} is none: ask about sft, dpo or grpo."
    ),
    "method": mark(
        "No script here trains with {label}: the methods are full, lora, dora and qlora."
    ),
    "precision": mark("No script here trains in {label}: each does in bf16 where the card has it."),
    "engine": mark(
        "{label} cannot be asked for: scripts are for verl (FSDP, and Megatron where it is "
        "needed), openrlhf and trl (DeepSpeed), which generate with vLLM. Name one of the three, "
        "or none."
    ),
}
"""Why there is no answer for what `unsupported` names."""
_OF_CARD = regex(r"(?:ada|d|g|gre|i|laptop|max-q|pro|s|super|t|ti|tisuper|x|xt|xtx)?")


@cache
def _unsupported() -> Mapping[str, Mapping[str, str]]:
    table = read_table(Path(__file__).parent / "unsupported.csv")
    return {word: row for row in table for word in row["words"].split()}


def unsupported(word: str) -> tuple[str, str] | None:
    """The name of what no script is made for, and why; None for other words.

    Why is of a card `bf16` (it has none), `shared` (its memory is the processor's too) or
    `software` (it takes other software than the scripts here), else `task`, `engine`, `method`,
    `precision`, `serving`, or `backend` (the scripts have it, and it is no choice of its own).
    """
    low = BRAND.sub("", word.lower())
    row = _unsupported().get(low) or _unsupported().get(COUNTED.sub("", low))
    return (row["label"], row["reason"]) if row else None


def card_word(word: str) -> str | None:
    """What a word names that has the form of a card's name, without its count; None for others."""
    for one in (word.lower(), COUNTED.sub("", word.lower())):
        low = BRAND.sub("", one).removesuffix("s")
        form = _CARD.match(low)
        if form and _OF_CARD.fullmatch(low, form.end()):
            return low
    return None


def is_unable(word: str) -> bool:
    """Whether a word names a card for which no script is made."""
    known = unsupported(word)
    return known is not None and known[1] in ("bf16", "shared", "software")


def refuse_known(words: Sequence[str], unable: Sequence[str]) -> None:
    """Raise UserError for what is known, and has no answer here; `unable` are cards."""
    if any(_SLICE.fullmatch(word.lower()) for word in words):
        raise UserError(
            "A slice of a card (MIG) is not estimated: ask about a card with as much memory, "
            "such as 1xA100-40."
        )
    for sentence in refusals((*words, *unable)):
        raise UserError(sentence)
    for word in filter(None, map(card_word, words)):
        raise UserError(
            'The card "{word}" is not known here; {hint} It can be asked about by its memory, '
            "such as 24GB.",
            word=word,
            hint=_near_cards(word),
        )


def refusals(words: Iterable[str]) -> Iterator[Message]:
    """Why there is no answer for each of the words that are known."""
    for label, reason in filter(None, map(unsupported, words)):
        tasks, vendors = enumeration(all_tasks()), ", ".join(Vendor)
        yield message(_REFUSALS[reason], label=label, task=label, tasks=tasks, vendors=vendors)


def _near_cards(word: str) -> Message:
    """A clause with the cards that are nearest to a word in their letters."""
    known = [one for one in devices() if one.has_bf16]
    labels = {token: one.label for one in known for token in (one.token, *one.name_tokens)}
    near = get_close_matches(word, labels, n=_MOST_NEAR)
    if not near:
        return message("rlbot recommend --list devices shows those that are.")
    cards = list(dict.fromkeys(labels[one] for one in near))[:3]
    return message("near ones are {cards}.", cards=", ".join(cards))


def of_laptop(card: Device) -> UserError:
    """The error of a laptop's card that is not known, and has the name of one that is."""
    return UserError(
        "The {label} of a laptop has less memory than the card of that name, and is not known "
        "here: ask about its memory, such as 16GB.",
        label=card.label,
    )


def one_of(values: str) -> UserError:
    """The error of a question that names several where it can be about one alone."""
    return UserError("The question names {values}: one of them, please.", values=values)


def not_one_model(words: Sequence[str]) -> UserError:
    """The error of words that together are no model: two of them, or one that is not known."""
    different = list(dict.fromkeys(words))
    for models in _two_models(words):
        return one_of(models)
    unknown = [word for word in different if model((word,)) is None]
    unknown = [word for word in unknown if likely_model((word,)) is None] or unknown
    if not unknown or (len(different) > 1 and all(map(is_size, different))):
        return one_of(", ".join(different))
    one = min(unknown, key=lambda word: (is_size(word), nearest(word) is None, not word.isalpha()))
    return UserError(
        '"{word}" is no card, model, task or method that is known here; {hint}',
        word=one,
        hint=_hint(one, alone=len(different) == 1),
    )


def _two_models(words: Sequence[str]) -> Iterator[str]:
    """Both models of words that name one and then another, as they are named."""
    for at in range(2, len(words) - 1):
        parts = words[:at], words[at:]
        named = [model(tuple(part)) or likely_model(part) for part in parts if len(part) < 5]
        if len(named) == 2 and all(named) and not all(map(is_size, words)):
            yield ", ".join(" ".join(part) for part in parts)


def _hint(word: str, *, alone: bool) -> Message:
    """What to ask in the place of a word; `alone`: the question has no other of a model's name."""
    near, size = nearest(word) or nearest(word.rpartition("-")[0]), size_in(word)
    if alone and size is None and (names := of_family(word) or of_family(near or "")):
        return message("of that family are known: {names}.", names=", ".join(names))
    if near is not None and (size is None or size.lower() == str(size_in(near)).lower()):
        return message('did you mean "{near}"?', near=near)
    if is_size(word):
        return message("give the folder with the config.json of a model of that size.")
    if size is not None and likely_model((size,)) is None:
        return message("give the folder with its config.json.")
    if size is not None:
        return message(
            "give the folder with its config.json, or ask about its size alone: {size}.", size=size
        )
    return message("rlbot recommend --list models, devices or tasks shows what is known.")
