"""The words of a question's text: what belongs together in one, lengths with their names."""

from __future__ import annotations

import re
from unicodedata import normalize

from bot.base.regex import regex
from bot.recommend.vocabulary import without_chinese

NUMBER = r"\d{1,8}"
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
    (regex(r"\bfull[\s-]+parameters?\b", re.I), "full"),
    (regex(r"\bfull[\s-]+(?:fine-?tun(?:e|ing)|ft)\b", re.I), "full finetune"),
    (regex(r"\breward[\s-]+model\b", re.I), "rm"),
    (
        regex(
            r"\b(?:(?:train|global)[\s_-]?)?(?:batch(?:[\s_-]+size)?|bsz?)[\s=:]*(\d{1,8})\b", re.I
        ),
        r"batch=\1",
    ),
    (regex(r"\b(?:(?:lora_)?rank[\s=:]*|r=)(\d{1,8})\b", re.I), r"rank=\1"),
    (regex(r"\b(\d{1,4})\s*nodes?(?:\s+(?:of|with|x)\s+(\d{1,2}))?\b", re.I), r"nodes=\1_\2"),
    (regex(r"\b(\d{1,3})\s+gi?b\b", re.I), r"\1gb"),
    (regex(r"(?<=\d)-(?=(?:gpu|card|way)s?\b)", re.I), " "),
    (regex(r"\b(?:single|one)\b", re.I), "1"),
    (regex(r"\btwo\b", re.I), "2"),
    (regex(r"\bthree\b", re.I), "3"),
    (regex(r"\bfour\b", re.I), "4"),
    (regex(r"\beight\b", re.I), "8"),
    (regex(r"\b(?:completion|output|answer)s?\b", re.I), "response"),
    (regex(r"\binputs?\b", re.I), "prompt"),
    (regex(r"\b(qwen|llama|phi|gemma)\s+(\d)(?=\s|\Z)", re.I), r"\1-\2"),
    (regex(rf"({NUMBER}k?)\s*\+\s*({NUMBER}k?)\b", re.I), r"\1+\2"),
    (regex(r"(?<=\d)\s+x\s+(?=[a-z0-9])|(?<=\d)\s+x(?=[a-z])", re.I), "x"),
)
_TOKENS = rf"({NUMBER}k|\d{{3,8}})(?:[\s-]*tokens?)?"
_NUMBER_FIRST = regex(rf"\b{_TOKENS}[\s-]*(prompt|response)s?\b", re.I)
_NUMBER_LAST = regex(
    rf"\b(?:max(?:imum)?[\s_-]*)?(prompt|response)s?(?:[\s_-]*(?:len(?:gth)?|tokens?))?[\s=:]*{_TOKENS}\b",
    re.I,
)


def words_of(text: str) -> list[str]:
    """The words of a question; what belongs together is one word, a name keeps its capitals."""
    text = without_chinese(normalize("NFKC", text)).replace("×", "x").replace("*", "x")
    for pattern, together in _JOINED:
        text = pattern.sub(together, text)
    found = re.split(r"[\s,;?!()\"]+|(?<=[a-z])'[a-z]{1,2}\b", _keyed(text), flags=re.I)
    words = [word.rstrip(".:/") for word in found]
    return [word for word in words if word]


def _keyed(text: str) -> str:
    """Lengths that are named written as one word: `2k prompts` and `max response length 2048`.

    Whether the number or the name comes first, the first of them says.
    """
    first, last = _NUMBER_FIRST.search(text), _NUMBER_LAST.search(text)
    if first is not None and (last is None or first.start() < last.start()):
        return _NUMBER_FIRST.sub(r"\2=\1", text)
    return _NUMBER_LAST.sub(r"\1=\2", text)
