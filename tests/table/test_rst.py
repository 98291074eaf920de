from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.table import rst
from bot.table.judge import Judgement, Shown, judge
from tests.profiles import scaled

MARKUP = "*`|_<>[](){}\\:.-+=~#'\"!?/@&%$^,;0a1iB \n\r\t\v\f\x00\x1b\x85\u2028\u202e\u200b•«»√中é"
TEXTS = st.one_of(
    st.text(alphabet=st.sampled_from(MARKUP), max_size=24),
    st.text(max_size=24),
    st.sampled_from(
        [
            ".. raw:: html",
            ".. include:: /etc/passwd",
            "|x|",
            ".. |x| replace:: y",
            "`a <javascript:alert(1)>`_",
            ":raw:`x`",
            "a::",
            "::",
            "- - -",
            "1. a",
            "(i) a",
            "A. a",
            ":f: x",
            "-a  b",
            "--opt=x  b",
            "/V  b",
            ">>> x",
            "__ x",
            "[1]_",
            "name_",
            "name__",
            "_`t`",
            "``a",
            "====",
            "----",
            "==== ====",
            "+--+--+",
            "\\\\\\\\",
            "\\",
            "http://example.org/a_ b",
            "x@example.org",
        ]
    ),
)


def in_a_page(cell: str) -> Judgement:
    """The judgement on a table of two columns that holds the cell between plain ones."""
    return judge(
        ".. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n"
        f"   * - before\n     - {cell}\n   * - after\n     - end\n",
        "page.rst",
    )


def around(cell: Shown) -> tuple[tuple[Shown, ...], ...]:
    return (
        (Shown("A"), Shown("B")),
        (Shown("before"), cell),
        (Shown("after"), Shown("end")),
    )


@pytest.mark.parametrize(
    "text",
    [
        "MIN",
        "Qwen2.5-7B",
        "GRPO-LoRA",
        "8*H20",
        "vllm0.8.3",
        "fsdp2",
        "qwen2_32B.sh",
        "0.6.3.post1",
    ],
)
def test_ordinary_cells_are_written_as_they_are(text: str) -> None:
    assert rst.cell(text) == text


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("", "\\"),
        (" \n ", "\\"),
        ("name_", "name\\_"),
        ("*bold*", "\\*bold\\*"),
        ("a | b", "a \\| b"),
        ("- x", "\\- x"),
        (".. raw:: html", "\\.\\. raw\\:\\: html"),
        ("a\nb", "a b"),
        ("a\x00\u202eb", "ab"),
        ("\\", "\\ \\\\"),
    ],
)
def test_signs_of_markup_are_escaped(text: str, source: str) -> None:
    assert rst.cell(text) == source


@settings(max_examples=scaled(400))
@given(TEXTS)
def test_any_text_is_one_cell_that_shows_this_text(text: str) -> None:
    source = rst.cell(text)
    shown = rst.normalise(text)
    if not shown:
        assert source == "\\"
        return
    found = in_a_page(source)
    assert found.tables == (around(Shown(shown)),)
    assert not found.messages
    assert not found.names
    assert rst.plain(source) == shown


URLS = st.builds(
    lambda host, path: f"https://{host}/{path}",
    st.sampled_from(["github.com", "example.org:8443", "[::1]"]),
    st.text(alphabet=st.sampled_from(MARKUP + "%_"), max_size=16),
)


@settings(max_examples=scaled(300))
@given(TEXTS, URLS, st.booleans())
def test_any_link_is_one_cell_with_this_text_and_address(
    text: str, url: str, anonymous: bool
) -> None:
    source = rst.link(text, url, anonymous=anonymous)
    shown = rst.normalise(text) or rst.quote(url)
    found = in_a_page(source)
    assert found.tables == (around(Shown(shown, (rst.quote(url),))),)
    assert not found.messages
    assert bool(found.names) is not anonymous
    assert rst.read_link(source) == rst.Link(shown, rst.quote(url))


@given(st.text())
@settings(max_examples=scaled(200))
def test_normalised_text_is_one_visible_line_and_stays_itself(text: str) -> None:
    shown = rst.normalise(text)
    assert rst.normalise(shown) == shown
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(c).startswith("C") for c in shown)


def test_a_mail_link_leads_to_the_mail() -> None:
    source = rst.link("Ada Lovelace", "ada@example.org")
    assert source == "`Ada Lovelace <ada@example.org>`_"
    expected = around(Shown("Ada Lovelace", (rst.target_of("ada@example.org"),)))
    assert in_a_page(source).tables == (expected,)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.org/x",
        "other_",
        "",
        "a b@example.org",
    ],
)
def test_other_addresses_are_no_links(url: str) -> None:
    assert not rst.is_linkable(url)
    with pytest.raises(ValueError, match="neither an address"):
        rst.link("x", url)


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("`a.sh <https://x.org/a.sh>`_", rst.Link("a.sh", "https://x.org/a.sh")),
        ("`a.sh <https://x.org/a.sh>`__", rst.Link("a.sh", "https://x.org/a.sh")),
        ("`<https://x.org/a.sh>`_", rst.Link("https://x.org/a.sh", "https://x.org/a.sh")),
        ("`a\n  <https://x.org/\n  b>`_", rst.Link("a", "https://x.org/b")),
        ("https://x.org/a.sh", rst.Link("https://x.org/a.sh", "https://x.org/a.sh")),
        ("a.sh", None),
        ("\\", None),
        ("`a <b>`_ and `c <d>`_", None),
    ],
)
def test_links_are_read_back(source: str, link: rst.Link | None) -> None:
    assert rst.read_link(source) == link
