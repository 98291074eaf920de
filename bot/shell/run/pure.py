"""Commands whose output follows from their arguments and input alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.base.messages import message
from bot.shell.limits import LimitReached, NotEvaluated
from bot.shell.pieces import Value, computed, cut, known
from bot.shell.run.filters import FILTERS
from bot.shell.source import Span
from bot.shell.words import Hole, Piece, Word
from bot.shell.world.session import Session
from bot.shell.world.state import World
from bot.shell.world.tree import SCRIPT_FOLDER, SCRIPT_PREFIX


def pure(
    session: Session, world: World, name: str, words: Sequence[Word], span: Span
) -> Value | None:
    """What a command writes as it succeeds; None when the reader does not know it."""
    if name == "cat":
        return _cat(session, world, words, span)
    if name in FILTERS:
        return _filtered(session, world, name, words, span)
    if name in ("realpath", "readlink"):
        path = _absolute(session, world, name, words, span)
    else:
        path = _path(session, name, [word.pieces for word in words], span)
    return None if path is None else (*path, *computed("\n", span))


def _filtered(
    session: Session, world: World, name: str, words: Sequence[Word], span: Span
) -> Value | None:
    """What a command makes of its input, where that and the arguments are known."""
    texts = [text for word in words if (text := known(word.pieces)) is not None]
    if len(texts) < len(words):
        return None
    try:
        stdin = None if world.stdin is None else known(world.stdin)
        output = FILTERS[name](session, texts, stdin)
    except NotEvaluated:
        return None
    session.spend(len(output))
    return computed(output, span) if output else ()


def _absolute(
    session: Session, world: World, name: str, words: Sequence[Word], span: Span
) -> Value | None:
    """The path that `realpath path` and `readlink -f path` write, links not counted."""
    options = [text for word in words if (text := known(word.pieces)) in _OPTIONS]
    paths = [word.pieces for word in words if known(word.pieces) not in _OPTIONS]
    if len(paths) != 1 or (name == "readlink" and not {"-f", "-e", "-m"}.intersection(options)):
        return None
    path = paths[0]
    if path and path[0].text == SCRIPT_PREFIX and "/" not in (known(path[1:]) or "/"):
        slash = Piece("/", path[0].span, False)
        path = (replace(path[0], text=SCRIPT_FOLDER), slash, *path[1:])
        if not session.tree.known:
            return path
    place = session.tree.path(world, path)
    return None if place is None else session.tree.folder(place, span)


def content(session: Session, world: World, path: Value, span: Span) -> Value | None:
    """The content of a file; None where it is unknown."""
    place = session.tree.path(world, path)
    if place is None:
        return None
    try:
        text = session.tree.text(place, span)
    except LimitReached as reached:
        session.limit(reached, message("a file is not read"))
        return None
    if not text:
        return None if text is None else ()
    session.spend(len(text))
    return computed(text, span)


def _cat(session: Session, world: World, words: Sequence[Word], span: Span) -> Value | None:
    """What `cat` writes: its input, or files of the tree."""
    result: list[Piece] = []
    for path in [word.pieces for word in words] or [()]:
        text = known(path)
        if text is not None and text.startswith("-") and text != "-":
            return None
        value = world.stdin if text in ("", "-") else content(session, world, path, span)
        if value is None:
            return None
        result.extend(value)
    return tuple(result)


def _path(session: Session, name: str, words: list[Value], span: Span) -> Value | None:
    """Dirname and basename keep the places of the characters they leave."""
    if name == "dirname" and len(words) == 1 and (above := session.tree.above(words[0], span)):
        return above
    if words and known(words[0]) == "--":
        words = words[1:]
    if not words or (known(words[0]) or "x").startswith("-") or len(words) > 2:
        return None
    path = words[0]
    text = known(path)
    suffix = known(words[1]) if len(words) > 1 else ""
    if suffix is None or (name == "dirname" and len(words) > 1):
        return None
    if text is None:
        return _unknown_path(name, path, suffix)
    stripped = text.rstrip("/")
    if name == "dirname":
        return _dirname(path, text, span)
    if not stripped:
        return computed("/", span) if text else ()
    start = stripped.rfind("/") + 1
    return cut(path, start, _without_suffix(stripped, start, suffix))


def _dirname(path: Value, text: str, span: Span) -> Value:
    stripped = text.rstrip("/")
    if not stripped:
        return computed("/" if text else ".", span)
    at = stripped.rfind("/")
    if at < 0:
        return computed(".", span)
    head = stripped[:at].rstrip("/")
    return cut(path, 0, len(head)) if head else computed("/", span)


def _without_suffix(text: str, start: int, suffix: str) -> int:
    """Where a name that starts at `start` ends without a suffix."""
    end = len(text) - len(suffix)
    return end if suffix and text.endswith(suffix) and end > start else len(text)


def _unknown_path(name: str, path: Value, suffix: str) -> Value | None:
    """The last component of a path is certain where it stands behind every hole."""
    last = max(index for index, piece in enumerate(path) if isinstance(piece.text, Hole))
    hole = path[last].text
    tail = path[last + 1 :]
    text = known(tail) or ""
    directory = hole == SCRIPT_PREFIX
    if text.endswith("/") or ("/" not in text and not directory) or not text.strip("/"):
        return None
    at = text.rfind("/")
    if name == "dirname":
        if directory and at < 0 and last == 0:
            return (replace(path[0], text=SCRIPT_FOLDER),)
        if directory or at == 0:
            return None if directory else path[: last + 1]
        return (*path[: last + 1], *cut(tail, 0, at))
    return cut(tail, at + 1, _without_suffix(text, at + 1, suffix))


_OPTIONS = ("-e", "-f", "-m", "-s", "--")
PURE = frozenset(FILTERS) | {"dirname", "basename", "cat", "realpath", "readlink"}
"""Commands that the reader carries out, where it can."""
