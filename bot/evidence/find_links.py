"""Run links in a text that people write: a pull request's description or a comment.

The text is read as GitHub's Markdown. A link counts in running text, in a table, as a Markdown link
or as `<https://…>`. In a quote or in code it counts less: what is quoted is not what is said, and
code is an example as often as a statement. Comments of HTML, which templates are full of, count for
nothing. Whatever looks like a link of W&B and is none to a run is named and refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.html_parser import StrangersHtml
from bot.base.markdown import leave_plain, with_tables
from bot.base.messages import mark, message, sentence_of
from bot.base.regex import regex
from bot.evidence.facts import EvidenceError
from bot.evidence.links import HOSTS, PUBLIC_ONLY, RunHosts, RunLink, parse_link

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TextPart: TypeAlias = Literal["text", "quote", "code"]

MAX_TEXT: Final = 65_536
"""Characters that are read: as many as GitHub takes in a description or a comment."""
MAX_LINKS: Final = 200
_MAX_HTML: Final = 16_384
"""Characters of one stretch of HTML that are read: open quotes take the square of them."""
_ADDRESS = regex(r"(?:[A-Za-z][A-Za-z0-9+.\-]{1,15}:)?//[^\s<>\"`|]{1,2100}")
_BARE = regex(r"(?<![\w./@:%-])(?:www\.)?(?:wandb\.ai|forge\.coreweave\.com)/[^\s<>\"`|]{1,2100}")
_RUN_PATH = regex(r"(?:/[^/?#]+){2}/runs/[^/?#]+")
_USER = regex(r"(//)[^/?#@]*@")
_LOOKALIKES = str.maketrans("аеорсухіԁѡԝ01345", "aeopcyxidwwoleas")
"""Letters of other alphabets, and digits, that are drawn like Latin ones."""
_SCHEME = regex(r"(?:([A-Za-z][A-Za-z0-9+.\-]{1,15}):)?//")
_COMMENT = regex(r"<!--(?:(?!-->).)*(?:-->)?", re.DOTALL)
_EAST_ASIAN = regex(r"[\u2e80-\u9fff\uff00-\uffef]")
_ABOUT: Final = frozenset(
    {"docs.wandb.ai", "community.wandb.ai", "docs.coreweave.com", "www.coreweave.com"}
)
"""Hosts whose pages are about W&B and never a run."""
_PUBLISHERS: Final = (".readthedocs.io", ".github.io")


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link to one run, with what stands around it."""

    link: RunLink
    where: TextPart
    around: str
    """The block that it stands in: a paragraph, a table's row, an item's text, a code block."""
    before: str
    """What stands before it in the text, nearest last: the names of scripts are looked for here."""


@dataclass(frozen=True, slots=True)
class RefusedLink:
    """Something that looks like a link of W&B and is none to a run."""

    text: str
    """As written, without user name and password."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class FoundLinks:
    """The links of one text, in its order, each run once."""

    links: tuple[FoundLink, ...] = ()
    refused: tuple[RefusedLink, ...] = ()


def find_links(text: str, hosts: RunHosts = PUBLIC_ONLY) -> FoundLinks:
    """The run links of a Markdown text, on a public host or one of `hosts`. Never raises.

    Links in quotes and code are left out where the text holds any outside of them.
    """
    found: dict[RunLink, FoundLink] = {}
    refused: dict[str, RefusedLink] = {}
    before = ""
    for block in _blocks(text[:MAX_TEXT]):
        for address in block.addresses:
            if len(found) + len(refused) >= MAX_LINKS:
                break
            if not (hosts.has_tracker(address) or _concerns(address, hosts.names)):
                continue
            try:
                link = parse_link(address, hosts)
            except EvidenceError as error:
                shown = _USER.sub(r"\1***@", address)[:300]
                refused.setdefault(shown, RefusedLink(shown, sentence_of(error)))
                continue
            seen = FoundLink(link, block.where, block.text, before)
            known = found.get(link)
            if known is None or (known.where != "text" and block.where == "text"):
                found[link] = seen
        before = f"{before}\n{block.text}"[-4000:]
    if len(text) > MAX_TEXT:
        reason = message(_LONG, characters=len(text), limit=MAX_TEXT)
        refused.setdefault("", RefusedLink("", reason))
    in_text = tuple(each for each in found.values() if each.where == "text")
    return FoundLinks(in_text or tuple(found.values()), tuple(refused.values()))


_LONG: Final = mark(
    "The text has {characters} characters; links after the first {limit} were not looked for."
)


@dataclass(slots=True)
class _Block:
    where: TextPart
    text: str = ""
    addresses: tuple[str, ...] = ()


def _blocks(text: str) -> Iterator[_Block]:
    """The blocks that can hold a link, with the addresses in each."""
    row: list[_Block] | None = None
    for kind, block in _pieces(text):
        if kind == "tr_open":
            row = []
        elif kind == "tr_close":
            if row:  # A row is one block: the script in one cell, the run in another.
                addresses = tuple(address for cell in row for address in cell.addresses)
                words = " ".join(cell.text for cell in row)
                yield _Block(row[0].where, words, addresses)
            row = None
        elif row is not None:
            row.append(block)
        else:
            yield block


def _pieces(text: str) -> Iterator[tuple[str, _Block]]:
    """The blocks as they come, each with its kind; an empty one where a row begins or ends."""
    quotes = 0
    for token in with_tables(_parser(), text).parse(text):
        where: TextPart = "quote" if quotes else "text"
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type in ("tr_open", "tr_close"):
            yield token.type, _Block(where)
        elif token.type in ("fence", "code_block"):
            yield token.type, _Block("code", token.content, tuple(_addresses(token.content)))
        elif token.type in ("inline", "html_block"):
            for block in _inline(token, where):
                yield token.type, block


def _inline(token: Token, where: TextPart) -> Iterator[_Block]:
    """The running text of a block; then each span of code in it."""
    parts: list[str] = []
    hrefs: list[str] = []
    code: list[str] = []
    for child in token.children or ([token] if token.type == "html_block" else []):
        if child.type in ("text", "text_special"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type.startswith(("em_", "strong_", "s_")):
            parts.append(child.markup)  # An address is found before emphasis: runs/_x_y.
        elif child.type == "link_open":
            hrefs.append(str(child.attrs.get("href", "")))
        elif child.type == "code_inline":
            code.append(child.content)
            parts.append(f" {child.content} " if not list(_addresses(child.content)) else " ")
        elif child.type in ("html_inline", "html_block"):
            html = _Html()
            # The standard parser gives up on some declarations: what stands before them counts.
            with suppress(AssertionError):
                html.feed(_COMMENT.sub("", child.content)[:_MAX_HTML])
                html.close()
            parts.append(html.text)
            hrefs += html.hrefs
    text = "".join(parts)
    yield _Block(where, text, tuple(dict.fromkeys((*hrefs, *_addresses(text)))))
    for span in code:
        addresses = tuple(_addresses(span))
        if addresses:
            yield _Block("code", text, addresses)


class _Html(StrangersHtml):
    """The links and the text of a stretch of HTML; comments hold neither."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.hrefs: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.hrefs += [value for name, value in attrs if name == "href" and value]

    def handle_data(self, data: str) -> None:
        self.text += data


def _addresses(text: str) -> Iterator[str]:
    taken = 0
    for match in sorted([*_ADDRESS.finditer(text), *_BARE.finditer(text)], key=lambda m: m.start()):
        if match.start() >= taken:
            taken = match.end()
            yield _trimmed(match[0])


def _trimmed(address: str) -> str:
    """Without the marks that end a sentence, as GitHub links bare addresses."""
    begin = _SCHEME.match(address)
    path = address.find("/", begin.end() if begin else 0)
    # Chinese and Japanese sentences go on without a space.
    if path >= 0 and (foreign := _EAST_ASIAN.search(address, path)):
        address = address[: foreign.start()]
    while address:
        last = address[-1]
        if _ends_a_sentence(last) or (
            last in ")]" and address.count(last) > address.count("(" if last == ")" else "[")
        ):
            address = address[:-1]
        else:
            break
    return address


def _ends_a_sentence(letter: str) -> bool:
    """A mark that GitHub leaves out of a link's end, or one of those beyond ASCII."""
    if letter.isascii():
        return letter in "?!.,:;*_~'\""
    return unicodedata.category(letter) in ("Pe", "Pf", "Po")


def _concerns(address: str, hosts: tuple[str, ...]) -> bool:
    """Whether an address is one of W&B, looks like one, or has the form of one."""
    begin = _SCHEME.match(address)
    scheme, rest = (begin[1] or "", address[begin.end() :]) if begin else ("", address)
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    host = authority.rpartition("@")[2].partition(":")[0]
    if not host or scheme.casefold() not in ("", "http", "https", "wandb"):
        return False
    plain = _skeleton(host)
    if plain in _ABOUT or plain.endswith(_PUBLISHERS) or address.startswith("mailto:"):
        return False
    names = [_skeleton(name) for name in (*HOSTS, *hosts)]
    if any(plain == name or plain.endswith("." + name) for name in names):
        return True
    return "wandb" in plain or "coreweave" in plain or bool(_RUN_PATH.match(rest[len(authority) :]))


def _skeleton(host: str) -> str:
    """A host as it looks: other alphabets' letters, digits and accents as the Latin ones."""
    labels = []
    for label in host.split("."):
        if label.lower().startswith("xn--"):
            try:
                label = label.encode("ascii").decode("idna")
            except UnicodeError:
                return "wandb"  # An international name that cannot be read is not trusted.
        labels.append(label)
    folded = unicodedata.normalize("NFKD", ".".join(labels)).casefold()
    bare = "".join(char for char in folded if unicodedata.category(char) not in ("Mn", "Cf"))
    return bare.translate(_LOOKALIKES).replace("vv", "w")


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        """Keeps addresses as they are written: what they are is decided here."""

        def normalizeLink(self, url: str) -> str:  # noqa: N802
            return url

        def validateLink(self, _url: str) -> bool:  # noqa: N802
            return True

    return leave_plain(Parser("commonmark").enable("strikethrough"))
