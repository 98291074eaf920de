"""Prompts and responses by their names, and signs between numbers."""

from __future__ import annotations

from bot.recommend.spellings.spelling import NUMBER, UNIT, Spelling

_UP_TO = r"(?:up\s+to|at\s+most|max(?:imum)?(?:\s+of)?|about|around|under|below|~|<=?)"
_SAYS = (
    r"(?:of|can|may|might|will|would|should|be|are|is|have|has|with|no|not|longer|shorter|more|less|"
    r"than|exactly|usually|typically|roughly|mostly|go|goes|"
    rf"{_UP_TO})"
)
LENGTHS = (
    Spelling(
        rf"\b({NUMBER}{UNIT})\s(?:image|vision|visual)[\s-]tokens?"
        r"(?:\s(?:per|an?|each|in\san?)\s(?:prompts?|samples?|images?|pictures?|examples?))?\b"
        rf"|\b(?:image|vision|visual)[\s_-]tokens?[\s:=]{{1,3}}({NUMBER}{UNIT})\b",
        r" images=\1\2 ",
        "1200 image tokens per sample",
        " images=1200 ",
    ),
    Spelling(
        r"\b(?:total|overall)\s{1,3}(?:(?:len(?:gth)?|tokens?)\s?(?:of\s|[:=]\s?)?"
        r"|of\s(?=\d{1,6}k?\s?tokens))(?=\d)",
        "context=",
        "total length 8192",
        "context=8192",
    ),
    Spelling(
        r"(?<!\dk\s)\b(?:max(?:imum)?|longest|how\slong(?:\san?)?)\s(?:possible\s)?"
        r"(?:(?:prompt|response|context|ctx|seq(?:uence)?)[\s-])?"
        r"(?:len(?:gth)?s?|context|ctx|seq(?:uence)?s?|window)\b(?![\s:=]{0,3}(?:len(?:gth)?\s)?(?:of\s)?\d)"
        r"|\bhow\slong\scan\s(?:the\s|my\s)?(?:prompt|response|answer|output|sequence|context)s?\sbe\b"
        r"|\bup\sto\swhich\s(?:context|length)\b|\blongest\s(?:sequence|response|prompt)s?(?=\s(?:for|of|on)\b)",
        "ask=longest",
        "what max context length for 8b",
        "what ask=longest for 8b",
    ),
    Spelling(
        r"\b(\d{1,3}k|\d{3,6})(?:\stokens?)?\sin(?:put)?\s?[,/&]?\s?(?:and\s)?(\d{1,3}k|\d{3,6})(?:\stokens?)?\sout(?:put)?\b",
        r"\1+\2",
        "512 in 3584 out",
        "512+3584",
    ),
    Spelling(
        r"\b(?:inputs?|prompts?)\s(?:and|/|&)\s(?:outputs?|responses?|answers?)\s(?:of\s)?"
        r"(\d{1,3}k|\d{3,6})(?:\stokens?)?\seach\b|\bboth=\s{0,3}(\d{1,3}k|\d{3,6})",
        r"\1\2+\1\2",
        "prompts and responses of 2k each",
        "2k+2k",
    ),
    Spelling(
        rf"\b(?:(\d{{1,3}}k|\d{{3,6}})(?:[\s-]tokens?)?\s)?questions?(?(1)\b|\s(?=(?:of|{_UP_TO})\s?\d))",
        lambda found: f"{found[1]} prompt" if found[1] else "prompt ",
        "500 token questions",
        "500 prompt",
    ),
    Spelling(r"\b(?:completion|output|answer)s?\b", "response", "outputs 2048", "response 2048"),
    Spelling(r"\binputs?\b", "prompt", "inputs 1024", "prompt 1024"),
    Spelling(
        # So many prompts a step; before so many responses it is their tokens.
        r"(?:\bbatch(?:\ssize)?(?:\sof|=)\s?)?(?<![\w+./-])(\d{1,5})\s{1,3}prompts\b(?!\W{1,9}(?:and\W{1,3})?\d{3,8}\s{1,3}response)",
        r"batch=\1",
        "512 prompts",
        "batch=512",
    ),
    Spelling(
        rf"\b(prompt|response)s?(?:\slen(?:gth)?s?)?(?:\s{_SAYS}){{1,6}}\s{{0,3}}(?=\d)",
        r"\1=",
        "prompts of 1024",
        "prompt=1024",
    ),
)
SIGNS = (
    Spelling(
        r"(?<![\w+./=-])(?![1-5]0[5-9]0\b)(\d{1,3}k|[1-9]\d{3,4})(?:,\s?|\s)"
        r"(?![1-5]0[5-9]0\b)(\d{1,3}k|[1-9]\d{3,4})(?![\w+./%-])",
        r"\1+\2",
        "2k 8k",
        "2k+8k",
    ),
    Spelling(r"(?<=\d)(k?)\s{0,3}(?:\u2192|[-=]>)\s{0,3}(?=\d)", r"\1+", "2k -> 2k", "2k+2k"),
    Spelling(r"(?<=[a-z])(?:\+|\s\+\s)(?=[a-z])", " and ", "grpo+lora", "grpo and lora"),
    Spelling(
        # Not 3090 + 4090.
        rf"(?<![\w.])(?![1-5]0[5-9]0\s)({NUMBER}{UNIT})\s*\+\s*(?![1-5]0[5-9]0\b)({NUMBER}{UNIT})\b"
        r"|(?<![\w./+-])(\d{1,3}k|\d{3,6})/(\d{1,3}k|\d{3,6})(?![\w./+-])",
        r"\1\3+\2\4",
        "1k + 2k",
        "1k+2k",
    ),
    Spelling(r"(?<=\d)\s+x\s+(?=[a-z0-9])|(?<=\d)\s+x(?=[a-z])", "x", "2 x h100", "2xh100"),
)
