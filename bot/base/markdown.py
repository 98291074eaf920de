"""Parses untrusted Markdown, and no more of it than is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.base.regex import regex

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore

_MOST_COLUMNS = 100
_LEVELS = 10
"""Quotes, lists and the like in each other; what stands deeper is left out."""
_PLAIN = regex(r"[A-Za-z0-9 .,/+-]*")


def with_tables(parser: MarkdownIt, text: str) -> MarkdownIt:
    """The parser, which reads tables unless one of the text is wider than anybody reads.

    Each of its rows has all columns, so that a few thousand characters make millions of cells.
    """
    wide = any(line.count("|") > _MOST_COLUMNS for line in text.split("\n"))
    return parser.disable("table") if wide else parser.enable("table")


def leave_plain(parser: MarkdownIt) -> MarkdownIt:
    """Make one token of text that has nothing to parse, such as most cells of a table."""
    from markdown_it.token import Token

    def inline(state: StateCore) -> None:
        for token in state.tokens:
            if token.type != "inline":
                continue
            if _PLAIN.fullmatch(token.content):
                token.children = [Token("text", "", 0, content=token.content)]
            else:
                token.children = []
                state.md.inline.parse(token.content, state.md, state.env, token.children)

    parser.core.ruler.at("inline", inline)
    # Lines that go on a quote are looked at once for each quote around it.
    parser.options["maxNesting"] = _LEVELS
    return parser
