"""Comments and descriptions of pull requests, by class: as long as GitHub takes them."""

from __future__ import annotations

from typing import Final

MOST: Final = 65_536


def _of(text: str, length: int = MOST - 100) -> str:
    return (text * (length // len(text) + 1))[:length]


COMMENTS: Final[dict[str, str]] = {
    name: f"/verify\n\n{text}"
    for name, text in {
        "blanks after a command": "\n/verify" + " " * 60_000 + "\x0b\n",
        "declarations": _of("<![ "),
        "declarations in a block": "<div>\n" + _of("<![ "),
        "open quotes in HTML": "<div>\n" + _of('<a href="'),
        "open comments in HTML": "<div>\n" + _of("<!-- a"),
        "open elements": "/verify " + _of("<div>"),
        "open brackets": _of("["),
        "open images": _of("!["),
        "open links": _of("[a](<"),
        "links in links": _of("[a", 30_000) + _of("](b)", 30_000),
        "emphasis in links": _of("[*a"),
        "emphasis": _of("a**b_c"),
        "runs of backticks": "".join("`" * n + "a" for n in range(1, 355)),
        "a table of lines": "|a|\n|-|\n" + _of("|a\n", MOST // 2),
        "a wide table": "|" + _of("a|", 999) + "\n|" + _of("-|", 999) + "\n" + _of("|\n", 30_000),
        "quotes": _of("> - \n"),
        "lines that go on a quote": ">" * 100 + "a\n" + _of("a\n", 20_000),
        "lists": "".join(" " * (2 * n) + "- a\n" for n in range(250)),
        "references": "".join(f"[a{n}]: b\n" for n in range(5_000)),
        "addresses": _of("https://wandb.ai/"),
        "entities": "<div>\n" + _of("&#"),
        "a long entity": "<div>\n&#" + "9" * 5_000 + ";<a href='&#" + "9" * 5_000 + ";'>",
    }.items()
}  # fmt: skip
