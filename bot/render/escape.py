r"""The only place that escapes: one function for each kind of place that untrusted text goes to.

Every sink shows a character that cannot be seen (control, bidirectional, zero-width, exotic space)
as its code point, `\x1b` or `\u202e`, so that nothing is hidden and nothing is lost silently.

GitHub looks for mentions, issue references and emoji names in the HTML that Markdown has already
become, so a backslash or an entity does not stop them: `\@name` and `&#64;name` both notify
(github/cmark-gfm issues 181 and 389). What stops them is a zero-width space after the sign, or a
code element. The Markdown sinks for running text therefore write `@&#8203;name`; the two code
sinks leave the text as it is, so that it can be copied. A commit id is left alone: GitHub links
it only where that commit exists, and tells nobody.
"""

from __future__ import annotations

import re
import unicodedata

from bot.base.messages import pieces
from bot.base.regex import regex

ZERO_WIDTH_SPACE = "\u200b"

# Characters that are blank or ignorable when drawn although Unicode does not call them so by
# their category: joiners and fillers, variation selectors, the empty Braille cell.
_BLANK = regex(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    r"\U0001d159\U000e0100-\U000e01ef]"
)
_WIDE_SPACE = unicodedata.lookup("IDEOGRAPHIC SPACE")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_SPACES = regex(r"[ \t\r\n]+")
_LINE_END = regex(r"\r\n|\r")
_BACKTICKS = regex(r"`+")

# What GitHub turns into a mention, a reference, a link or an emoji in running text, also when
# what follows the text completes it; the zero-width space goes behind it.
_LIVE = regex(
    r"@|\#(?=[0-9]|\Z)|(?i:GH-)(?=[0-9]|\Z)|:(?=//)|(?i:www)(?=\.|\Z)"
    r"|:(?=[A-Za-z0-9_+\-]+(?::|\Z))"
)
_MARKUP = regex(r"[\\`*_\[\]~|<>&$]")
_ENTITIES = {
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    # GitHub's documentation on mathematical expressions: a dollar sign is kept from opening a
    # formula by a span element, not by a backslash.
    "$": "<span>$</span>",
}
# What opens a block at the start of a line: headings, lists, rules, a table's second line.
_OPENS_BLOCK = regex(r"[0-9]+(?=[.)])|(?=[-+=:#])")
_LANGUAGE = regex(r"[a-z0-9+-]*\Z")
_ADDRESS = regex(r"https://[a-z0-9.-]+(?::[0-9]{1,5})?/[A-Za-z0-9._~/%?=&+,:;#-]*\Z", re.IGNORECASE)
# A link to one of these makes GitHub write "mentioned this" into somebody else's thread.
_REFERS_BACK = regex(r"/(?:issues|pull|pulls|discussions)/[0-9]", re.IGNORECASE)


def visible(text: str, *, keep: str = "") -> str:
    r"""`text` with every character that cannot be seen written as its code point.

    These are the characters that Python's `repr` would escape (controls, format and bidirectional
    characters, surrogates, line separators, spaces other than U+0020, unassigned ones) and those
    that are blank by design. A backslash stays single: the result is for reading, not decoding.
    Characters in `keep` stay as they are. Idempotent.
    """
    if text.isprintable() and (text.isascii() or not _BLANK.search(text)):
        return text
    unseen = {char for char in set(text) if not char.isprintable() or _BLANK.match(char)}
    return text.translate({ord(char): _point(char) for char in unseen - set(keep)})


def _point(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    number = ord(char)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def clip(text: str, length: int) -> str:
    """`visible(text)`, its middle replaced by an ellipsis when longer than `length` (3 or more)."""
    # No character becomes shorter: of a long text the two ends decide.
    seen = text if len(text) <= 2 * length else text[:length] + text[-length:]
    shown = visible(seen, keep="\n\t")
    if len(shown) <= length:
        return shown
    tail = (length - 1) // 3
    return f"{shown[: length - 1 - tail]}…{shown[len(shown) - tail :]}"


def markdown_inline(text: str) -> str:
    """Running text of a Markdown paragraph, list item or heading, also at the start of a line.

    Normalisation: runs of blanks, tabs and line ends become one space, the ends are stripped, and
    the rest is as `visible` shows it. Nothing in it is markup, a link, a mention or a reference.
    """
    shown = visible(_SPACES.sub(" ", text).strip(" "))
    marked = _MARKUP.sub(lambda m: _ENTITIES.get(m[0], f"\\{m[0]}"), _defused(shown))
    if opening := _OPENS_BLOCK.match(marked):
        marked = f"{opening[0]}\\{marked[opening.end() :]}"
    return marked.replace(ZERO_WIDTH_SPACE, "&#8203;")


def markdown_cell(text: str) -> str:
    """Running text of a Markdown table's cell: never another cell, never another row.

    The same normalisation as `markdown_inline`, which escapes pipes and takes out line ends.
    """
    return markdown_inline(text)


def code_span(text: str, *, cell: bool = False) -> str:
    """`text` as inline code; with `cell`, inside a Markdown table.

    Normalisation: a line end or tab becomes one space, the rest is as `visible` shows it. Empty
    text gives an empty string: Markdown has no empty code span. A pipe needs its backslash in a
    table and must not have one elsewhere, hence `cell`.
    """
    shown = visible(_LINE_END.sub("\n", text).replace("\n", " ").replace("\t", " "))
    if not shown:
        return ""
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(shown)), default=0))
    # Markdown takes one space off both ends, unless there is nothing but spaces.
    stripped = shown[0] == " " == shown[-1] and shown.strip(" ")
    pad = " " if stripped or "`" in (shown[0], shown[-1]) else ""
    inside = shown.replace("|", "\\|") if cell else shown
    return f"{fence}{pad}{inside}{pad}{fence}"


def code_block(text: str, language: str = "") -> str:
    r"""`text` as a fenced block, without a line end after it; starts at the start of a line.

    Normalisation: line ends become `\n` and one at the end is dropped; tabs and all kinds of
    space stay, the rest is as `visible` shows it. Raises ValueError for a `language` that is not
    lower-case letters, digits, `+` and `-`.
    """
    if not _LANGUAGE.match(language):
        raise ValueError(f"not the name of a language: {language!r}")
    lines = _LINE_END.sub("\n", text).removesuffix("\n")
    # Wide spaces are part of Chinese pages, and a patch must keep them to apply.
    shown = visible(lines, keep=f"\n\t\u00a0{_WIDE_SPACE}")
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}" if shown else f"{fence}{language}\n{fence}"


def link(label: str, address: str | None) -> str:
    """`label` linked to `address`, or `label` alone when the address is not a plain https one.

    Plain: host, path, query and fragment of unreserved ASCII, no user name; and not an issue,
    pull request or discussion, where GitHub would announce the link.
    """
    return _linked(markdown_inline(label), address)


def code_link(text: str, address: str | None) -> str:
    """`text` as inline code, linked to the address where that is one that `link` takes."""
    return _linked(code_span(text), address)


def _linked(shown: str, address: str | None) -> str:
    if not shown or not address or not _ADDRESS.match(address) or _REFERS_BACK.search(address):
        return shown
    return f"[{shown}](<{address.replace('&', '&amp;')}>)"


def sentence_inline(text: str) -> str:
    """A sentence as `markdown_inline` shows it; what our own template has in backticks is code."""
    parts = pieces(text)
    if len(parts) == 1:
        return markdown_inline(text)
    shown = []
    for at, part in enumerate(parts):
        if at % 2:
            shown.append(code_span(part))
            continue
        before, after = part[: 1 if part[:1] == " " else 0], " " if part[-1:] == " " else ""
        middle = markdown_inline(part)
        shown.append(f"{before}{middle}{after}" if middle else part[:1].strip("\n\t") or "")
    return "".join(shown).strip()


def html_text(text: str) -> str:
    """Text of an HTML element or a quoted attribute, such as a summary or a title.

    Normalisation as `markdown_inline`; mentions and references are broken as there, since GitHub
    looks for them in the HTML of a comment too.
    """
    shown = visible(_SPACES.sub(" ", text).strip(" "))
    from html import escape  # With the table of all entities.

    safe = escape(_defused(shown), quote=True).replace("$", "&#36;")
    return safe.replace(ZERO_WIDTH_SPACE, "&#8203;")


def _defused(shown: str) -> str:
    return _LIVE.sub(lambda m: m[0] + ZERO_WIDTH_SPACE, shown)


def workflow_command(text: str) -> str:
    """The message of a workflow command of GitHub Actions, `::error::` and its like.

    Percent and line ends are encoded as the Actions toolkit does, so that the runner shows them
    and reads no second command; other characters that cannot be seen are as `visible` shows them.
    """
    return _percent(visible(text, keep="\r\n"), "%\r\n")


def workflow_property(text: str) -> str:
    """A property of a workflow command (`file=`, `title=`): also colon and comma are encoded."""
    return _percent(visible(text, keep="\r\n"), "%\r\n:,")


def _percent(text: str, characters: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in characters else char for char in text)


def terminal(text: str) -> str:
    r"""One line for a terminal: line ends, tabs and escape sequences are shown, not acted on.

    In a log of GitHub Actions a line that starts with `::` is still a command: print it between
    `::stop-commands::` and its end.
    """
    return visible(text)
