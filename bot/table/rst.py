r"""Text as reStructuredText that shows exactly this text, and back.

A word of letters and digits joined by single signs (`Qwen2.5-7B`, `8*H20`, `qwen2_32b`) can start
no markup and stays as it is. In every other word each character that is no letter and no digit gets
a backslash. Sources: docutils' "reStructuredText Markup Specification", sections "Escaping
Mechanism" and "Inline markup recognition rules".
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote as percent_encoded

from bot.base.config import SCRIPT_ENDING
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex

UNKNOWN_CELL = "\\"
"""What the page writes where nothing is known; it shows as an empty cell."""

# Letters and digits of any script; a sign may stand between two of them.
_PLAIN_WORD = regex(r"[^\W_]+(?:[-.*+/_][^\W_]+)*\Z")
_URL = regex(r"https?://[^\s/?#]", re.IGNORECASE)
_PATH = regex(r"(?:\.{1,2}/|/(?!/))[^\s<>`]+" + SCRIPT_ENDING)
_MAIL = regex(r"[A-Za-z0-9.+_-]*[A-Za-z0-9+-]@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]*[A-Za-z0-9])+\Z")
_URL_SAFE = ":/?#[]@!$&'()+,;=%"
_LINK = regex(r"`(?P<text>(?:[^`\\]|\\.)*?)(?<!\s)\s*<(?P<url>[^<>`]+)>`__?\Z", re.DOTALL)
_BARE_URL = regex(r"https?://\S+\Z", re.IGNORECASE)
_ESCAPE = regex(r"\\(.|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """A link cell."""

    text: str
    url: str


def normalise(text: str) -> str:
    """The text that a cell can show: one line, single spaces, no invisible characters.

    White space of any kind becomes one space. Control, format (zero-width, bidirectional),
    private-use, surrogate and unassigned characters are left out.
    """
    visible = (
        character
        for character in text
        if character.isspace() or not unicodedata.category(character).startswith("C")
    )
    return " ".join("".join(visible).split())


def cell(text: str) -> str:
    """The content of one table cell that shows `normalise(text)` and nothing else.

    Nothing to show gives the page's sign for unknown.
    """
    shown = normalise(text)
    return _escape(shown) if shown else UNKNOWN_CELL


def link(text: str, url: str, *, anonymous: bool = False) -> str:
    """A link that shows `normalise(text)`, or the address when there is nothing to show.

    `url` is one that `is_linkable` accepts; ValueError otherwise. What may not stand in an
    address is percent-encoded. `anonymous` gives the form that makes no link name (`__`).
    """
    if not is_linkable(url):
        raise ValueError(f"neither an address nor a script's path: {url!r}")
    target = quote(url)
    shown = normalise(text) or target
    return f"`{_escape(shown)} <{target}>`{'__' if anonymous else '_'}"


def is_linkable(url: str) -> bool:
    """True for an http(s) or mail address, and a script's path from the page or the root."""
    return bool(_URL.match(url) or _MAIL.match(url) or _PATH.match(url))


def quote(url: str) -> str:
    """The address with every character percent-encoded that RST or a browser could take apart."""
    return percent_encoded(url, _URL_SAFE, errors="replace")


def target_of(url: str) -> str:
    """Where docutils makes a link from `link(text, url)` lead."""
    return f"mailto:{url}" if _MAIL.match(url) else quote(url)


def read_link(source: str) -> Link | None:
    """The text and address of a cell that holds one link; None for another cell."""
    source = source.strip()
    found = _LINK.match(source)
    if found:
        url = "".join(plain(found["url"]).split())
        return Link(plain(found["text"]) or url, url)
    return Link(source, source) if _BARE_URL.match(source) else None


def plain(source: str) -> str:
    """The text that a cell shows: of a link its text, of other text the text without escapes."""
    found = _LINK.match(source.strip())
    shown = found["text"] or found["url"] if found else source
    # An escaped space is nothing; any other escaped character is itself.
    unescaped = _ESCAPE.sub(lambda match: "" if match[1].isspace() else match[1], shown)
    return " ".join(unescaped.split())


def _escape(shown: str) -> str:
    escaped = " ".join(
        word if _PLAIN_WORD.match(word) else re.sub(r"([\W_])", r"\\\1", word)
        for word in shown.split(" ")
    )
    # A line of one repeated sign is a transition or a title's border, escaped or not.
    return "\\ " + escaped if not escaped.strip("\\") else escaped
