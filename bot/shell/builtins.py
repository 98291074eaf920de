"""Builtins: those that change the shell, and those whose output or status counts."""

from __future__ import annotations

from collections.abc import Sequence

from bot.shell.bracket import evaluate_test
from bot.shell.declarations import declare, unset
from bot.shell.formats import echo, printf
from bot.shell.inputs import getopts, mapfile, read
from bot.shell.numbers import Unknown, integer
from bot.shell.session import ExpansionFault, hole
from bot.shell.source import Span
from bot.shell.sources import Sources
from bot.shell.state import Flow, OpenArguments, Value, Variable, World, first_hole, known, size
from bot.shell.syntax import Assignment, Simple
from bot.shell.tree import SCRIPT_FOLDER
from bot.shell.values import assign_scalar, scalar
from bot.shell.verdicts import TestFault
from bot.shell.words import Hole, Piece, Word
from bot.shell.words import Variable as Record

BUILTINS = frozenset(
    {
        ":", "true", "false", "echo", "printf", "cd", "pwd", "export", "declare",
        "typeset", "local", "readonly", "unset", "set", "shift", "exit", "return",
        "break", "continue", "eval", "source", ".", "test", "[", "let", "read", "alias",
        "unalias", "shopt", "trap", "wait", "jobs", "kill", "ulimit", "umask", "type",
        "hash", "command", "builtin", "exec", "getopts", "mapfile", "readarray", "pushd",
        "popd", "dirs", "history", "disown", "bg", "fg", "enable", "help", "times",
        "caller", "complete", "compgen", "compopt", "bind", "suspend", "logout",
    }
)  # fmt: skip
_OPTIONS = {
    "e": "errexit", "u": "nounset", "x": "xtrace", "a": "allexport", "f": "noglob", "v": "verbose",
    "n": "noexec", "C": "noclobber", "E": "errtrace", "T": "functrace", "m": "monitor",
    "b": "notify", "h": "hashall", "k": "keyword", "p": "privileged", "t": "onecmd",
    "B": "braceexpand", "H": "histexpand", "P": "physical",
}  # fmt: skip
_FOLDERS = "_rlbot_folders"
"""A variable that no script has: the directories that `pushd` left."""


class Builtins(Sources):
    """Runs builtins."""

    def call(self, name: str, arguments: tuple[Value, ...], world: World) -> list[World]:
        """Calls a function."""
        raise NotImplementedError

    def external(
        self, node: Simple, world: World, words: list[Word], prefix: Sequence[Record] = ()
    ) -> list[World]:
        """Records a command."""
        raise NotImplementedError

    def fault(self, world: World, fault: ExpansionFault) -> list[World]:
        """What an expansion error does."""
        raise NotImplementedError

    def builtin(
        self, name: str, words: list[Word | Assignment], node: Simple, world: World
    ) -> list[World]:
        """Runs a builtin."""
        session = self.session
        arguments = words[1:]
        if name in ("export", "declare", "typeset", "local", "readonly"):
            declare(session, world, name, arguments)
            return [world]
        plain = [word for word in arguments if isinstance(word, Word)]
        span = Span(node.start, node.end)
        match name:
            case "echo" | "printf":
                self._write(name, plain, world, span)
            case "test" | "[":
                self._test(name, plain, world)
            case "set":
                self._set(plain, world)
            case "shift":
                self._shift(plain, world)
            case "exit" | "return" | "break" | "continue":
                self._leave(name, plain, world)
            case "cd":
                self._cd(plain, world, span)
            case "pushd" | "popd":
                self._folders(name, plain, world, span)
            case "pwd":
                world.settle(0)
                if world.output is not None:
                    value = scalar(session, world, "PWD", span) or ()
                    world.output.extend((*value, Piece("\n", span, False)))
            case "unset":
                unset(session, world, plain)
            case "let":
                self._let(plain, world, span)
            case "eval":
                return self.eval(plain, world, span)
            case "source" | ".":
                return self.source(plain, world, span)
            case "read":
                read(session, world, plain, node)
            case "mapfile" | "readarray":
                mapfile(session, world, plain, node)
            case "getopts":
                getopts(session, world, plain, node)
            case "command" | "builtin" | "exec":
                return self._command(name, words, node, world)
            case "type" | "hash":
                self._type(plain, world)
            case "false":
                world.settle(1)
            case "kill" | "wait" | "fg" | "bg" | "jobs":
                world.settle(None, name == "wait")
            case "compgen" | "caller" | "help" | "dirs" | "ulimit" | "umask" | "times":
                world.settle(0)
                if world.output is not None:
                    world.output.extend(hole("command", f"output of {name}", span))
            case _:
                # Without effect on what is launched: alias, trap, shopt, true, :, …
                world.settle(0)
        return [world]

    def _write(self, name: str, words: list[Word], world: World, span: Span) -> None:
        world.settle(0)
        if name == "printf" and words[:1] and known(words[0].pieces) == "-v":
            target = known(words[1].pieces) if len(words) > 1 else None
            if target and target.isidentifier():
                value = printf(self.session, words[2:], span)
                assign_scalar(self.session, world, target, value, words[1].span, span)
        elif world.output is not None:
            value = echo(words, span) if name == "echo" else printf(self.session, words, span)
            self.session.spend(size(value), len(value))
            world.output.extend(value)

    def _test(self, name: str, words: list[Word], world: World) -> None:
        if name == "[":
            if not words or known(words[-1].pieces) != "]":
                world.settle(2)
                return
            words = words[:-1]
        try:
            verdict = evaluate_test(self.session, world, words)
        except TestFault:
            if any(not word.complete for word in words):
                world.settle(None, False)
            else:
                world.settle(2)
            return
        if verdict.outcome is None:
            world.settle(None, False, verdict.question)
        else:
            world.settle(0 if verdict.outcome else 1)

    def _set(self, words: list[Word], world: World) -> None:
        world.settle(0)
        options = set(world.options)
        at = 0
        while at < len(words):
            text = known(words[at].pieces)
            if text is None or text[:1] not in ("-", "+") or len(text) < 2:
                break
            at += 1
            if text in ("--", "-"):
                world.positional = tuple(word.pieces for word in words[at:])
                at = len(words)
                break
            for letter in text[1:]:
                option = _OPTIONS.get(letter)
                if letter == "o" and at < len(words):
                    option = known(words[at].pieces)
                    at += 1
                if option and text[0] == "-":
                    options.add(option)
                elif option:
                    options.discard(option)
        if at < len(words):
            world.positional = tuple(word.pieces for word in words[at:])
        world.options = frozenset(options)

    def _shift(self, words: list[Word], world: World) -> None:
        text = known(words[0].pieces) if words else "1"
        count = int(text) if text is not None and text.isdigit() and len(text) < 9 else 1
        if isinstance(world.positional, OpenArguments):
            world.positional = OpenArguments(world.positional.shifted + count)
            world.settle(0)
            return
        if count > len(world.positional):
            world.settle(1)
            return
        world.positional = world.positional[count:]
        world.settle(0)

    def _leave(self, name: str, words: list[Word], world: World) -> None:
        text = known(words[0].pieces) if words else ""
        number = int(text) if text and text.isdigit() and len(text) < 9 else None
        if name in ("break", "continue"):
            world.settle(0)
            world.flow = Flow(name, max(number or 1, 1))
            return
        if words:
            world.settle(None if number is None else number & 0xFF)
        world.flow = Flow(name)

    def _cd(self, words: list[Word], world: World, span: Span) -> None:
        session = self.session
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
                new = _joined(old or (), paths[0].pieces, span)
            else:
                new = session.tree.folder(place, span)
        # Both are exported, but not by the script.
        for name, value in (("OLDPWD", old or ()), ("PWD", new)):
            world.set(name, Variable(value, name_span=span, value_span=span))

    def _folders(self, name: str, words: list[Word], world: World, span: Span) -> None:
        """`pushd folder` and `popd`; their other uses leave the directory unknown."""
        kept = world.variables.get(_FOLDERS, Variable(items={}))
        items = dict(kept.items or {})
        plain = [word for word in words if known(word.pieces) != "-n"]
        if name == "pushd" and len(plain) == len(words) == 1:
            items[len(items)] = scalar(self.session, world, "PWD", span) or ()
            self._cd(words, world, span)
        elif name == "popd" and not words and items:
            value = items.pop(len(items) - 1)
            self._cd([Word(value, span)], world, span)
        else:
            unknown = hole("command", f"directory that {name} leads to", span)
            self._cd([Word(unknown, span)], world, span)
            items = {}
        if world.output is not None:
            world.output.extend(hole("command", f"output of {name}", span))
        self.session.spend(0, len(items))
        world.set(_FOLDERS, Variable(items=items))

    def _let(self, words: list[Word], world: World, span: Span) -> None:
        status: int | None = 1
        for word in words:
            text = known(word.pieces)
            if text is None:
                status = None
                continue
            try:
                status = 0 if integer(self.session, world, text, span) else 1
            except Unknown:
                status = None
        world.settle(status, False)

    def _type(self, words: list[Word], world: World) -> None:
        names = [known(word.pieces) for word in words]
        names = [name for name in names if name is None or not name.startswith("-")]
        if names and all(n is not None and (n in BUILTINS or n in world.functions) for n in names):
            world.settle(0)
        else:
            world.settle(None, False)

    def _command(
        self, name: str, words: list[Word | Assignment], node: Simple, world: World
    ) -> list[World]:
        plain = [word for word in words if isinstance(word, Word)]
        if len(plain) == 1:
            world.settle(0)
            return [world]
        first = known(plain[1].pieces)
        if name == "command" and first in ("-v", "-V"):
            self._type(plain[2:], world)
            if world.output is not None:
                target = plain[2].text if len(plain) > 2 else ""
                world.output.extend(hole("command", f"path of {target}", plain[1].span))
            return [world]
        if name != "exec" and first is not None and first in BUILTINS:
            at = next(k for k, word in enumerate(words) if word is plain[1])
            return self.builtin(first, words[at:], node, world)
        return self.external(node, world, plain)


def _joined(base: Value, path: Value, span: Span) -> Value:
    """The directory that `cd path` leads to from `base`."""
    text = known(path)
    start = known(base)
    if text is not None and text.startswith("/"):
        return (Piece(normal(text), span, False),)
    if text is None:
        if path and isinstance(path[0].text, str) and path[0].text.startswith("/"):
            return path
        reason = first_hole(path)
        if len(path) == 1 and path[0].text == SCRIPT_FOLDER:
            return path
        if path and isinstance(path[0].text, Hole):
            return hole("environment", "directory that cd leads to", span, "PWD")
        return hole("environment", reason.reason if reason else "PWD", span, "PWD")
    if start is None:
        if text in (".", ""):
            return base
        if ".." not in text:
            return (*base, Piece("/" + text.removeprefix("./").rstrip("/"), span, False))
        return hole("environment", f"directory {text} of the working directory", span, "PWD")
    return (Piece(normal(start + "/" + text), span, False),)


def normal(path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes."""
    parts: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if parts:
                parts.pop()
        elif name not in ("", "."):
            parts.append(name)
    return "/" + "/".join(parts)
