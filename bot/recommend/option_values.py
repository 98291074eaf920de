"""The options of `rlbot recommend`, put together with the words of the question."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any

from bot.base.devices import Device, by_token
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import sentence_of
from bot.base.regex import regex
from bot.recommend.cards import usable_device
from bot.recommend.question import ParsedQuestion, parse_question
from bot.recommend.request import check_gpus
from bot.recommend.sorted_words import tokens
from bot.recommend.spellings.spelling import NUMBER, UNIT

_LENGTHS = regex(rf"(?:({NUMBER})({UNIT})\+)?({NUMBER})({UNIT})", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionValues:
    """The values of options; None for those that are not set."""

    model: str | None = None
    task: str | None = None
    method: str | None = None
    framework: str | None = None
    lengths: str | None = None
    images: int | None = None
    batch: int | None = None
    rank: int | None = None
    devices: tuple[str, ...] = ()
    gpus: int | None = None


def with_options(question: ParsedQuestion, values: OptionValues) -> ParsedQuestion:
    """The question with its options.

    Raises UserError where both say different things, and for what no option can be.
    """
    if values.gpus is not None:
        check_gpus(values.gpus)
    named: dict[str, Any] = asdict(values)
    devices, lengths = named.pop("devices"), named.pop("lengths")
    if lengths is not None:
        named["prompt"], named["response"] = _lengths(lengths)
    if values.task is not None:
        named["task"] = values.task.lower()
    changes = {name: value for name, value in named.items() if value is not None}
    for name, value in changes.items():
        word = getattr(question, name) or ", ".join(getattr(question, f"{name}s", ())) or None
        if word is not None and word != value:
            raise UserError(
                "The question says {word} and an option {value}: one of them, please.",
                word=word,
                value=value,
            )
    own = question.numbers or question.choice
    if (question.numbers and devices) or (own and values.gpus is not None):
        raise UserError(
            "The question says {word} and an option {value}: one of them, please.",
            word=", ".join(f"{one.gpus}x{one.device.token}" for one in question.groups)
            or ", ".join(map(str, question.choice)),
            value=", ".join(map(str, [*devices, *filter(None, [values.gpus])])),
        )
    if changes.get("rank", question.rank) is not None and "full" in (
        question.method,
        values.method,
    ):
        raise UserError(
            "A rank is an adapter's, and full training has none; leave one of the two out."
        )
    if values.rank is not None and question.method is None:
        changes.setdefault("method", "lora")
    if devices:
        cards = (*question.cards, *map(_card, devices))
        changes["cards"] = tuple(dict.fromkeys(cards))
    return replace(question, **changes)


def _lengths(text: str) -> tuple[int | None, int]:
    """Tokens of the longest prompt, None where one number is given, and of the response."""
    match = _LENGTHS.fullmatch(text)
    if match is None:
        raise UserError(
            '--lengths takes PROMPT+RESPONSE, such as 1024+2048; got "{text}".', text=text
        )
    prompt, response = (tokens(match[at], match[at + 1]) if match[at] else None for at in (1, 3))
    return prompt, response or 0


def _card(name: str) -> Device:
    """The card of an option, by its token or in words; raises UserError for all else."""
    return usable_device(name if by_token(name) else card_option(name))


def card_option(name: str) -> str:
    """The token of the card that --device names in words; raises UserError for all else."""
    try:
        question = parse_question([name])
    except UserError as error:
        raise UserError("--device: {reason}", reason=sentence_of(error)) from None
    if len(question.cards) != 1 or question.left_out or question.model is not None:
        raise UserError(
            '--device: "{name}" is no known accelerator; name one such as h100, or npu, or rocm.',
            name=name,
        )
    token = question.cards[0].token
    if question.gpus is not None:
        raise UserError(
            '--device names a card alone: for "{name}" give --device {token} --gpus {gpus}.',
            name=name,
            token=token,
            gpus=question.gpus,
        )
    return token
