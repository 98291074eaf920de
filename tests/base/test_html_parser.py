"""HTML of strangers."""

from __future__ import annotations

import pytest

from bot.base.html_parser import StrangersHtml
from bot.evidence.find_links import find_links
from bot.evidence.links import RunHosts
from bot.github.commands import commands

DIGITS = "9" * 5_000


class Text(StrangersHtml):
    """Keeps text and attributes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = ""

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += "".join(value or "" for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.found += data


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a &amp; b", "a & b"),
        ("&#65;&#x42;", "AB"),
        ("&#1114109;", "\U0010fffd"),
        ("&#9999999;", "\ufffd"),
        (f"a&#{DIGITS};b", "a\ufffdb"),
        (f"&#{'0' * 5_000}65;", "\ufffd"),
        (f"<a href='x&#{DIGITS};y'>", "x\ufffdy"),
    ],
)
def test_references(text: str, found: str) -> None:
    parser = Text()
    parser.feed(text)
    parser.close()
    assert parser.found == found


@pytest.mark.parametrize("text", [f"&#{DIGITS};", f'<a href="&#{DIGITS};">'])
def test_a_comment_with_a_long_reference_is_read(text: str) -> None:
    """`int` refuses 4,300 digits, and Python's parser hands it as many as there are."""
    assert commands(f"/verify\n\n<div>\n{text}\n</div>\n")
    link = "https://wandb.ai/ada/tuning/runs/abc123"
    found = find_links(f'<div>\n{text}</a> <a href="{link}">run</a>\n</div>\n', RunHosts())
    assert [each.link.url for each in found.links] == [link]
