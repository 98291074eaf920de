"""How people spell what belongs together, and the one spelling that it gets.

A `Spelling` finds one way of writing, and shows by an example what becomes of it. They work on the
whole text and one after another, so that a later one meets what an earlier one has written: a new
one goes where its words are still as people write them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.base.regex import regex

NUMBER = r"\d{1,8}"
UNIT = "[km]?"
_RAM = r"(?:(?:host|system|cpu|main)\s+(?:ram|memory)|ram)"
_IDLE = r"(?:lora[\s_-]?)?(?:alpha|dropout)|lr|learning[\s_-]rate|temperature|epochs?|warmup"
"""Settings that change no memory."""


class Spelling(NamedTuple):
    """A way of writing that is given another; the example shows both."""

    found: re.Pattern[str]
    becomes: str
    """As `re.sub` has it: \\1 is a part of what was found."""
    written: str
    read: str


_NUMBERS = (
    Spelling(regex(r"(?<![\w.])(\d{1,3}),(\d{3})(?![\w.,])", re.I), r"\1\2", "1,024", "1024"),
)
_CARDS = (
    Spelling(
        regex(
            r"(?:rtx[\s-]*|(?<![\w-])|(?<=\dx))(?:pro[\s-]*([456][05]00)|([456][05]00)[\s-]*pro)"
            r"(?:[\s-]+(?:blackwell|max-?q|workstation|server|edition))*\b",
            re.I,
        ),
        r"rtxpro\1\2",
        "rtx pro 6000 blackwell",
        "rtxpro6000",
    ),
    Spelling(
        regex(r"\b(?:rtx[ -]{0,3})?a?([456][05]00)[ -]{0,3}ada(?:[ -]{1,3}generation)?\b", re.I),
        r"rtx\1ada",
        "rtx 6000 ada generation",
        "rtx6000ada",
    ),
    Spelling(regex(r"\bascend[ -]{1,3}(?=9\d\d)", re.I), "ascend", "Ascend 910b", "ascend910b"),
    Spelling(regex(r"(?<![\w.-])m[1-9][ -](?:max|pro|ultra)\b", re.I), "mac", "m3 max", "mac"),
    Spelling(regex(r"\bh100[ -]{1,3}nvl\b", re.I), "h100nvl", "h100 nvl", "h100nvl"),
    Spelling(regex(r"\bgh200[ -]{1,3}(?:120|480) ?gb\b", re.I), "gh200", "gh200 480 gb", "gh200"),
    Spelling(regex(r"\b([ah])/([ah]100)\b", re.I), r"\g<1>100 \2", "a/h100", "a100 h100"),
    Spelling(regex(r"\brtx[\s-]{0,3}(a\d{4})(?!\d)", re.I), r"\1", "rtx a6000", "a6000"),
    Spelling(regex(r"\bradeon[\s-]+(?:rx\s*)?(?=\d{4})", re.I), "rx", "radeon rx 7900", "rx7900"),
    Spelling(
        regex(r"([rg]tx|\brx|\barc)\s+([ab]?\d{3,4})(?!\d)", re.I), r"\1\2", "rtx 4090", "rtx4090"
    ),
    Spelling(
        regex(r"(?<=rx\d{4})[\s-]{1,3}(xtx|xt|gre)\b", re.I), r"\1", "rx7900 xtx", "rx7900xtx"
    ),
    Spelling(
        regex(r"(?<=[1-5]0[6-9]0)[ -]{1,3}(d|ti|super)\b", re.I), r"\1", "4070 super", "4070super"
    ),
    Spelling(
        regex(r"(?<=[345]0[6-9]0ti)[ -]{1,3}(?=super\b)", re.I), "", "4070ti super", "4070tisuper"
    ),
)
"""Cards: a name's parts in one word, as the device table writes it."""
_METHODS = (
    Spelling(
        regex(r"\bfull[\s-]+(?:param(?:eter)?|weight)s?\b", re.I), "full", "full parameter", "full"
    ),
    Spelling(
        regex(r"\bfull[\s-]+(?:fine-?tun(?:e|ing)|ft)\b", re.I),
        "full finetune",
        "full fine-tuning",
        "full finetune",
    ),
    Spelling(regex(r"\breward[\s-]+model\b", re.I), "rm", "reward model", "rm"),
)
"""What is trained, and how."""
_SETTINGS = (
    Spelling(
        regex(
            r"\b(?:(?:mbs|(?:(?:micro|mini)[\s_-]{0,3}|per[\s_-]{0,3}(?:gpu|device|card)[\s_-]{0,3}(?:train[\s_-]{0,3})?){1,3}"
            r"(?:batch(?:[\s_-]{0,3}size)?|bsz?)(?:[\s_-]{0,3}per[\s_-]{0,3}gpu)?)[\s=:]{0,3}(\d{1,8})"
            r"|(?:batch(?:[\s_-]{0,3}size)?|bsz?)[\s=:]{0,3}(\d{1,8})[\s_-]{0,3}(?:per|each|a|/)[\s_-]{0,3}"
            r"(?:gpu|device|card))\b",
            re.I,
        ),
        r"micro-batch=\1\2",
        "micro batch size 4",
        "micro-batch=4",
    ),
    Spelling(
        regex(
            r"\b(?:(?:train|global)[\s_-]?)?(?:batch(?:[\s_-]+size)?|bsz?)[\s=:]*(?:of\s+)?(\d{1,8})\b"
            r"|\b(\d{1,8})\s+(?:global\s+)?batch(?:\s+size)?(?=[\s,;.?!]|\Z)(?![\s=:]*(?:of\s+)?\d)",
            re.I,
        ),
        r"batch=\1\2",
        "global batch size of 128",
        "batch=128",
    ),
    Spelling(
        regex(
            r"\b(?:(?:lora[\s_-])?(?:rank[\s=:-]*|r[=:]\s*)|lora[\s_-]r\s+)(\d{1,8})\b"
            r"|(?<![\w.-])r(8|16|32|64|128|256)\b",
            re.I,
        ),
        r"rank=\1\2",
        "lora rank 64",
        "rank=64",
    ),
)
"""Settings with their values."""
_COUNTS = (
    Spelling(
        regex(
            r"\b(\d{1,2})\s{0,3}(?:gpus?|cards?)?\s{0,3}x\s{0,3}(\d{1,4})\s{0,3}(?:node|machine|server)s?\b",
            re.I,
        ),
        r"nodes=\2_\1",
        "8 gpus x 4 nodes",
        "nodes=4_8",
    ),
    Spelling(
        regex(
            r"\b(\d{1,4})\s*(?:node|machine|server)s?(?:\s+(?:of|with|x)\s+(\d{1,2})(?:\s*x\s+(?=[a-z]))?)?\b",
            re.I,
        ),
        r"nodes=\1_\2 ",
        "2 nodes of 8 h100",
        "nodes=2_8  h100",
    ),
    Spelling(
        regex(rf"\b(\d{{1,5}})\s*g(?:i?b)?\s+(?:of\s+)?{_RAM}\b", re.I),
        r"ram=\1",
        "512 gb of ram",
        "ram=512",
    ),
    Spelling(
        regex(rf"\b(\d{{1,2}})\s*t(?:i?b)?\s+(?:of\s+)?{_RAM}\b", re.I),
        r"ram=\1k",
        "1 tb ram",
        "ram=1k",
    ),
    Spelling(
        regex(rf"\b{_RAM}[\s:=]+(?:of\s+)?(\d{{1,5}})\s*g(?:i?b)?\b", re.I),
        r"ram=\1",
        "host memory: 256 gb",
        "ram=256",
    ),
    Spelling(
        regex(
            r"\b(?:n\s?=\s?)?(\d{1,4})\s{1,3}(?:(?:rollout|generation|sample|response|completion)s?\s{1,3}"
            r"(?:per|a|each|for\s+(?:each|every))\s{1,3}(?:prompt|question)|(?:rollout|generation)s)\b",
            re.I,
        ),
        r"group=\1",
        "8 generations per prompt",
        "group=8",
    ),
    Spelling(regex(r"\b(\d{1,3})\s+gi?b\b", re.I), r"\1gb", "24 gb", "24gb"),
    Spelling(
        regex(r"(?<![\w.=-])(?:single|one|1)[\s-]+(?=\d{1,2}\s{0,3}x\s{0,3}[a-z])", re.I),
        "",
        "a single 8x h100",
        "a 8x h100",
    ),
    Spelling(regex(r"(?<=\d)-(?=(?:gpu|card|way)s?\b)", re.I), " ", "8-gpu", "8 gpu"),
    Spelling(
        regex(r"\b(?:groups?[\s_-]*(?:size|of)[\s=:]*|n\s?=\s?)(\d{1,8})\b", re.I),
        r"group=\1",
        "group size 16",
        "group=16",
    ),
)
"""Nodes, memory, generations: a number and what it counts."""
_IDLE_WORDS = (
    Spelling(
        regex(rf"\b(?:{_IDLE})[\s=:]{{1,3}}[\d.]{{1,9}}(?:e-?\d\d?)?(?![\w.])", re.I),
        "",
        "lr 1e-5 alpha=32",
        " ",
    ),
    Spelling(
        regex(
            rf"\b{NUMBER}{UNIT}[\s-]+(?:(?=(?:samples?|examples|rows|records|problems)\b)"
            r"|(?:epochs?|steps|iterations|hours|days)\b)",
            re.I,
        ),
        "",
        "10k samples 3 epochs",
        "samples ",
    ),
    Spelling(
        regex(
            r"\b(?:for|on)\s{1,3}(?:gsm8k|maths?|code(?![\s-]?llama)|coding|reasoning|tool\s(?:use|calling))\b",
            re.I,
        ),
        "",
        "grpo for gsm8k",
        "grpo ",
    ),
)
"""What changes no memory is left out."""
_LENGTHS = (
    Spelling(
        regex(r"\b(?:completion|output|answer)s?\b", re.I),
        "response",
        "outputs 2048",
        "response 2048",
    ),
    Spelling(regex(r"\binputs?\b", re.I), "prompt", "inputs 1024", "prompt 1024"),
    Spelling(
        # So many prompts a step; before so many responses it is their tokens.
        regex(
            r"(?<![\w+./-])(\d{1,5})\s{1,3}prompts\b(?!\W{1,9}(?:and\W{1,3})?\d{3,8}\s{1,3}response)",
            re.I,
        ),
        r"batch=\1",
        "512 prompts",
        "batch=512",
    ),
    Spelling(
        regex(r"\b(prompt|response)s?\s{1,3}of\s{1,3}(?=\d)", re.I),
        r"\1=",
        "prompts of 1024",
        "prompt=1024",
    ),
)
"""Prompts and responses by their names."""
_MODELS = (
    Spelling(
        regex(r"\b(qwen|llama|phi|gemma|olmo|glm|hermes|tulu)\s+(\d)(?=\s|\Z)", re.I),
        r"\1-\2",
        "qwen 3",
        "qwen-3",
    ),
    Spelling(
        regex(r"(?<![\w/-])(llama|phi|gemma|olmo|glm)(\d)(?=\s|\Z)", re.I),
        r"\1-\2",
        "llama3",
        "llama-3",
    ),
)
"""A family and its generation."""
_WITHOUT = (
    Spelling(
        regex(
            r"\b(?:w/o|(?:do(?:es)?n|can|won)['\u2019]?t|cannot|never|avoid(?:ing)?|instead\s+of|"
            r"rather\s+than|except|excluding)(?=\s)",
            re.I,
        ),
        "without",
        "don't offload",
        "without offload",
    ),
    Spelling(
        regex(
            r"(?<![\w-])(no|non|not|without)[\s-]+(?:(?:any|an?|the|us(?:e|ing)|want|need|to|do)\s+)*(\w[\w.+-]*)",
            re.I,
        ),
        r"\1=\2",
        "without using vllm",
        "without=vllm",
    ),
)
"""What is not wanted: without=vllm."""
_SIGNS = (
    Spelling(regex(r"(?<=[a-z])(?:\+|\s\+\s)(?=[a-z])", re.I), " ", "grpo+lora", "grpo lora"),
    Spelling(
        regex(rf"({NUMBER}{UNIT})\s*\+\s*({NUMBER}{UNIT})\b", re.I), r"\1+\2", "1k + 2k", "1k+2k"
    ),
    Spelling(
        regex(r"(?<![\w./+-])(\d{1,3}k|\d{3,6})/(\d{1,3}k|\d{3,6})(?![\w./+-])", re.I),
        r"\1+\2",
        "1k/2k",
        "1k+2k",
    ),
    Spelling(
        regex(r"(?<=\d)\s+x\s+(?=[a-z0-9])|(?<=\d)\s+x(?=[a-z])", re.I), "x", "2 x h100", "2xh100"
    ),
)
"""Signs between words and between numbers."""
SPELLINGS = (
    *(*_NUMBERS, *_CARDS, *_METHODS, *_SETTINGS, *_COUNTS, *_IDLE_WORDS),
    *(*_LENGTHS, *_MODELS, *_WITHOUT, *_SIGNS),
)
