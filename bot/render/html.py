"""The comment as a page of its own, for reading it outside GitHub."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from bot.base.html_parser import StrangersHtml
from bot.base.messages import Language
from bot.render.charts import CHART_CSS, CSS, FIGURE_CSS, Figure
from bot.render.escape import html_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# The part of GitHub's allow-list that the comment uses; other tags go, their text stays.
_TAGS = frozenset({"details", "summary", "br", "code", "span", "sub", "sup"})
_TAG: Mapping[Language, str] = {"en": "en", "zh": "zh-Hans"}
_HIDDEN = frozenset({"script", "style"})
_SHORT = 12
"""Characters of code that stay on one line."""


def page(
    markdown: str, title: str, *, language: Language = "en", figures: Sequence[Figure] = ()
) -> str:
    """`markdown` rendered as GitHub renders a comment, in a page that loads and runs nothing.

    HTML in it is cut down to the tags that the comment uses, without their attributes; images
    become links. Figures stand after the first table, or after the first paragraph where there is
    none: drawings of our own making, never text of a report.
    """
    # The style is allowed by its hash, so that no other style applies, not even an attribute.
    style = CSS + CHART_CSS + FIGURE_CSS if figures else CSS
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        "<!doctype html>\n"
        f'<html lang="{_TAG[language]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html_text(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>\n{_body(markdown, figures)}</main>\n</body>\n</html>\n"
    )


def _body(markdown: str, figures: Sequence[Figure]) -> str:
    parser = _parser()
    environment: dict[str, object] = {}
    tokens = parser.parse(markdown, environment)
    closes = {token.type: at for at, token in reversed([*enumerate(tokens)]) if token.level == 0}
    split = closes.get("table_close", closes.get("paragraph_close", len(tokens) - 1)) + 1
    before, after = (
        str(parser.renderer.render(part, parser.options, environment))
        for part in (tokens[:split], tokens[split:])
    )
    drawn = "".join(
        f"<figure>\n<figcaption>{figure.caption}</figcaption>\n"
        f'<div class="wide">{figure.wide}</div>\n<div class="narrow">{figure.narrow}</div>\n'
        "</figure>\n"
        for figure in figures
    )
    return before + drawn + after


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # What GitHub makes a link of by itself, an address in running text, a comment holds none of.
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("image")
    parser.add_render_rule("html_inline", _html)
    parser.add_render_rule("html_block", _html)
    parser.add_render_rule("code_inline", _code)
    for cell in ("th_open", "td_open"):
        parser.add_render_rule(cell, _aligned)
    return parser


def _html(_renderer: object, tokens, index, _options, _env) -> str:  # type: ignore[no-untyped-def]
    allowed = _Allowed()
    allowed.feed(tokens[index].content)
    allowed.close()
    return "".join(allowed.kept)


def _code(_renderer: object, tokens, index, _options, _env) -> str:  # type: ignore[no-untyped-def]
    """Inline code; a number or another short value never breaks, however narrow its cell is."""
    from markdown_it.common.utils import escapeHtml

    text = tokens[index].content
    kind = ' class="short"' if len(text) <= _SHORT else ""
    return f"<code{kind}>{escapeHtml(text)}</code>"


def _aligned(renderer, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    style = tokens[index].attrs.pop("style", "")
    if style:
        tokens[index].attrs["align"] = str(style).removeprefix("text-align:")
    return str(renderer.renderToken(tokens, index, options, env))


class _Allowed(StrangersHtml):
    """Keeps allowed tags and all text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.kept: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        if tag in _TAGS:
            is_open = tag == "details" and any(name == "open" for name, _ in attrs)
            self.kept.append(f"<{tag}{' open' if is_open else ''}>")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        if tag in _TAGS and tag != "br":
            self.kept.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            # Line ends stay, unlike in `html_text`: the parser's blocks depend on none of them.
            self.kept.append("\n".join(html_text(line) for line in data.split("\n")))
