"""Builtins: those that change the shell, and those whose output or status counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.base.digits import natural_number
from bot.base.fast_dataclass import dataclass
from bot.shell.expand.formats import echo, printf
from bot.shell.expand.numbers import Unknown, assign_named, certain_text, integer
from bot.shell.parse.syntax import Assignment, Simple
from bot.shell.pieces import Value, certain_ones, known, size
from bot.shell.run.bracket import evaluate_test
from bot.shell.run.declarations import declare, unset
from bot.shell.run.directories import (
    change_directory,
    pop_directory,
    print_directory,
    push_directory,
)
from bot.shell.run.external import run_external
from bot.shell.run.inputs import getopts, mapfile, read
from bot.shell.run.probes import question_of
from bot.shell.run.runner import Runner
from bot.shell.run.sources import run_eval, run_source
from bot.shell.run.traps import set_trap
from bot.shell.run.verdicts import TestFault
from bot.shell.source import Span
from bot.shell.words import Piece, Word
from bot.shell.world.session import CommandFault, ReadonlyFault, Session, hole
from bot.shell.world.state import Flow, OpenArguments, UncountedArguments, World, arguments_of
from bot.shell.world.values import AssignedAt

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
_SHOPT = frozenset({"inherit_errexit", "nullglob"})
_NOT_FOLLOWED = frozenset({"expand_aliases", "lastpipe", "nocasematch"})
_OPTIONS = {
    "e": "errexit", "u": "nounset", "x": "xtrace", "a": "allexport", "f": "noglob", "v": "verbose",
    "n": "noexec", "C": "noclobber", "E": "errtrace", "T": "functrace", "m": "monitor",
    "b": "notify", "h": "hashall", "k": "keyword", "p": "privileged", "t": "onecmd",
    "B": "braceexpand", "H": "histexpand", "P": "physical",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BuiltinCall:
    """A builtin with what it is given."""

    session: Session
    name: str
    words: list[Word | Assignment]
    """The name, and what stands behind it."""
    node: Simple
    world: World

    @property
    def plain(self) -> list[Word]:
        """The words behind the name that are no assignments."""
        return [word for word in self.words[1:] if isinstance(word, Word)]

    @property
    def span(self) -> Span:
        """Where the command stands."""
        return self.node.span

    def write(self, value: Value) -> None:
        """Adds to the output, where that is kept."""
        if self.world.output is not None:
            self.world.output.extend(value)


def run_builtin(
    runner: Runner, name: str, words: list[Word | Assignment], node: Simple, world: World
) -> list[World]:
    """Runs a builtin; the first word is its name, or what means the name."""
    call = BuiltinCall(runner.session, name, words, node, world)
    if name in ("command", "builtin", "exec"):
        return _command(runner, call)
    if name == "eval":
        return run_eval(runner, call.plain, world, call.span)
    if name in ("source", "."):
        return run_source(runner, call.plain, world, call.span)
    try:
        _HANDLERS.get(name, _succeed)(call)
    except ReadonlyFault:
        world.settle(1)
    return [world]


def _command(runner: Runner, call: BuiltinCall) -> list[World]:
    """`command`, `builtin` and `exec`: the command behind them."""
    plain, world = call.plain, call.world
    if not plain:
        world.settle(0)
        return [world]
    first = known(plain[0].pieces)
    if call.name == "command" and first in ("-v", "-V"):
        _look_up(call, plain[1:])
        target = plain[1].text if len(plain) > 1 else ""
        call.write(hole("command", f"path of {target}", plain[0].span))
        return [world]
    if call.name != "exec" and first is not None and first in BUILTINS:
        at = next(k for k, word in enumerate(call.words) if word is plain[0])
        return run_builtin(runner, first, call.words[at:], call.node, world)
    words = [word for word in call.words if isinstance(word, Word)]
    return run_external(runner, call.node, world, words)


def _succeed(call: BuiltinCall) -> None:
    """What does not affect what is launched: alias, true, : and others."""
    call.world.settle(0)


def _unknown_output(call: BuiltinCall) -> None:
    call.world.settle(0)
    call.write(hole("command", f"output of {call.name}", call.span))


def _echo(call: BuiltinCall) -> None:
    call.world.settle(0)
    if call.world.output is not None:
        _write(call, echo(call.plain, call.span))


def _printf(call: BuiltinCall) -> None:
    session, words, world, span = call.session, call.plain, call.world, call.span
    world.settle(0)
    if words[:1] and known(words[0].pieces) == "-v":
        target = known(words[1].pieces) if len(words) > 1 else None
        if target:
            value = _printed(call, words[2:])
            assign_named(session, world, target, value, AssignedAt(words[1].span, span))
    elif world.output is not None:
        _write(call, _printed(call, words))


def _printed(call: BuiltinCall, words: list[Word]) -> Value:
    """What printf writes; where that is unknown, so is whether it takes a number for one."""
    value = printf(call.session, words, call.span)
    if value is None:
        call.world.settle(None)
        value = hole("command", "output of printf", call.span)
    return value


def _write(call: BuiltinCall, value: Value) -> None:
    call.session.spend(size(value), len(value))
    call.write(value)


def _test(call: BuiltinCall) -> None:
    words, world = call.plain, call.world
    if call.name == "[":
        if not words or known(words[-1].pieces) != "]":
            world.settle(2)
            return
        words = words[:-1]
    try:
        evaluate_test(call.session, world, words).settle(world)
    except TestFault:
        if any(not word.complete for word in words):
            world.settle(None, False)
        else:
            world.settle(2)


def _set(call: BuiltinCall) -> None:
    words, world = call.plain, call.world
    world.settle(0)
    options = set(world.options)
    at = 0
    while at < len(words):
        text = known(words[at].pieces)
        if text is None or text[:1] not in ("-", "+") or text == "+":
            break
        at += 1
        if text == "-":
            options -= {"verbose", "xtrace"}
            break
        if text == "--":
            world.positional = arguments_of(words[at:])
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
        world.positional = arguments_of(words[at:])
    world.options = frozenset(options)


def _small_number(words: list[Word]) -> int | None:
    """The number that the first word is."""
    text = known(words[0].pieces) if words else None
    return natural_number(text) if text and len(text) < 9 else None


def _shift(call: BuiltinCall) -> None:
    world = call.world
    text = known(call.plain[0].pieces) if call.plain else "1"
    count = natural_number(text) if text and len(text) < 9 else None
    if isinstance(world.positional, OpenArguments):
        world.positional = OpenArguments(world.positional.shifted + (1 if count is None else count))
        world.settle(0)
        return
    any_number = isinstance(world.positional, UncountedArguments)
    certain = certain_ones(world.positional) if any_number else len(world.positional)
    if text is None or (any_number and (count or 0) > certain):
        left = hole("command", "an argument behind shift", call.span)
        world.positional = UncountedArguments((left,))
        world.settle(None)
    elif count is None or count > certain:
        world.settle(1)
    else:
        world.positional = type(world.positional)(world.positional[count:])
        world.settle(0)


def _leave_loop(call: BuiltinCall) -> None:
    call.world.settle(0)
    levels = min(max(_small_number(call.plain) or 1, 1), call.session.loops)
    if levels:
        call.world.flow = Flow(call.name, levels)


def _leave_shell(call: BuiltinCall) -> None:
    world = call.world
    if call.name == "return" and not world.frames and not world.sources:
        # Bash reports it and goes on: there is nothing to return from.
        world.settle(2)
        return
    if call.plain:
        number = _small_number(call.plain)
        world.settle(None if number is None else number & 0xFF)
    world.flow = Flow(call.name)


def _let(call: BuiltinCall) -> None:
    status: int | None = 1
    for word in call.plain:
        session, world = call.session, call.world
        try:
            text = certain_text(session, world, word.pieces, call.span)
            status = 0 if integer(session, world, text, call.span) else 1
        except CommandFault:
            status = 1
            break
        except Unknown:
            status = None
    call.world.settle(status, False)


def _look_up(call: BuiltinCall, words: Sequence[Word]) -> None:
    """Sets the status of a search for commands, which is certain for builtins and functions."""
    names = [known(word.pieces) for word in words]
    names = [name for name in names if name is None or not name.startswith("-")]
    if names and all(n is not None and (n in BUILTINS or n in call.world.functions) for n in names):
        call.world.settle(0)
    else:
        call.world.settle(
            None, False, question_of([Word((Piece(call.name, call.span),), call.span), *words])
        )


def _shopt(call: BuiltinCall) -> None:
    """Takes note of the options that count, and says which of those are not followed."""
    world = call.world
    world.settle(0)
    words = {known(word.pieces) or "" for word in call.plain}
    if "-s" in words:
        world.options |= words & _SHOPT
        for name in sorted(words & _NOT_FOLLOWED):
            call.session.unsupported(f"what shopt -s {name} changes is not followed", call.span)
    elif "-u" in words:
        world.options -= words & _SHOPT


_HANDLERS: dict[str, Callable[[BuiltinCall], None]] = {
    **dict.fromkeys(
        ("export", "declare", "typeset", "local", "readonly"),
        lambda call: declare(call.session, call.world, call.name, call.words[1:]),
    ),
    **dict.fromkeys(("test", "["), _test),
    **dict.fromkeys(("break", "continue"), _leave_loop),
    **dict.fromkeys(("exit", "return"), _leave_shell),
    **dict.fromkeys(("type", "hash"), lambda call: _look_up(call, call.plain)),
    **dict.fromkeys(
        ("kill", "wait", "fg", "bg", "jobs"),
        lambda call: call.world.settle(None, call.name == "wait"),
    ),
    **dict.fromkeys(
        ("compgen", "caller", "help", "dirs", "ulimit", "umask", "times"), _unknown_output
    ),
    **dict.fromkeys(
        ("mapfile", "readarray"),
        lambda call: mapfile(call.world, call.plain, call.span),
    ),
    "read": lambda call: read(call.session, call.world, call.plain, call.span),
    "getopts": lambda call: getopts(call.session, call.world, call.plain, call.span),
    "unset": lambda call: unset(call.world, call.plain),
    "cd": lambda call: change_directory(call.session, call.world, call.plain, call.span),
    "pushd": lambda call: push_directory(call.session, call.world, call.plain, call.span),
    "popd": lambda call: pop_directory(call.session, call.world, call.span),
    "pwd": lambda call: print_directory(call.session, call.world, call.span),
    "echo": _echo,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "let": _let,
    "shopt": _shopt,
    "trap": lambda call: set_trap(call.session, call.world, call.plain, call.span),
    "false": lambda call: call.world.settle(1),
}
"""What runs each builtin that goes on in the same world; the others only succeed."""
