"""`cd`, `pushd`, `popd` and `pwd`."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from bot.shell.pieces import Value, computed, first_hole, known
from bot.shell.source import Span
from bot.shell.words import Hole, Piece, Word
from bot.shell.world.session import Session, hole
from bot.shell.world.state import ShellVariable, World
from bot.shell.world.tree import SCRIPT_FOLDER, inside
from bot.shell.world.values import scalar


def change_directory(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `cd`."""
    world.settle(0)
    paths = [word for word in words if known(word.pieces) not in ("-P", "-L", "--", "-e", "-n")]
    old = scalar(session, world, "PWD", span)
    if not paths:
        new = scalar(session, world, "HOME", span) or ()
    elif known(paths[0].pieces) == "-":
        new = scalar(session, world, "OLDPWD", span) or hole("environment", "OLDPWD", span)
    else:
        place = session.tree.path(world, paths[0].pieces)
        if place is None:
            new = _resolve(old or (), paths[0].pieces, span)
        else:
            new = session.tree.folder(place, span)
    # Both are exported, but not by the script.
    for name, value in (("OLDPWD", old or ()), ("PWD", new)):
        world.set(name, ShellVariable(value, name_span=span, value_span=span))


def push_directory(session: Session, world: World, words: Sequence[Word], span: Span) -> None:
    """Carries out `pushd folder`; other uses leave the directory unknown."""
    if len(words) != 1 or known(words[0].pieces) == "-n":
        words = [Word(hole("command", "directory that pushd leads to", span), span)]
    change_directory(session, world, words, span)
    _prints(world, "pushd", span)


def pop_directory(session: Session, world: World, span: Span) -> None:
    """Carries out `popd`, which leaves the directory unknown."""
    unknown = hole("command", "directory that popd leads to", span)
    change_directory(session, world, [Word(unknown, span)], span)
    _prints(world, "popd", span)


def _prints(world: World, name: str, span: Span) -> None:
    if world.output is not None:
        world.output.extend(hole("command", f"output of {name}", span))


def print_directory(session: Session, world: World, span: Span) -> None:
    """Carries out `pwd`."""
    world.settle(0)
    if world.output is not None:
        value = scalar(session, world, "PWD", span) or ()
        world.output.extend((*value, Piece("\n", span, False)))


def _resolve(base: Value, path: Value, span: Span) -> Value:
    """The directory that `cd path` leads to from `base`."""
    text = known(path)
    start = known(base)
    if text is None:
        return _unknown(path, span)
    if text.startswith("/"):
        return computed(_normal(text), span)
    if start is None:
        within = inside(text)
        if within is None:
            return hole("environment", f"directory {text} of the working directory", span, "PWD")
        return (*base, Piece(f"/{within}", span, False)) if within else base
    return computed(_normal(start + "/" + text), span)


def _unknown(path: Value, span: Span) -> Value:
    """The directory that a path with unknown parts leads to."""
    first = path[0].text
    if isinstance(first, str) and first.startswith("/"):
        return path
    if len(path) == 1 and first == SCRIPT_FOLDER:
        return path
    if isinstance(first, Hole):
        rest = known(path[1:]) or ""
        below = rest.rstrip("/") if first.name == "HOME" and rest.startswith("/") else ""
        found = Hole("environment", "directory that cd leads to", "PWD", path=below)
        return (Piece(found, span, False),)
    reason = first_hole(path)
    return hole("environment", reason.reason if reason else "PWD", span, "PWD")


def _normal(path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes."""
    return posixpath.normpath("/" + path.lstrip("/"))
