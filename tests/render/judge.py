"""Reads Markdown as GitHub would, and says what became of a text in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html import unescape

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.render.escape import ZERO_WIDTH_SPACE

# What GitHub's filters look for in running text, outside code.
LIVE = re.compile(
    r"@\w|\#[0-9]|GH-[0-9]|(?:https?|ftp)://|www\.|:[\w+-]+:", re.IGNORECASE | re.ASCII
)
FRAGMENTS = (
    *("@", "@octocat", "@org/team", "#1", "o/r#12", "GH-1", "gh-2", "o/r@3f2c1ab"),
    *("http://", "https://x.example/a.png", "www.", "www.x.example", "ftp://a.b", "a@b.example"),
    *("![i](http://x.example/b.png)", "[a](http://x.example)", "[^1]", "[a]: b", "[x] "),
    *("<img src=x>", "<script>", "<!--", "-->", "<details>", "</details>", "</summary>", "<a@b.c>"),
    *("|", "||", "\\", "\\\\", "\\|", "`", "``", "```", "~~~", "~~x~~", "*", "**b**", "_", "__x__"),
    *("\n", "\r\n", "\r", "\t", " ", "  ", "    x", "\n\n", "- ", "+ ", "1. ", "2) ", "> ", "# "),
    *("---", "===", ":--", ":-: | :-:", "$", "$x$", "$$", "${A}", "&", "&amp;", "&#64;", "&lt;"),
    *("\x00", "\x1b[31m", "\u202e", "\u200b", "\u200d", "\u00a0", "\u3000", "\u2800", "\ufe0f"),
    *(":smile:", ":100:", ":", "::", "é", "中文", "😀", "\ud800", "\x85", "\u2028", "a", "7", "."),
)
hostile = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=10).map("".join)


@dataclass
class Seen:
    """What a reader gets."""

    running: list[str] = field(default_factory=list)
    """Texts outside code, as the filters see them."""
    shown: list[str] = field(default_factory=list)
    """All texts, code too."""
    code: list[str] = field(default_factory=list)
    """Inline code."""
    blocks: list[str] = field(default_factory=list)
    """Fenced code."""
    links: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    """Raw HTML, tag by tag."""
    other: set[str] = field(default_factory=set)
    """Types of all other tokens."""
    rows: list[list[str]] = field(default_factory=list)
    """The cells of every table's rows, heading rows too, as shown."""

    @property
    def text(self) -> str:
        """All text as a reader sees it: without the zero-width spaces."""
        return "".join(self.shown).replace(ZERO_WIDTH_SPACE, "")

    def live(self) -> list[str]:
        """What would become a mention, a reference, a link or an emoji."""
        return LIVE.findall("".join(self.running))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like")
    assert parser.linkify is not None
    # GitHub links addresses with a scheme; those without are what `LIVE` looks for.
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": True}).add("//", None)
    return parser


_CELLS = {"td_open": True, "th_open": True, "td_close": False, "th_close": False}


def read(markdown: str) -> Seen:
    """What GitHub would show of `markdown`."""
    seen = Seen()
    in_cell = False
    for token in _parser().parse(markdown):
        if token.type == "tr_open":
            seen.rows.append([])
        in_cell = _CELLS.get(token.type, in_cell)
        if token.type == "inline":
            before = len(seen.shown)
            for child in token.children or ():
                _inline(child, seen)
            if in_cell:
                seen.rows[-1].append("".join(seen.shown[before:]).replace(ZERO_WIDTH_SPACE, ""))
        elif token.type in ("fence", "code_block"):
            seen.blocks.append(token.content)
        elif token.type == "html_block":
            _html(token.content, seen)
        else:
            seen.other.add(token.type)
        if token.type.endswith("_close") and not in_cell:
            seen.running.append("\n")
    return seen


def _inline(token: Token, seen: Seen) -> None:
    if token.type in ("text", "text_special"):
        seen.running.append(token.content)
        seen.shown.append(token.content)
    elif token.type == "code_inline":
        seen.running.append("`")
        seen.shown.append(token.content)
        seen.code.append(token.content)
    elif token.type in ("softbreak", "hardbreak"):
        seen.shown.append("\n")
        seen.running.append("\n")
    elif token.type == "link_open":
        seen.links.append(str(token.attrs["href"]))
    elif token.type == "html_inline":
        _html(token.content, seen)
    else:
        seen.other.add(token.type)


def _html(content: str, seen: Seen) -> None:
    tags = re.findall(r"<!--.*?-->|<[^>]*>", content, re.DOTALL)
    seen.html += tags
    between = re.sub(r"<!--.*?-->|<[^>]*>", "", content, flags=re.DOTALL)
    assert "<" not in between
    seen.running.append(unescape(between))
