"""Other scripts: `source file`, `bash file`, `bash -c text`, and `eval`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.shell.fields import part
from bot.shell.limits import LimitReached
from bot.shell.parser import Parser
from bot.shell.places import shift
from bot.shell.session import Session, shorten
from bot.shell.source import Span
from bot.shell.state import Value, Variable, World, first_hole, known
from bot.shell.syntax import Script
from bot.shell.words import Hole, Piece, Problem, Word

_SHELLS = frozenset({"bash", "sh"})
_NESTED = 8
"""Files inside each other: far more than scripts have, so that one that includes itself ends."""
_AGAIN = 2
"""How often a file may be inside itself."""
_LETTERS = {"e": "errexit", "u": "nounset", "x": "xtrace", "a": "allexport", "f": "noglob"}


class Sources:
    """Runs text that is not the script's own."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def run_list(self, script: Script, worlds: list[World]) -> list[World]:
        """Runs a list of commands."""
        raise NotImplementedError

    def gathered(
        self, worlds: list[World], span: Span
    ) -> tuple[tuple[int | None, bool], Value | None]:
        """The status and the output of a shell of its own."""
        raise NotImplementedError

    def parsed(
        self,
        text: str,
        origins: Sequence[tuple[str, Span, bool]],
        span: Span,
        name: str,
        file: Value | None = None,
    ) -> tuple[list[Script], list[Problem]]:
        """The lines of a text, and what is wrong with it.

        `origins` say where it was written; `file` is the path of the file that it is.

        Raises:
            LimitReached: too many parts in all the texts together.

        """
        session = self.session
        session.spend(0, 64)
        session.work(len(text) * 8)
        base = session.places.allocate(origins)
        parser = Parser(text, session.limits, session.places, base)
        parser.parts = session.parsed
        lines, problems = parser.lines()
        session.parsed = parser.parts
        if any(problem.kind == "limit" for problem in problems):
            raise LimitReached("parts", session.limits.parts, span.start, span.end)
        shift(lines, base, len(text))
        if file is not None:
            session.files.append((base, text, file))
        return lines, [Problem(p.kind, f"in {name}: {p.message}", span) for p in problems]

    # eval

    def eval(self, words: Sequence[Word], world: World, span: Span) -> list[World]:
        """Runs the words of `eval` as a script."""
        session = self.session
        pieces: list[Piece] = []
        for word in words:
            if pieces:
                pieces.append(Piece(" ", Span(word.span.start, word.span.start), False))
            pieces.extend(word.pieces)
        text = known(tuple(pieces))
        if text is None:
            reason = first_hole(tuple(pieces))
            assert isinstance(reason, Hole)  # noqa: S101 - a value that is not known has a hole
            session.unsupported(f"eval of a text that is not known ({reason.reason})", span)
            world.settle(None)
            return [world]
        session.enter(span.start, span.end)
        lines, problems = self.parsed(text, _origins(pieces), span, "eval")
        world.settle(0)
        worlds = [world]
        for line in lines:
            worlds = self.run_list(line, worlds)
        session.leave()
        for problem in problems:
            session.report(problem)
        if problems:
            for one in worlds:
                one.settle(2)
        return worlds

    # source

    def source(self, words: Sequence[Word], world: World, span: Span) -> list[World]:
        """Runs a file of the tree in the shell itself; what an unknown file sets is unknown."""
        session = self.session
        if words and known(words[0].pieces) == "--":
            words = words[1:]
        if not words:
            world.settle(2)
            return [world]
        name = self._shown(words[0])
        text = self._file(words[0], world, span, name)
        if text is None:
            world.settle(None)
            world.sourced = world.sourced or name
            return [world]
        session.enter(span.start, span.end)
        file = words[0].pieces
        lines, problems = self.parsed(text, [(text, span, False)], span, name, file)
        arguments = tuple(word.pieces for word in words[1:])
        outer, sources = world.positional, world.sources
        world.positional = arguments or outer
        world.sources = (*sources, file)
        world.settle(0)
        session.running.append(session.tree.path(world, file) or "")
        worlds = self._lines(lines, [world])
        session.running.pop()
        session.leave()
        for problem in problems:
            session.report(problem)
        for one in worlds:
            one.sources = sources
            left = one.positional
            if arguments and left == arguments[len(arguments) - len(left) :]:
                # Unless `set` was used in it, the file has only had them on loan.
                one.positional = outer
            if one.flow is not None and one.flow.kind == "return":
                one.flow = None
            if problems:
                one.settle(2)
        return worlds

    def _lines(self, lines: Sequence[Script], worlds: list[World]) -> list[World]:
        """Runs the lines of a file; the worlds in which it ended early are among the result."""
        ended: list[World] = []
        for line in lines:
            going: list[World] = []
            for world in self.run_list(line, worlds):
                if world.flow is not None and world.flow.kind in ("exit", "return"):
                    ended.append(world)
                else:
                    world.flow = None
                    going.append(world)
            worlds = going
            if not worlds:
                break
        return [*ended, *worlds]

    def _file(self, word: Word, world: World, span: Span, name: str) -> str | None:
        """The text of a file that is to be run; None where it is unknown."""
        session = self.session
        path = session.tree.path(world, word.pieces)
        if path is None:
            return None
        try:
            if len(session.running) >= _NESTED or session.running.count(path) >= _AGAIN:
                raise LimitReached("files", session.limits.files, span.start, span.end)
            text = session.tree.text(path, span)
        except LimitReached as reached:
            session.limit(reached, f"{name} is not read")
            return None
        return None if text is None else text.replace("\r\n", "\n")

    def _shown(self, word: Word) -> str:
        """A file as messages name it."""
        if word.complete:
            return shorten(word.text)
        return shorten(self.session.text(word.span.start, word.span.end)).replace('"', "")

    # bash

    def shell(self, words: Sequence[Word], world: World, span: Span) -> bool:
        """Runs `bash file` or `bash -c text` in a shell of its own; False when it is unknown."""
        words, given = _unwrapped(words)
        if not given:
            return self._shell(words, world, span)
        kept = world.variables
        world.variables = kept | {n: Variable(v, exported=True) for n, v in given.items()}
        done = self._shell(words, world, span)
        world.variables = kept
        return done

    def _shell(self, words: Sequence[Word], world: World, span: Span) -> bool:
        program = known(words[0].pieces) if words else None
        if program is None:
            # `"$(dirname "$0")/other.sh"`: the folder is unknown, and the file is not.
            return bool(words) and self._shebang(words, world, span)
        if program.rsplit("/", 1)[-1] not in _SHELLS:
            return "/" in program and self._shebang(words, world, span)
        options: set[str] = set()
        at, command = 1, False
        while at < len(words):
            option = known(words[at].pieces)
            if option is None or option[:1] not in ("-", "+"):
                break
            at += 1
            if option in ("--", "-"):
                break
            if option.startswith("--"):
                continue
            command = command or "c" in option
            names = [_LETTERS[letter] for letter in option[1:] if letter in _LETTERS]
            if option.endswith("o") and at < len(words):
                names.append(known(words[at].pieces) or "")
                at += 1
            if option[0] == "-":
                options.update(names)
            if "s" in option or "n" in option:
                return False
        if at >= len(words):
            return False
        rest = words[at:]
        if not command:
            return self._child(rest, world, span, frozenset(options))
        text = known(rest[0].pieces)
        if text is None:
            return False
        origins = _origins(rest[0].pieces)
        zero = rest[1].pieces if len(rest) > 1 else words[0].pieces
        arguments = tuple(word.pieces for word in rest[2:])
        lines, problems = self.parsed(text, origins, span, "bash -c")
        self._run(lines, problems, world, span, (zero, arguments, frozenset(options)))
        return True

    def _shebang(self, words: Sequence[Word], world: World, span: Span) -> bool:
        """Runs `path/file`, when its first line names a shell."""
        text = self._file(words[0], world, span, self._shown(words[0]))
        first = text.split("\n", 1)[0].split() if text else []
        if not first or not first[0].startswith("#!"):
            return False
        if not any(name.rsplit("/", 1)[-1] in _SHELLS for name in (first[0][2:], *first[1:2])):
            return False
        return self._child(words, world, span, frozenset())

    def _child(
        self, words: Sequence[Word], world: World, span: Span, options: frozenset[str]
    ) -> bool:
        name = self._shown(words[0])
        text = self._file(words[0], world, span, name)
        if text is None:
            return False
        zero = words[0].pieces
        lines, problems = self.parsed(text, [(text, span, False)], span, name, zero)
        arguments = tuple(word.pieces for word in words[1:])
        self._run(lines, problems, world, span, (zero, arguments, options))
        return True

    def _run(
        self,
        lines: Sequence[Script],
        problems: Sequence[Problem],
        world: World,
        span: Span,
        start: tuple[Value, tuple[Value, ...], frozenset[str]],
    ) -> None:
        """Runs lines in a new shell, which has what is exported and nothing else."""
        session = self.session
        session.enter(span.start, span.end)
        inner = world.copy()
        inner.variables = {
            name: variable
            for name, variable in world.variables.items()
            if variable.exported or name in ("PWD", "OLDPWD")
        }
        inner.exported = None
        inner.exporting = frozenset()
        inner.functions = {}
        inner.frames = ()
        inner.zero, inner.positional, inner.options = start
        inner.sources = ()
        inner.output = None if world.output is None else []
        inner.settle(0)
        session.running.append(session.tree.path(world, inner.zero) or "")
        outcome, output = self.gathered(self._lines(lines, [inner]), span)
        session.running.pop()
        session.leave()
        for problem in problems:
            session.report(problem)
        world.settle(*outcome)
        if problems:
            world.settle(2)
        if world.output is not None:
            world.output.extend(output or ())


def _origins(pieces: Sequence[Piece]) -> list[tuple[str, Span, bool]]:
    return [(str(piece.text), piece.span, piece.literal) for piece in pieces]


def _unwrapped(words: Sequence[Word]) -> tuple[Sequence[Word], dict[str, Value]]:
    """The words behind `exec`, `nohup`, `env X=1` and `timeout 10`, and what `env` sets."""
    given: dict[str, Value] = {}
    wrapper = ""
    for at, word in enumerate(words):
        text = known(word.pieces)
        first = word.pieces[0].text if word.pieces else ""
        if text in ("exec", "command", "nohup", "env", "timeout"):
            wrapper = text
        elif wrapper == "env" and isinstance(first, str) and "=" in first:
            name = first.partition("=")[0]
            given[name] = (part(word.pieces[0], len(name) + 1, len(first)), *word.pieces[1:])
        elif wrapper == "env" and first and isinstance(first, str) and first[0] == "-":
            return (), given
        elif (
            not wrapper
            or text is None
            or not (text.startswith("-") or (wrapper == "timeout" and text[:1].isdigit()))
        ):
            return words[at:], given
    return (), given
