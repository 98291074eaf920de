"""A question's words: what belongs together is one word, in one spelling.

words_of("8 gpus x 4 nodes, lora rank 64")   # nodes=4_8, lora, rank=64
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from unicodedata import normalize

from bot.base.csv_file import read_table
from bot.base.device_words import card
from bot.base.regex import regex
from bot.memory.shapes.models import find
from bot.recommend.chinese import without_chinese
from bot.recommend.spellings import SPELLINGS
from bot.recommend.spellings.spelling import NUMBER, UNIT
from bot.recommend.vocabulary import COUNTED, METHODS, TASK_WORDS

_INSTANCE = regex(
    r"(?<![\w.-])(?:(\d{1,3})(?: ?x ?| ))?([a-z][\w.-]{1,40})(?: x ?(\d{1,3})(?!\w))?", re.I
)
"""A word, with how many of it: 2x p5.48xlarge."""
_NUMBER_WORD = regex(r"(?<![\w/-])([a-z]{3,7}(?:-(?:two|four))?)(?![\w/])", re.I)
_OTHER_NUMBER_WORD = regex(
    r"(?<![\w/-])([^\W\d_]{2,6})(?:\s(?:seule?|einzelne|sola))?\s"
    r"(?=(?:nvidia\s|geforce\s|rtx\s?|gtx\s?|tesla\s|cartes?\s|tarjetas?\s|karten\s)*"
    r"(?:[a-z]{0,2}\d{2,4}|gpus?\b|mi\d))",
    re.I,
)
"""Of other languages; each is another word in one of them, so that a card comes next."""
_VISIBLE = regex(r"\bCUDA_VISIBLE_DEVICES=[\"']?(\d{1,2}(?:,\d{1,2}){0,31})\b[\"']?", re.I)
_MIB = regex(r"(?<![\w.])(\d{4,6})\s?mib\b", re.I)
_MILLIONS = regex(
    r"(?<![\w.-])(\d{3})\s?m(?:\sparam\w*)?(?=\s(?:model|param|sft|grpo|dpo|lora)|\Z)", re.I
)
"""A size below a billion by itself, `500M model`; behind a name it is a part of it."""
_AND = regex(r"\s[+&]\s")
_BETWEEN = regex(
    r"[\s,;?!&()\"\u00bf\u00a1{}\[\]`|<>]+|(?<=[a-z\d])['\u2019][a-z]{1,2}\b|\bj['\u2019]ai\b|\b[dlj]['\u2019](?=[a-z])",
    re.I,
)
"""What parts words; of "what's" the end, of "j'ai" the beginning."""
_LENGTH = regex(r"\d{1,3}(?:k|gb)")
_APART_FROM_K = regex(
    r"(?<![\w.])(\d{1,3}(?:\.\d{1,2})?)\s(k)(?=\s?(?:tok|context|ctx|prompt|resp))", re.I
)
_PARTS_OF_K = regex(r"(?<![\w.-])(\d{1,3}\.\d{1,2})k(?!\w)", re.I)
"""Tokens as people write those between: 1.5k+2.5k."""
_TOKENS = rf"(?<!=)({NUMBER}[km]|\d{{3,8}})(?:[\s-]*tokens?)?"
_NUMBER_FIRST = regex(rf"\b{_TOKENS}[\s-]*(prompt|response)s?\b(?!=)", re.I)
_NUMBER_LAST = regex(
    rf"\b(?:max(?:imum)?[\s_-]*)?(prompt|response)s?(?:[\s_-]*(?:len(?:gth)?|tokens?))?[\s=:]*{_TOKENS}\b",
    re.I,
)
_LENGTH_NAMED = regex(
    rf"(?<![\w+.=-])({NUMBER}{UNIT})[\s-]*(?:tokens?|(?:context|ctx|seq(?:uence)?)"
    r"(?:[\s_-]*(?:len(?:gth)?|window))?)(?![\w=-])"
    r"|\b(?:(?:max(?:imum)?[\s_-]*)?(?:context|ctx|seq(?:uence)?)(?:[\s_-]*(?:len(?:gth)?|window))?"
    rf"|(?:max[\s_-]*)?len(?:gth)?|max[\s_-]*tokens)[\s=:]*({NUMBER}{UNIT})(?![\w.+])",
    re.I,
)
"""A length that is no prompt's and no response's: `512 tokens`, `context length 8192`."""
_CONTEXT = regex("context|ctx|seq|window", re.I)


_HUB_PAGE = regex(
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com|modelscope\.cn/models)/"
    r"([\w.-]+/[\w.-]+)(?:/[\w./-]*)?",
    re.I,
)
"""A model's page, as people copy it from a browser."""


@cache
def _instances() -> Mapping[str, str]:
    """Types of cloud instances with their cards as a question names them: 8xh100."""
    return {
        name: f"{row['gpus']}x{row['card']}"
        for row in read_table(Path(__file__).parent / "instances.csv")
        for name in row["names"].split()
    }


def _cards_of_instance(match: re.Match[str]) -> str:
    """The cards of a type of cloud instance and how many of it; other words as they are."""
    name = match[2].lower().rstrip(".").removeprefix("standard_").removeprefix("ml.")
    cards = _instances().get(name.replace("_", "-"))
    if cards is None:
        return match[0]
    count = match[1] or match[3]
    return f" {count}x{cards} " if count else f" {cards} "


@cache
def _number_words(column: str) -> Mapping[str, str]:
    """Words for numbers with what they mean, and those of `others` languages."""
    table = read_table(Path(__file__).parent / "number_words.csv")
    return {word: row["meant"] for row in table for word in row[column].split()}


def _number(column: str, found: re.Match[str]) -> str:
    """The number that a word means, with the blank behind it; other words as they are."""
    meant = _number_words(column).get(found[1].lower())
    return meant + " " * found[0].endswith(" ") if meant else found[0]


def words_of(text: str) -> list[str]:
    """The words of a question; what belongs together is one word, a name keeps its capitals."""
    text = _HUB_PAGE.sub(r" \1 ", without_chinese(normalize("NFKC", text)))
    text = _NUMBER_WORD.sub(partial(_number, "words"), text)
    text = _OTHER_NUMBER_WORD.sub(partial(_number, "others"), text)
    text = _APART_FROM_K.sub(r"\1\2", text)
    text = _PARTS_OF_K.sub(lambda found: str(round(1024 * float(found[1]))), text)
    text = _MILLIONS.sub(lambda found: f"{int(found[1]) / 1000:.1f}b", text)
    text = text.replace("×", "x").replace("*", "x").replace('"', "")
    text = _VISIBLE.sub(lambda found: f" {found[1].count(',') + 1} gpus ", text)
    text = _MIB.sub(lambda found: f" {round(int(found[1]) / 1024)}gb ", text)
    text = re.sub(r"\S+", _apart, text)
    for spelling in SPELLINGS:
        text = spelling.found.sub(spelling.becomes, text)
    text = _keyed(_INSTANCE.sub(_cards_of_instance, text))
    found = _BETWEEN.split(_AND.sub(" and ", text))
    words = [word.rstrip(".:/").lstrip(":") for word in found]
    return [word for word in words if any(map(str.isalnum, word))]


def _apart(found: re.Match[str]) -> str:
    """The parts of a word that is a whole question: qwen3-8b-grpo-8xh100-lora."""
    parts = re.split("[-_]", found[0])
    counted = [part for part in parts if COUNTED.search(part.lower()) and _has_card(part.lower())]
    if len(parts) < 3 or len(counted) != 1 or "/" in found[0] or find(found[0]):
        return found[0]
    apart, name = [], []
    for part in parts:
        low = part.lower()
        if part in counted or low in {*TASK_WORDS, *METHODS} or _LENGTH.fullmatch(low):
            apart.append(part)
        else:
            name.append(part)
    return f" {'-'.join(name)} {' '.join(apart)} "


def _has_card(word: str) -> bool:
    return bool(card(COUNTED.sub("", word)))


def _keyed(text: str) -> str:
    """Lengths that are named written as one word: `2k prompts` and `max response length 2048`."""
    text = _by_name(text)
    return _LENGTH_NAMED.sub(_named_length, text)


def _named_length(found: re.Match[str]) -> str:
    """A length by its name; a context is of prompt and response together."""
    kind = "context" if _CONTEXT.search(found[0]) else "length"
    return f"{kind}={found[1] or found[2]}"


def _by_name(text: str) -> str:
    """Prompts and responses, whether the number or the name comes first: the first of them says."""
    first, last = _NUMBER_FIRST.search(text), _NUMBER_LAST.search(text)
    if first is not None and (last is None or first.start() < last.start()):
        return _NUMBER_FIRST.sub(r"\2=\1", text)
    return _NUMBER_LAST.sub(r"\1=\2", text)
