"""Runs nodes of a script in every world that is possible: what all kinds of commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.limits import LimitReached
from bot.shell.parse.syntax import CommandNode, Group, If, Item, Loop, Pipeline, Script, Subshell
from bot.shell.world.choices import Choices
from bot.shell.world.session import CommandFault, ExpansionFault, Session
from bot.shell.world.state import Flow, World, merge
from bot.shell.world.widening import widened

_SHELL = regex(r"\b(?:ba)?sh\b")
"""What may start a shell, which counts where the output of the command is wanted."""


class Runner:
    """Hands each node to what runs its kind, and keeps the worlds that come out within bounds."""

    def __init__(
        self, session: Session, handlers: Mapping[type, Callable[..., list[World]]]
    ) -> None:
        """Takes for each kind of node a function that gives the worlds behind it."""
        self.session = session
        self._handlers = handlers
        self._guarded = 0
        self._chooses: dict[tuple[int, int, bool], bool] = {}
        """For places of commands whether they may have to choose."""

    def run(self, node: CommandNode, world: World) -> list[World]:
        """Runs a command in a world, which it may change; the worlds that come out.

        Where a shell of its own may end in several ways, the command is run again for each.
        """
        session = self.session
        if not self._may_choose(node, world):
            return self._once(node, world)
        session.spend(0, world.weight())
        before = world.copy()
        outer, session.choices = session.choices, Choices()
        try:
            worlds = self._once(node, world)
            waiting = session.choices.others()
            for _ in range(session.limits.worlds - 1):
                if not waiting:
                    break
                session.choices = Choices(waiting.pop())
                worlds.extend(self._once(node, before.copy()))
                waiting.extend(session.choices.others())
            if waiting:
                self._left_out(node)
        finally:
            session.choices = outer
        return self.bounded(worlds, node, status=True)

    def _may_choose(self, node: CommandNode, world: World) -> bool:
        """Whether a command itself, and not one inside it, may start a shell of its own."""
        if isinstance(node, (Pipeline, Subshell)):
            return world.output is not None
        if isinstance(node, (Group, If, Loop)):
            return False
        place = (node.start, node.end, world.output is not None)
        found = self._chooses.get(place)
        if found is None:
            text = self.session.text(node)
            # A shell of its own, whose output may be one of several.
            found = "$(" in text or "`" in text or "<(" in text
            found = found or (world.output is not None and _SHELL.search(text) is not None)
            self._chooses[place] = found
        return found

    def _once(self, node: CommandNode, world: World) -> list[World]:
        try:
            return self._handlers[type(node)](self, node, world)
        except ExpansionFault as fault:
            # Bash gives up the line, or the script.
            world.settle(1)
            ends = "errexit" in world.options and not isinstance(fault, CommandFault)
            fatal = fault.fatal or ends
            world.flow = Flow("exit" if fatal else "discard")
            return [world]

    def run_list(self, script: Script, worlds: list[World]) -> list[World]:
        """Runs a list of commands in several worlds."""
        for item in script.items:
            last = item is script.items[-1]
            following: list[World] = []
            for world in worlds:
                if world.flow is not None:
                    following.append(world)
                elif item.background:
                    self._background(item, world)
                    following.append(world)
                else:
                    following.extend(self.run(item.command, world))
            worlds = self.bounded(following, item.command, status=last)
        return worlds

    def _background(self, item: Item, world: World) -> None:
        inner = world.copy()
        inner.output = None
        inner.stdin = None
        inner.exit_trap = None
        self.run(item.command, inner)
        world.settle(0)

    def bounded(
        self, worlds: list[World], node: CommandNode, *, status: bool = False
    ) -> list[World]:
        """Worlds without doubles, and not more of them than the bound allows.

        With `status` worlds that differ in their exit status alone are kept apart.
        """
        if len(worlds) < 2:
            return worlds
        before = len(worlds)
        self.session.work(sum(len(world.ways) - 1 for world in worlds))
        ending = [one for one in worlds if one.exit_trap is not None and _ends(one)]
        if len(ending) > 1:  # What they run at the end is read once.
            worlds = [one for one in worlds if one.exit_trap is None or not _ends(one)]
            worlds += widened(ending, "when the script ends")
        worlds = merge(worlds, status=status)
        if len(worlds) < before:
            self.session.work(sum(world.weight() for world in worlds))
        most = self.session.limits.worlds
        if len(worlds) > most:
            self.session.work(sum(len(world.variables) for world in worlds) // 16)
            worlds[most // 2 :] = widened(worlds[most // 2 :], "on one of many ways")
        if len(worlds) > most:
            self._left_out(node)
            # What still runs matters more than what has ended.
            worlds.sort(key=lambda world: world.flow is not None)
            del worlds[most:]
        return worlds

    def _left_out(self, node: CommandNode) -> None:
        reached = LimitReached("worlds", self.session.limits, node.span)
        self.session.limit(reached, message("some ways through the script are left out"))

    def begin(self, node: CommandNode) -> None:
        """Counts a command and notes where it stands."""
        self.session.step(node.start, node.end)
        self.session.at = node.span

    # set -e

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Where a failing command does not end the script under `set -e`."""
        self._guarded += 1
        try:
            yield
        finally:
            self._guarded -= 1

    @property
    def guarded(self) -> bool:
        """Whether `set -e` does nothing where the script is."""
        return self._guarded > 0

    def check(self, world: World) -> None:
        """Ends the script after a failed command where `set -e` says so."""
        if world.status and not self._guarded and "errexit" in world.options and world.flow is None:
            world.flow = Flow("exit")


def _ends(world: World) -> bool:
    return world.flow is not None and world.flow.kind == "exit"
