from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.render import escape
from tests.profiles import scaled
from tests.render.judge import LIVE, hostile, read

ONE_LINE = re.compile(r"[ \t\r\n]+")


def steady(examples: int = 150) -> settings:
    """The same examples each time, however slow the machine."""
    return settings(max_examples=scaled(examples))


def normal(text: str) -> str:
    """The documented normalisation of running text."""
    return escape.visible(ONE_LINE.sub(" ", text).strip(" "))


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("plain", "plain"),
        ("中文 √ × →", "中文 √ × →"),
        (r"C:\x1b", r"C:\x1b"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\u202eb", r"a\u202eb"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("a\u00a0b\u3000", r"a\xa0b\u3000"),
        ("\u2800\u3164\ufe0f", r"\u2800\u3164\ufe0f"),
        ("\U000e0041", r"\U000e0041"),
        ("\udcff", r"\udcff"),
        ("a\r\n\tb", r"a\r\n\tb"),
    ],
)
def test_what_cannot_be_seen_is_shown(given_: str, shown: str) -> None:
    assert escape.visible(given_) == shown
    assert escape.terminal(given_) == shown


@given(hostile)
@steady()
def test_a_terminal_gets_one_printable_line(text: str) -> None:
    shown = escape.terminal(text)
    assert shown.isprintable()
    assert escape.visible(shown) == shown
    shown.encode()


@given(hostile, st.integers(3, 30))
@steady()
def test_clipping_keeps_both_ends(text: str, length: int) -> None:
    whole = escape.visible(text, keep="\n\t")
    short = escape.clip(text, length)
    assert len(short) <= length
    assert short == whole or (
        "…" in short
        and whole.startswith(short[0])
        and whole.endswith(short[-1] if length > 3 else "")
    )


@pytest.mark.parametrize(
    ("given_", "markdown"),
    [
        ("two words", "two words"),
        ("a_b", r"a\_b"),
        ("@ada", "@&#8203;ada"),
        ("see #12 and GH-3", "see #&#8203;12 and GH-&#8203;3"),
        ("not an end: #", "not an end: #&#8203;"),
        ("GH-", "GH-&#8203;"),
        ("www", "www&#8203;"),
        (":tada", r"\:&#8203;tada"),
        ("https://a.b", "https:&#8203;//a.b"),
        ("www.a.b", "www&#8203;.a.b"),
        (":tada:", r"\:&#8203;tada:"),
        ("${GPUS}", "<span>$</span>{GPUS}"),
        ("a|b", r"a\|b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("![x](y)", r"!\[x\](y)"),
        ("- x", r"\- x"),
        ("1. x", r"1\. x"),
        ("10) x", r"10\) x"),
        ("=", r"\="),
        ("\\", "\\\\"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_running_text(given_: str, markdown: str) -> None:
    assert escape.markdown_inline(given_) == markdown


@pytest.mark.parametrize("frame", ["{}", "- {}", "before\n{}\nafter", "**b** {} `c`", "> {}"])
@given(text=hostile)
@steady(150)
def test_running_text_is_nothing_but_text(frame: str, text: str) -> None:
    plain = read(frame.format("word"))
    seen = read(frame.format(escape.markdown_inline(text)))
    assert not seen.links
    assert set(seen.html) <= {"<span>", "</span>"}
    assert seen.other <= plain.other
    assert seen.code == plain.code
    assert not seen.blocks
    assert not seen.live()
    assert normal(text) in seen.text
    if frame == "{}":
        assert seen.text == normal(text)


@given(hostile, hostile, hostile)
@steady(300)
def test_a_cell_stays_one_cell(first: str, second: str, third: str) -> None:
    cells = (
        escape.markdown_cell(first),
        escape.code_span(second, cell=True),
        escape.markdown_cell(third),
    )
    seen = read(f"| a | b | c |\n|---|---|---|\n| {' | '.join(cells)} |\n| x | y | z |\n")
    code = escape.visible(re.sub(r"\r\n|[\r\n\t]", " ", second))
    assert seen.rows == [
        ["a", "b", "c"],
        [normal(first), code, normal(third)],
        ["x", "y", "z"],
    ]
    assert seen.code == ([code] if code else [])
    assert not seen.links
    assert not seen.live()
    assert set(seen.html) <= {"<span>", "</span>"}


@given(hostile)
@steady()
def test_a_code_span_holds_all_of_it(text: str) -> None:
    seen = read(f"a {escape.code_span(text)} z")
    code = escape.visible(re.sub(r"\r\n|[\r\n\t]", " ", text))
    assert seen.code == ([code] if code else [])
    assert seen.other <= {"paragraph_open", "paragraph_close"}
    assert not seen.live()
    assert not seen.html


@given(hostile, st.sampled_from(["", "rst", "diff"]))
@steady()
def test_a_code_block_holds_all_of_it(text: str, language: str) -> None:
    seen = read(f"before\n\n{escape.code_block(text, language)}\n\nafter")
    lines = re.sub(r"\r\n|\r", "\n", text).removesuffix("\n")
    assert [block.removesuffix("\n") for block in seen.blocks] == [
        escape.visible(lines, keep="\n\t\u00a0\u3000")
    ]
    assert seen.text == "beforeafter"


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_a_code_block_is_not_ended_by_a_fence_in_it(fence: str) -> None:
    inside = f"a\n{fence}\n**b**\n{fence}\n"
    seen = read(f"{escape.code_block(inside)}\nafter")
    assert seen.blocks == [inside]
    assert seen.text == "after"


def test_a_code_block_refuses_a_language_that_could_end_its_line() -> None:
    with pytest.raises(ValueError, match="language"):
        escape.code_block("x", "rst\n")


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_comment(self, _data: str, /) -> None:
        self.tags.append(("comment", []))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(hostile)
@steady()
def test_html_text_is_nothing_but_text(text: str) -> None:
    safe = escape.html_text(text)
    parser = _Html()
    parser.feed(f'<b title="{safe}">{safe}</b>')
    parser.close()
    ((tag, [(name, value)]),) = parser.tags
    assert (tag, name, value) == ("b", "title", parser.text)
    assert parser.text.replace(escape.ZERO_WIDTH_SPACE, "") == normal(text)
    assert not LIVE.search(parser.text)
    assert "\n" not in safe


@given(hostile)
@steady()
def test_html_text_cannot_end_a_summary_in_markdown(text: str) -> None:
    summary = escape.html_text(text)
    seen = read(f"<details><summary>{summary}</summary>\n\nbody\n\n</details>")
    assert seen.html == ["<details>", "<summary>", "</summary>", "</details>"]
    assert seen.text == "body"


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "http://a.example/x",
        "javascript:alert(1)",
        "https://a.example",
        "https://user@a.example/",
        "https://a.example/x y",
        "https://a.example/x)",
        "https://a.example/>",
        "https://a.example/x\n",
        "https://a.example/é",
        "https://github.com/o/r/issues/1",
        "https://github.com/o/r/pull/12/files",
        "https://github.com/o/r/discussions/3",
    ],
)
def test_a_doubtful_address_is_no_link(address: str | None) -> None:
    assert escape.link("rule", address) == "rule"


@given(hostile, hostile)
@steady()
def test_a_link_goes_where_it_says_or_nowhere(label: str, tail: str) -> None:
    address = f"https://wandb.ai/a/{tail}"
    seen = read(f"x {escape.link(label, address)} y")
    assert seen.links in ([], [address])
    assert normal(label) in seen.text
    assert not seen.live()
    assert "image" not in seen.other


def test_a_link() -> None:
    made = escape.link("run 1", "https://wandb.ai/a/b/runs/1?x=1&copy=2")
    assert made == "[run 1](<https://wandb.ai/a/b/runs/1?x=1&amp;copy=2>)"
    assert read(made).links == ["https://wandb.ai/a/b/runs/1?x=1&copy=2"]


@given(hostile)
@steady()
def test_a_workflow_command_carries_its_text(text: str) -> None:
    seen = escape.visible(text, keep="\r\n")
    for made in (escape.workflow_command(text), escape.workflow_property(text)):
        assert made.isprintable()
        assert unquote(made) == seen
    assert not set(":,") & set(escape.workflow_property(text))


def test_a_workflow_command_as_the_actions_toolkit_writes_it() -> None:
    assert escape.workflow_command("50% of a:b,c\r\n::set-env::") == (
        "50%25 of a:b,c%0D%0A::set-env::"
    )
    assert escape.workflow_property("a:b,c\n") == "a%3Ab%2Cc%0A"
