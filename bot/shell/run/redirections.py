"""Redirections: the input that is known, and whether the output goes elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.shell.expand.expansion import text_of
from bot.shell.parse.syntax import Redirect, Simple, Substitution, WordNode
from bot.shell.pieces import Value, known
from bot.shell.run.pure import content
from bot.shell.source import Span
from bot.shell.words import Piece
from bot.shell.world.session import Session, hole, shorten
from bot.shell.world.state import World
from bot.shell.world.written import forget, keep

_PORT = ("/dev/tcp/", "/dev/udp/")
"""What bash takes for a port of a host; whether one answers is the machine's."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """Where the output goes instead."""

    path: Value | None
    """None where nobody asked, and for what is no file."""
    more: bool
    """Whether what the file held stays."""


class Redirection:
    """Redirections in force in a world, and what they replace."""

    def __init__(
        self, session: Session, redirects: Sequence[Redirect], world: World, *, kept: bool = False
    ) -> None:
        """Opens the redirections; with `kept` what goes into a file is noted."""
        self._session = session
        self._stdin = world.stdin
        self._output = world.output
        self._reads = any(item.operator.startswith("<") for item in redirects)
        self._asks = asks_port(session, redirects)
        self._to_file = redirect(session, redirects, world, kept=kept)
        if self._to_file is not None:
            world.output = None if self._to_file.path is None else []

    def close(self, world: World) -> None:
        """Closes them in a world that came out of the command."""
        if self._asks and world.flow is None:
            world.settle(None, False)
        if self._reads and self._stdin is not world.stdin:
            world.stdin = self._stdin
        if self._to_file is not None:
            if self._to_file.path is not None and world.output is not None:
                text = tuple(world.output)
                keep(self._session, world, self._to_file.path, text, more=self._to_file.more)
            world.output = None if self._output is None else list(self._output)


def asks_port(session: Session, redirects: Sequence[Redirect]) -> bool:
    """Whether a redirection is a connection, which may be refused: `< /dev/tcp/host/port`."""
    targets = [session.text(item.target) for item in redirects]
    return any(text.lstrip("\"'").startswith(_PORT) for text in targets)


def redirect(
    session: Session, redirects: Sequence[Redirect], world: World, *, kept: bool = False
) -> OutputFile | None:
    """Opens redirections; where the output goes when it goes elsewhere."""
    to_file: OutputFile | None = None
    for item in redirects:
        operator = item.operator
        if operator in ("<<", "<<-"):
            world.stdin = text_of(session, world, item.target)
        elif operator == "<<<":
            value = text_of(session, world, item.target)
            world.stdin = (*value, Piece("\n", Span(item.end, item.end), False))
        elif operator in ("<", "<>", "<&"):
            world.stdin = _input(session, item.target, world)
        else:
            prefix = session.text(item)[:1]
            path: Value | None = None
            if item.target.ready is None or session.tree.known or world.written or kept:
                path = text_of(session, world, item.target)
                session.tree.wrote(world, path)
                if not kept:
                    forget(session, world, path)
            if prefix in "1&>":
                file = path if kept and operator in (">", ">|", ">>") else None
                to_file = OutputFile(file, operator == ">>")
    return to_file


def _input(session: Session, target: WordNode, world: World) -> Value | None:
    part = target.parts[0] if len(target.parts) == 1 else None
    if isinstance(part, Substitution) and part.process == "<":
        return session.capture(world, part.body)
    value = text_of(session, world, target)
    if known(value) == "/dev/null":
        return ()
    return content(session, world, value, target.span)


def redirect_nothing(session: Session, node: Simple, world: World) -> None:
    """Redirections without a command; `$(< file)` gives the content of the file."""
    inner = world.copy()
    redirect(session, node.redirects, inner)
    if asks_port(session, node.redirects):
        world.settle(None, False)
    last = node.redirects[-1]
    if world.output is None or node.assignments or last.operator != "<":
        return
    if inner.stdin is None:
        text = shorten(session.text(last))
        world.output.extend(hole("command", f"output of {text}", node.span))
    else:
        world.output.extend(inner.stdin)
