"""Numbers that people tell besides: years, steps, data, prices of time."""

from __future__ import annotations

import re

from bot.base.regex import regex
from bot.recommend.spellings.spelling import NUMBER, UNIT, Spelling

_DATA = (
    r"(?:alpaca|capybara|dapo|deepmath|dolly|gsm8k|guanaco|infinity|lima|magpie|math|numina\w{0,8}|"
    r"oasst\w{0,2}|openhermes|openr1|orca|sharegpt|slimorca|squad|tulu|ultrachat|ultrafeedback|"
    r"wildchat)"
)
_COUNTED = (
    r"(?:pairs|conversations|dialogues|documents|docs|tickets|instructions|entries|items|images|"
    r"pictures|layers|papers|users|people|students|tools|turns|months?|weeks?|years?|minutes?|"
    r"seconds?|epochs?|steps|iterations|hours?|days?)"
)
INCIDENTAL = (
    Spelling(
        regex(r"\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]))?\b"),
        "",
        "2025-04-28",
        "",
    ),
    Spelling(
        regex(
            r"\b(?:in|by|since|from|of|until|before|after|year)\s20[12]\d\b(?!\s?(?:tok|x|\+))",
            re.I,
        ),
        "",
        "in 2026",
        "",
    ),
    Spelling(
        regex(r"(?<![\w.])[+-]?\d{1,4}(?:\.\d{1,3})?\s?%(?!\w)"),
        "",
        "62.4 %",
        "",
    ),
    Spelling(
        regex(
            r"\b\d{2,4}\s?(?:w|watts?|kwh|usd/h|tok(?:ens)?/s(?:ec)?|it/s|s/it|fps|mhz|ghz)\b", re.I
        ),
        "",
        "700 W",
        "",
    ),
    Spelling(
        regex(rf"\b{_DATA}[\s-]{{1,2}}\d{{1,4}}k\b", re.I),
        "",
        "alpaca 52k",
        "",
    ),
    Spelling(
        regex(r"\b\d{1,4}(?:\.\d{1,2})?\s?[bmt]\stokens\b", re.I),
        "",
        "1.5B tokens",
        "",
    ),
    Spelling(
        regex(rf"(?<![\w.=]){NUMBER}{UNIT}[\s-]+{_COUNTED}\b", re.I),
        "",
        "3 epochs",
        "",
    ),
    Spelling(
        regex(
            rf"(?<![\w.=]){NUMBER}{UNIT}[\s-]+(?:\w{{3,12}}\s)?"
            r"(?=(?:samples?|examples|rows|records|problems)\b)",
            re.I,
        ),
        "",
        "100k synthetic samples",
        "samples",
    ),
    Spelling(
        regex(
            rf"(?<![\w.=]){NUMBER}{UNIT}\s(?:(?:test|training)\s)?(?:prompts|questions)\s"
            r"(?:in|of)\s(?:the\s|my\s|our\s)?(?:data|train|set)\w{0,6}",
            re.I,
        ),
        "",
        "2000 prompts in the dataset",
        "",
    ),
    Spelling(
        regex(
            rf"(?<![\w.=]){NUMBER}\s(?:test|training|eval)\s(?:prompts|questions|problems)\b", re.I
        ),
        "",
        "1319 test questions",
        "",
    ),
    Spelling(
        regex(
            r"\bgrad(?:ient)?s?[\s_-]accum\w{0,9}(?:[\s_]steps)?[\s:=]{0,3}(?:of\s)?(\d{1,5})\b",
            re.I,
        ),
        r"grad_accum=\1",
        "gradient accumulation of 8",
        "grad_accum=8",
    ),
)
"""A number of these things counts no card, and is no length."""
