"""The files that a script writes itself, to run or to be read: `cat > job.sh <<EOF`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from bot.base.regex import regex
from bot.shell.pieces import Value, known, part, size
from bot.shell.words import Hole, Piece, Word, WrittenFile
from bot.shell.world.session import Session
from bot.shell.world.stand_ins import FIRST, LAST, with_stand_ins
from bot.shell.world.state import World

_LARGEST = 1 << 18
"""Characters of a file that are kept."""
_CONFIGURATION = (".yaml", ".yml", ".json")
_PATH = regex(rf"[\w./{chr(FIRST)}-{chr(LAST)}-]{{1,400}}\.(?:ya?ml|json)\b")
_PROGRAM = ".py"
_MOST_FILES = 8
"""Configuration files of one command."""
_NAMES = ("command", "limit", "unsupported")
"""Kinds of unknown parts that may be another one in each place of the script."""


def keep(session: Session, world: World, path: Value, text: Value, *, more: bool = False) -> None:
    """Notes what a file holds; with `more` the text is added to it."""
    place = _place(session, world, path)
    if more and place in world.written:
        text = (*world.written[place], *text)
    if place is None or (more and place not in world.written) or size(text) > _LARGEST:
        forget(session, world, path)
    else:
        session.work(size(text))
        world.written = {**world.written, place: text}


def forget(session: Session, world: World, path: Value) -> None:
    """Notes that a file may have changed."""
    if world.written:
        place = _place(session, world, path)
        world.written = {one: text for one, text in world.written.items() if one != place}


def text_written(session: Session, world: World, path: Value) -> Value | None:
    """What the script has written into a file; None where that is not known."""
    return world.written.get(_place(session, world, path)) if world.written else None


def files_named(session: Session, world: World, words: Sequence[Word]) -> Mapping[str, WrittenFile]:
    """The configuration files and programs among those written that words name.

    Also what such a file names; a Python program may name any configuration file itself.
    """
    found: dict[str, WrittenFile] = {}
    waiting = [word.pieces for word in words if world.written]
    if waiting and any((known(pieces) or "").endswith(_PROGRAM) for pieces in waiting):
        names = _names_here(session, world)
        waiting += [(Piece(name, session.at),) for name in islice(names, _MOST_FILES)]
    while waiting and len(found) < _MOST_FILES:
        path = _behind_equals(waiting.pop(0))
        name = Word(path, session.at).text
        if name in found or not name.endswith((*_CONFIGURATION, _PROGRAM)):
            continue
        text = text_written(session, world, path)
        held = with_stand_ins(text) if text else None
        if text is None or held is None:
            continue
        session.work(size(text))
        stand_ins = iter(held[1])
        pieces = (
            p if isinstance(p.text, str) else replace(p, text=next(stand_ins), literal=False)
            for p in text
        )
        file = found[name] = WrittenFile(Word(tuple(pieces), session.at), held[1])
        paths = (Word((Piece(one, session.at),), session.at) for one in _PATH.findall(held[0]))
        waiting += [file.placed(path).pieces for path in paths]
    return found


def _names_here(session: Session, world: World) -> Iterator[str]:
    """The configuration files that were written, as one names them where the script is."""
    folder = world.variables.get("PWD")
    base = session.tree.path(world, folder.value or ()) if folder is not None else ""
    for place in world.written:
        name = place if isinstance(place, str) else None
        if folder is None and isinstance(place, tuple) and len(place) == 1:
            name = place[0] if isinstance(place[0], str) else None
        if name is not None and base is not None and name.endswith(_CONFIGURATION):
            yield posixpath.relpath(name, base or ".") if base else name


def _behind_equals(path: Value) -> Value:
    """The path of a word that may be an option's with it: `--config=x.yaml`."""
    first = path[0] if path else None
    text = first.text if first is not None else None
    if first is None or not isinstance(text, str) or "=" not in text:
        return path
    at = text.index("=") + 1
    return (part(first, at, len(text)), *path[1:]) if at < len(text) else path[1:]


def _place(session: Session, world: World, path: Value) -> object:
    """What stands for a file: its path from the root, or its parts where that is not known."""
    if (place := session.tree.path(world, path)) is not None:
        return place
    text = known(path)
    if text in ("", "/dev/null"):
        return None
    first = path[0].text if path else ""
    variable = world.variables.get("PWD")
    parts: list[object] = []
    if variable is not None and isinstance(first, str) and not first.startswith("/"):
        parts += [*_parts(variable.value or ()), "/"]
    return _merge_parts([*parts, *_parts(path)])


def _parts(value: Value) -> Iterator[object]:
    for piece in value:
        if isinstance(piece.text, Hole):
            yield piece.text, piece.span if piece.text.kind in _NAMES else None
        else:
            yield piece.text


def _merge_parts(parts: list[object]) -> tuple[object, ...]:
    """Parts with neighbouring characters in one, and without `./`."""
    result: list[object] = []
    for one in parts:
        if isinstance(one, str) and result and isinstance(result[-1], str):
            result[-1] += one
        else:
            result.append(one)
    return tuple(_normal(one) if isinstance(one, str) else one for one in result)


def _normal(text: str) -> str:
    names = text.split("/")
    return "/".join(name for name in names if name != ".")
