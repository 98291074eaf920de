"""Characters that stand for the unknown parts of a text while it is parsed.

`CMD="python x-$(date)"; eval "$CMD"` runs a text of which a part is known by no reader. What it
holds is taken to be a part of a word, as elsewhere. Where it could be a command, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.shell.parse.syntax import Quoted, Script, Simple, Text, WordNode, WordPart, nodes
from bot.shell.pieces import Value, part
from bot.shell.words import Hole, Piece

FIRST: Final = 0xF0000
LAST: Final = 0xFFFFD
"""The characters of Unicode's private plane 15, which have no meaning of their own."""
SHOWN: Final = "…"
"""How messages show such a part."""


def with_stand_ins(value: Value) -> tuple[str, Mapping[str, Piece]] | None:
    """The characters of a value, and what its unknown parts are; None where it is nothing else."""
    texts: list[str] = []
    unknown: dict[str, Piece] = {}
    for piece in value:
        if isinstance(piece.text, str):
            texts.append(piece.text)
        else:
            stand_in = chr(FIRST + len(unknown))
            unknown[stand_in] = piece
            texts.append(stand_in)
    known = "".join(piece.text for piece in value if isinstance(piece.text, str))
    if unknown and (not known.strip() or len(unknown) > LAST - FIRST or _private(known)):
        return None
    return "".join(texts), unknown


def replace_stand_ins(lines: Sequence[Script], text: str, unknown: Mapping[str, Piece]) -> bool:
    """Puts the unknown parts into a tree, in place; False where one may be more than it stands for.

    `text` is what the tree was parsed from: each stand-in has to be found in a word of it, and in
    none that names a command.
    """
    found = 0
    for node in nodes(lines):
        if isinstance(node, Simple) and _holds(node.words[:1], unknown):
            return False
        if isinstance(node, (WordNode, Quoted)):
            node.parts = [one for item in node.parts for one in _split(item, unknown)]
            found += sum(_is_unknown(item) for item in node.parts)
    return found == sum(character in unknown for character in text)


def _private(text: str) -> bool:
    return any(FIRST <= ord(character) <= LAST for character in text)


def _holds(root: object, unknown: Mapping[str, Piece]) -> bool:
    texts = (str(node.piece.text) for node in nodes(root) if isinstance(node, Text))
    return any(character in unknown for text in texts for character in text)


def _is_unknown(item: WordPart) -> bool:
    return isinstance(item, Text) and isinstance(item.piece.text, Hole)


def _split(item: WordPart, unknown: Mapping[str, Piece]) -> Iterator[WordPart]:
    """A part of a word, cut at the stand-ins."""
    text = item.piece.text if isinstance(item, Text) else None
    if not isinstance(item, Text) or not isinstance(text, str):
        yield item
        return
    begin = 0
    for at, character in enumerate(text):
        if character in unknown:
            if begin < at:
                yield Text(part(item.piece, begin, at))
            yield Text(replace(unknown[character], quoted=item.piece.quoted))
            begin = at + 1
    if begin < len(text) or not text:
        yield item if not begin else Text(part(item.piece, begin, len(text)))
