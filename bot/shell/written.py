"""The files that a script writes itself, so far as it may run them: `cat > job.sh <<EOF`."""

from __future__ import annotations

from collections.abc import Iterator

from bot.shell.session import Session
from bot.shell.state import Value, World, known, size
from bot.shell.words import Hole

_LARGEST = 1 << 18
"""Characters of a file that are kept."""
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
    for part in parts:
        if isinstance(part, str) and result and isinstance(result[-1], str):
            result[-1] += part
        else:
            result.append(part)
    return tuple(_normal(one) if isinstance(one, str) else one for one in result)


def _normal(text: str) -> str:
    names = text.split("/")
    return "/".join(name for name in names if name != ".")
