"""The words of a question: cards as people write them, names of models, tasks and methods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal
from unicodedata import normalize

from bot.base.csv_file import read_table
from bot.base.devices import devices
from bot.base.digits import is_digits
from bot.base.regex import regex
from bot.memory.shapes.models import near as near_model
from bot.memory.shapes.models import pinned
from bot.recommend.cards import known_devices
from bot.recommend.chinese import without_chinese
from bot.recommend.model_names import is_size, parts_of_names
from bot.recommend.request import TASK_ALIASES, TASKS
from bot.render.columns import aligned

METHODS: Mapping[str, str] = {
    "full": "full",
    "full-parameter": "full",
    "lora": "lora",
    "dora": "dora",
    "qlora": "qlora",
    "4bit": "qlora",
    "4-bit": "qlora",
}
TASK_WORDS: Mapping[str, str] = {
    **{task: task for tasks in TASKS.values() for task in tasks},
    **TASK_ALIASES,
    "reward-model": "rm",
}
TUNING_WORDS = frozenset({"fine-tuning", "finetuning", "fine-tune", "finetune"})
"""Words for any training, which mean supervised fine-tuning where no task is named."""
RL_WORDS = frozenset({"rl", "rlhf", "rlvr", "reinforcement"})
"""Words beside which they do not."""
_INSTANCE = regex(
    r"(?<![\w.-])(?:(\d{1,3})(?: ?x ?| ))?([a-z][\w.-]{1,40})(?: x ?(\d{1,3})(?!\w))?", re.I
)
"""A word, with how many of it: 2x p5.48xlarge."""
_CLOSE = 0.75
"""How similar a word must be for another to be meant (difflib's ratio): one letter of four."""
_LEAST_LETTERS = 4
"""A shorter name of a family is near to too many words."""
COUNTED = regex(r"\A\d{1,6}x|(?<![rg]t)(?<!\Ar)x\d{1,6}\Z")
"""How many of a card, in one word with it; the x of rtx6000 is no sign."""


@cache
def fillers() -> frozenset[str]:
    """Words that change nothing."""
    return frozenset((Path(__file__).parent / "fillers.txt").read_text(encoding="utf-8").split())


@cache
def _reported_names() -> Mapping[str, str]:
    """Names as drivers report them, in lower case and the longest first, with their tokens."""
    named = {
        device.reported_name.lower(): device.token
        for device in reversed(devices())
        if device.reported_name
    }
    return {name: named[name] for name in sorted(named, key=len, reverse=True)}


def _with_tokens(text: str) -> str:
    """A question with the tokens of cards in the places of their reported names."""
    low = text.lower()
    for name, token in _reported_names().items():
        at = low.find(name)
        end = at + len(name)
        if at >= 0 and not (low[at - 1 : at].isalnum() or low[end : end + 1].isalnum()):
            text = f"{text[:at]} {token} {text[end:]}"
            low = text.lower()
    return text


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


def is_known(word: str) -> bool:
    """Whether a word is a number, a size, a task or a method, which people write with a slash."""
    low = word.lower()
    return is_digits(low) or is_size(low) or low in {*TASK_WORDS, *METHODS, *TUNING_WORDS}


def is_plain(word: str) -> bool:
    """Whether a word is of no name: a file, or letters of no model's name and near to no word."""
    low = word.lower()
    if low.endswith((".sh", ".py", ".yaml", ".yml")):
        return True
    return low.isalpha() and low not in parts_of_names() and nearest(low) is None


def nearest(word: str) -> str | None:
    """The known word of any kind that is nearest to one that is not known; None for a known one."""
    names = _vocabulary()
    low = COUNTED.sub("", word.rsplit("/", 1)[-1].lower())
    if low in parts_of_names() or "=" in low:
        return None
    near = get_close_matches(low, names, n=1, cutoff=_CLOSE)
    return near_model(low) or (names[near[0]] if near else None)


def known(kind: Literal["models", "devices", "tasks"]) -> list[str]:
    """Every model, device or task that is known, a line for each."""
    if kind == "models":
        # Some are pinned by two spellings.
        rows = {name.lower(): (name, f"{size / 1e9:.1f}B") for name, size in pinned().items()}
        return aligned([rows[name] for name in sorted(rows)], right={1})
    if kind == "devices":
        cards = {device.token: device for device in reversed(known_devices())}
        return aligned(
            [
                (token, f"{card.memory_gib:.1f} GiB", card.reported_name or card.vendor)
                for token, card in sorted(cards.items())
            ],
            right={1},
        )
    tasks = sorted({task for tasks in TASKS.values() for task in tasks})
    return aligned(
        [
            (task, ", ".join(name for name, tasks in TASKS.items() if task in tasks))
            for task in tasks
        ],
        right=(),
    )


@cache
def _vocabulary() -> Mapping[str, str]:
    """Every known word in lower case, and as it is written."""
    names = {name.lower(): name for name in pinned()}
    families = (re.match("[a-z]*", name) for name in list(names))
    names |= {one[0]: one[0] for one in families if one and len(one[0]) >= _LEAST_LETTERS}
    names |= {
        token: device.label
        for device in reversed(devices())
        for token in (*device.name_tokens, device.token)
    }
    names |= {word: word for word in (*TASK_WORDS, *METHODS, *TASKS)}
    return names


NUMBER = r"\d{1,8}"
UNIT = "[km]?"
VARIANTS = frozenset({"instruct", "chat", "thinking", "preview"})
"""Words of letters that belong to the name that they stand behind, and to nothing else."""
LAPTOP = frozenset({"laptop", "laptops", "notebook", "mobile", "max-q", "maxq"})
"""Words for the smaller card of a laptop, which has the name of a desktop's."""
_RAM = r"(?:(?:host|system|cpu|main)\s+(?:ram|memory)|ram)"
_IDLE = r"(?:lora[\s_-]?)?(?:alpha|dropout)|lr|learning[\s_-]rate|temperature|epochs?|warmup"
"""Settings that change no memory."""
_JOINED = (
    # What belongs together although a blank is between it.
    (regex(r"(?<![\w.])(\d{1,3}),(\d{3})(?![\w.,])", re.I), r"\1\2"),
    (
        regex(
            r"(?:rtx[\s-]*|(?<![\w-])|(?<=\dx))(?:pro[\s-]*([456][05]00)|([456][05]00)[\s-]*pro)"
            r"(?:[\s-]+(?:blackwell|max-?q|workstation|server|edition))*\b",
            re.I,
        ),
        r"rtxpro\1\2",
    ),
    (
        regex(r"\b(?:rtx[ -]{0,3})?a?([456][05]00)[ -]{0,3}ada(?:[ -]{1,3}generation)?\b", re.I),
        r"rtx\1ada",
    ),
    (regex(r"\bascend[ -]{1,3}(?=9\d\d)", re.I), "ascend"),
    (regex(r"(?<![\w.-])m[1-9][ -](?:max|pro|ultra)\b", re.I), "mac"),
    (regex(r"\bh100[ -]{1,3}nvl\b", re.I), "h100nvl"),
    (regex(r"\bgh200[ -]{1,3}(?:120|480) ?gb\b", re.I), "gh200"),  # So much has its processor.
    (regex(r"\b([ah])/([ah]100)\b", re.I), r"\g<1>100 \2"),
    (regex(r"\brtx[\s-]{0,3}(a\d{4})(?!\d)", re.I), r"\1"),
    (regex(r"\bradeon[\s-]+(?:rx\s*)?(?=\d{4})", re.I), "rx"),
    (regex(r"([rg]tx|\brx|\barc)\s+([ab]?\d{3,4})(?!\d)", re.I), r"\1\2"),
    (regex(r"(?<=rx\d{4})[\s-]{1,3}(xtx|xt|gre)\b", re.I), r"\1"),
    (regex(r"(?<=[1-5]0[6-9]0)[ -]{1,3}(d|ti|super)\b", re.I), r"\1"),
    (regex(r"(?<=[345]0[6-9]0ti)[ -]{1,3}(?=super\b)", re.I), ""),
    (regex(r"\bfull[\s-]+(?:param(?:eter)?|weight)s?\b", re.I), "full"),
    (regex(r"\bfull[\s-]+(?:fine-?tun(?:e|ing)|ft)\b", re.I), "full finetune"),
    (regex(r"\breward[\s-]+model\b", re.I), "rm"),
    (
        regex(
            r"\b(?:(?:mbs|(?:(?:micro|mini)[\s_-]{0,3}|per[\s_-]{0,3}(?:gpu|device|card)[\s_-]{0,3}(?:train[\s_-]{0,3})?){1,3}"
            r"(?:batch(?:[\s_-]{0,3}size)?|bsz?)(?:[\s_-]{0,3}per[\s_-]{0,3}gpu)?)[\s=:]{0,3}(\d{1,8})"
            r"|(?:batch(?:[\s_-]{0,3}size)?|bsz?)[\s=:]{0,3}(\d{1,8})[\s_-]{0,3}(?:per|each|a|/)[\s_-]{0,3}"
            r"(?:gpu|device|card))\b",
            re.I,
        ),
        r"micro-batch=\1\2",
    ),
    (
        regex(
            r"\b(?:(?:train|global)[\s_-]?)?(?:batch(?:[\s_-]+size)?|bsz?)[\s=:]*(?:of\s+)?(\d{1,8})\b"
            r"|\b(\d{1,8})\s+(?:global\s+)?batch(?:\s+size)?(?=[\s,;.?!]|\Z)(?![\s=:]*(?:of\s+)?\d)",
            re.I,
        ),
        r"batch=\1\2",
    ),
    (
        regex(
            r"\b(?:(?:lora[\s_-])?(?:rank[\s=:-]*|r[=:]\s*)|lora[\s_-]r\s+)(\d{1,8})\b"
            r"|(?<![\w.-])r(8|16|32|64|128|256)\b",
            re.I,
        ),
        r"rank=\1\2",
    ),
    (
        regex(
            r"\b(\d{1,2})\s{0,3}(?:gpus?|cards?)?\s{0,3}x\s{0,3}(\d{1,4})\s{0,3}(?:node|machine|server)s?\b",
            re.I,
        ),
        r"nodes=\2_\1",
    ),
    (
        regex(
            r"\b(\d{1,4})\s*(?:node|machine|server)s?(?:\s+(?:of|with|x)\s+(\d{1,2})(?:\s*x\s+(?=[a-z]))?)?\b",
            re.I,
        ),
        r"nodes=\1_\2 ",
    ),
    (regex(rf"\b(\d{{1,5}})\s*g(?:i?b)?\s+(?:of\s+)?{_RAM}\b", re.I), r"ram=\1"),
    (regex(rf"\b(\d{{1,2}})\s*t(?:i?b)?\s+(?:of\s+)?{_RAM}\b", re.I), r"ram=\1k"),
    (regex(rf"\b{_RAM}[\s:=]+(?:of\s+)?(\d{{1,5}})\s*g(?:i?b)?\b", re.I), r"ram=\1"),
    (
        regex(
            r"\b(?:n\s?=\s?)?(\d{1,4})\s{1,3}(?:(?:rollout|generation|sample|response|completion)s?\s{1,3}"
            r"(?:per|a|each|for\s+(?:each|every))\s{1,3}(?:prompt|question)|(?:rollout|generation)s)\b",
            re.I,
        ),
        r"group=\1",
    ),
    (regex(r"\b(\d{1,3})\s+gi?b\b", re.I), r"\1gb"),
    (regex(r"(?<![\w.=-])(?:single|one|1)[\s-]+(?=\d{1,2}\s{0,3}x\s{0,3}[a-z])", re.I), ""),
    (regex(rf"\b(?:{_IDLE})[\s=:]{{1,3}}[\d.]{{1,9}}(?:e-?\d\d?)?(?![\w.])", re.I), ""),
    (
        regex(
            rf"\b{NUMBER}{UNIT}[\s-]+(?:(?=(?:samples?|examples|rows|records|problems)\b)"
            r"|(?:epochs?|steps|iterations|hours|days)\b)",
            re.I,
        ),
        "",
    ),
    (
        regex(
            r"\b(?:for|on)\s{1,3}(?:gsm8k|maths?|code(?![\s-]?llama)|coding|reasoning|tool\s(?:use|calling))\b",
            re.I,
        ),
        "",
    ),
    (regex(r"(?<=\d)-(?=(?:gpu|card|way)s?\b)", re.I), " "),
    (regex(r"\b(?:completion|output|answer)s?\b", re.I), "response"),
    (regex(r"\binputs?\b", re.I), "prompt"),
    (
        # So many prompts a step; before so many responses it is their tokens.
        regex(
            r"(?<![\w+./-])(\d{1,5})\s{1,3}prompts\b(?!\W{1,9}(?:and\W{1,3})?\d{3,8}\s{1,3}response)",
            re.I,
        ),
        r"batch=\1",
    ),
    (regex(r"\b(prompt|response)s?\s{1,3}of\s{1,3}(?=\d)", re.I), r"\1="),
    (regex(r"\b(qwen|llama|phi|gemma|olmo|glm|hermes|tulu)\s+(\d)(?=\s|\Z)", re.I), r"\1-\2"),
    (regex(r"(?<![\w/-])(llama|phi|gemma|olmo|glm)(\d)(?=\s|\Z)", re.I), r"\1-\2"),
    (regex(r"\b(?:groups?[\s_-]*(?:size|of)[\s=:]*|n\s?=\s?)(\d{1,8})\b", re.I), r"group=\1"),
    (
        regex(
            r"\b(?:w/o|(?:do(?:es)?n|can|won)['\u2019]?t|cannot|never|avoid(?:ing)?|instead\s+of|"
            r"rather\s+than|except|excluding)(?=\s)",
            re.I,
        ),
        "without",
    ),
    (
        regex(
            r"(?<![\w-])(no|non|not|without)[\s-]+(?:(?:any|an?|the|us(?:e|ing)|want|need|to|do)\s+)*(\w[\w.+-]*)",
            re.I,
        ),
        r"\1=\2",
    ),
    (regex(r"(?<=[a-z])(?:\+|\s\+\s)(?=[a-z])", re.I), " "),
    (regex(rf"({NUMBER}{UNIT})\s*\+\s*({NUMBER}{UNIT})\b", re.I), r"\1+\2"),
    (regex(r"(?<![\w./+-])(\d{1,3}k|\d{3,6})/(\d{1,3}k|\d{3,6})(?![\w./+-])", re.I), r"\1+\2"),
    (regex(r"(?<=\d)\s+x\s+(?=[a-z0-9])|(?<=\d)\s+x(?=[a-z])", re.I), "x"),
)
_NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "sixteen": 16, "twenty-four": 24, "thirty-two": 32,
    "sixty-four": 64, "single": 1, "pair": 2, "dual": 2, "quad": 4,
}  # fmt: skip
_NUMBER_WORD = regex(rf"(?<![\w/-])({'|'.join(reversed(_NUMBER_WORDS))})(?![\w/])", re.I)
_PARTS_OF_K = regex(r"(?<![\w./-])(\d{1,3}\.\d{1,2})k(?!\w)", re.I)
"""Tokens as people write those between: 1.5k+2.5k."""
_TOKENS = rf"({NUMBER}[km]|\d{{3,8}})(?:[\s-]*tokens?)?"
_NUMBER_FIRST = regex(rf"\b{_TOKENS}[\s-]*(prompt|response)s?\b", re.I)
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


_HUB_PAGE = regex(
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com|modelscope\.cn/models)/"
    r"([\w.-]+/[\w.-]+)(?:/[\w./-]*)?",
    re.I,
)
"""A model's page, as people copy it from a browser."""


def words_of(text: str) -> list[str]:
    """The words of a question; what belongs together is one word, a name keeps its capitals."""
    text = _HUB_PAGE.sub(r" \1 ", _with_tokens(without_chinese(normalize("NFKC", text))))
    text = _NUMBER_WORD.sub(lambda found: str(_NUMBER_WORDS[found[1].lower()]), text)
    text = _PARTS_OF_K.sub(lambda found: str(round(1024 * float(found[1]))), text)
    text = text.replace("×", "x").replace("*", "x")
    for pattern, together in _JOINED:
        text = pattern.sub(together, text)
    text = _keyed(_INSTANCE.sub(_cards_of_instance, text))
    found = re.split(r"[\s,;?!()\"]+|(?<=[a-z])'[a-z]{1,2}\b", text, flags=re.I)
    words = [word.rstrip(".:/") for word in found]
    return [word for word in words if word]


def _keyed(text: str) -> str:
    """Lengths that are named written as one word: `2k prompts` and `max response length 2048`."""
    text = _by_name(text)
    return _LENGTH_NAMED.sub(r"length=\1\2", text)


def _by_name(text: str) -> str:
    """Prompts and responses, whether the number or the name comes first: the first of them says."""
    first, last = _NUMBER_FIRST.search(text), _NUMBER_LAST.search(text)
    if first is not None and (last is None or first.start() < last.start()):
        return _NUMBER_FIRST.sub(r"\2=\1", text)
    return _NUMBER_LAST.sub(r"\1=\2", text)
