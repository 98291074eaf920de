from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from hypothesis import given, settings
from syrupy.assertion import SnapshotAssertion

from bot.render.html import page
from bot.render.markdown import comment
from tests.profiles import scaled
from tests.render import factories as make
from tests.render.judge import hostile

VOID = {"meta", "br", "hr"}
KNOWN = VOID | {
    *("html", "head", "title", "style", "body", "main", "details", "summary", "code", "pre"),
    *("p", "strong", "em", "s", "ul", "ol", "li", "a", "span", "sub", "sup", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}


class Outline(HTMLParser):
    """The tags of a page, and whether they are balanced."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    return parser


def test_page(snapshot: SnapshotAssertion) -> None:
    html = page(comment(make.report(make.good(), make.bad())), "rlbot on #7")
    read = outline(html)
    assert read.open == []
    assert read.tags <= KNOWN
    assert html[html.index("<main>") :] == snapshot


def test_the_policy_allows_the_style_and_nothing_else() -> None:
    html = page("x", "x")
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    (policy,) = (
        v
        for t, n, v in outline(html).attributes
        if (t, n) == ("meta", "content") and v and "src" in v
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_html_of_the_markdown_is_cut_down() -> None:
    html = page(
        "<details open onclick=x><summary class=a>s</summary>\n\n**b**\n\n</details>\n\n"
        "<script>alert(1)</script>\n\n<img src=http://x.example/a.png> <iframe src=x></iframe>\n\n"
        "![i](http://x.example/b.png)\n\n| a |\n| --: |\n| 1 |\n",
        "<title>",
    )
    body = html[html.index("<main>") :]
    assert "<details open><summary>s</summary>" in body
    assert "<strong>b</strong>" in body
    assert '<td align="right">1</td>' in body
    for gone in ("script", "alert", "<img", "iframe", "onclick", "class=", "style="):
        assert gone not in body
    assert "<title>&lt;title&gt;</title>" in html


@settings(max_examples=scaled(300))
@given(hostile, hostile)
def test_any_markdown_is_a_page_that_loads_nothing(markdown: str, title: str) -> None:
    read = outline(page(markdown, title))
    assert read.tags <= KNOWN
    for tag, name, value in read.attributes:
        if tag == "meta" or (tag, name, value) == ("html", "lang", "en"):
            continue
        assert (tag, name) in {
            ("a", "href"),
            ("a", "title"),
            ("code", "class"),
            ("details", "open"),
            ("ol", "start"),
            ("th", "align"),
            ("td", "align"),
        }
        assert name != "href" or not (value or "").lower().startswith(("javascript:", "data:"))
