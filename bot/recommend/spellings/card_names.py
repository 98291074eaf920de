"""Cards: a name's parts in one word, as the device table writes it."""

from __future__ import annotations

from bot.recommend.spellings.spelling import Spelling, left_out

CARDS = (
    Spelling(
        r"(?:rtx[\s-]*|(?<![\w-])|(?<=\dx))(?:pro[\s-]*([456][05]00)|([456][05]00)[\s-]*pro)"
        r"(?:[\s-]+(?:blackwell|max-?q|workstation|server|edition))*\b",
        r"rtxpro\1\2",
        "rtx pro 6000 blackwell",
        "rtxpro6000",
    ),
    Spelling(
        r"(?:\b|(?<=\dx))(?:rtx[ -]{0,3})?a?([456][05]00)[ -]{0,3}ada(?:[ -]{1,3}generation)?\b",
        r"rtx\1ada",
        "rtx 6000 ada generation",
        "rtx6000ada",
    ),
    Spelling(r"(?<![a-wyz])ascend[ -]{1,3}(?=9\d\d)", "ascend", "Ascend 910b", "ascend910b"),
    Spelling(
        r"(?<![\w.])(?:(\d{1,3})\s?x?\s?)?(?:of\s)?\b[dh]gx[\s-]([abh]\d00)s?\b(?:\s?x\s?(\d{1,2})\b)?",
        lambda found: f"nodes={found[1] or found[3] or 1}_ {found[2]}",
        "2 DGX A100",
        "nodes=2_ A100",
    ),
    Spelling(r"\b(?:atlas[\s-])?800[ti]?[\s-]a2\b", "8x910b", "Atlas 800T A2", "8x910b"),
    Spelling(r"\batlas[\s-]900[\s-]a3\b", "910c", "Atlas 900 A3", "910c"),
    left_out(r"(?<=910b)[1-3]\b", "910B3", "910B"),
    Spelling(
        r"(?<![\w.-])(?<!minimax )m[1-5](?:[ -](?:max|pro|ultra))?(?![\w.-])",
        "mac",
        "m3 max",
        "mac",
    ),
    left_out(r"(?<=\d)\ssxm\d(?:\sac)?\b", "B300 SXM6 AC", "B300"),
    Spelling(r"\b([45]050)\slaptop\b", r"\1laptop", "RTX 4050 Laptop GPU", "RTX 4050laptop GPU"),
    Spelling(r"\bh100[ -]{1,3}nvl\b", "h100nvl", "h100 nvl", "h100nvl"),
    Spelling(r"\bgh200[ -]{1,3}(?:120|480) ?gb\b", "gh200", "gh200 480 gb", "gh200"),
    Spelling(r"\b([ah])/([ah]100)\b", r"\g<1>100 or \2", "a/h100", "a100 or h100"),
    Spelling(r"\brtx[\s-]{0,3}(a\d{4})(?!\d)", r"\1", "rtx a6000", "a6000"),
    Spelling(r"([rg]tx|\brx|\barc)\s+([ab]?\d{3,4})(?!\d)", r"\1\2", "rtx 4090", "rtx4090"),
    Spelling(r"(?<=[1-5][06][5-9]0)[ -]{1,3}(d|ti|super)s?\b", r"\1", "4070 super", "4070super"),
    left_out(r"(?<=[345]0[6-9]0ti)[ -]{1,3}(?=supers?\b)", "4070ti super", "4070tisuper"),
)
