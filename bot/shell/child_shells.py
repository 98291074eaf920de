"""Scripts that run in a shell of their own: `bash file`, `bash -c text`, `path/file`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.digits import is_digits
from bot.base.fast_dataclass import dataclass
from bot.shell.fields import part
from bot.shell.inner_texts import InnerText, file_text, parsed, run_lines, shown, value_text
from bot.shell.runner import Runner
from bot.shell.source import Span
from bot.shell.state import ShellVariable, Value, World, known
from bot.shell.subshells import gathered
from bot.shell.words import Word

_SHELLS = frozenset({"bash", "sh"})
_LETTERS = {"e": "errexit", "u": "nounset", "x": "xtrace", "a": "allexport", "f": "noglob"}


@dataclass(frozen=True, slots=True)
class _Start:
    """How a shell starts."""

    zero: Value
    positional: tuple[Value, ...]
    options: frozenset[str] = frozenset()


class ChildShells:
    """Runs scripts in shells of their own."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._session = runner.session

    def run(self, words: Sequence[Word], world: World, span: Span) -> bool:
        """Runs the script that a command starts; False when it starts none, or an unknown one."""
        words, assigned = _unwrapped(words)
        if not assigned:
            return self._program(words, world, span)
        kept = world.variables
        world.variables = kept | {n: ShellVariable(v, exported=True) for n, v in assigned.items()}
        done = self._program(words, world, span)
        world.variables = kept
        return done

    def _program(self, words: Sequence[Word], world: World, span: Span) -> bool:
        program = known(words[0].pieces) if words else None
        if program is None:
            # `"$(dirname "$0")/other.sh"`: the folder is unknown, and the file is not.
            return bool(words) and self._file(words, world, span)
        if program.rsplit("/", 1)[-1] not in _SHELLS:
            return "/" in program and self._file(words, world, span)
        rest, options, command = _options(words[1:])
        if not rest:
            return False
        if not command:
            text = file_text(self._session, rest[0], world, span)
            if text is None:
                self._missing(rest[0], world, span)
            arguments = tuple(word.pieces for word in rest[1:])
            start = _Start(rest[0].pieces, arguments, options)
        else:
            known_text = known(rest[0].pieces)
            if known_text is None:
                return False
            text = value_text(rest[0].pieces, known_text, span, "bash -c")
            zero = rest[1].pieces if len(rest) > 1 else words[0].pieces
            start = _Start(zero, tuple(word.pieces for word in rest[2:]), options)
        if text is None:
            return False
        self._run(text, world, start)
        return True

    def _missing(self, word: Word, world: World, span: Span) -> None:
        """Reports a script that is not where it is looked for, and what it launches with it."""
        session = self._session
        path = session.tree.path(world, word.pieces)
        if path is not None and session.tree.lacks(path, span):
            name = shown(session, word)
            session.unsupported(f"{name} is not read: there is no file {path} in the tree", span)

    def _file(self, words: Sequence[Word], world: World, span: Span) -> bool:
        """Runs `path/file`, when its first line names a shell."""
        text = file_text(self._session, words[0], world, span)
        first = text.text.split("\n", 1)[0].split() if text else []
        if text is None or not first or not first[0].startswith("#!"):
            return False
        if not any(name.rsplit("/", 1)[-1] in _SHELLS for name in (first[0][2:], *first[1:2])):
            return False
        self._run(text, world, _Start(words[0].pieces, tuple(word.pieces for word in words[1:])))
        return True

    def _run(self, text: InnerText, world: World, start: _Start) -> None:
        """Runs a text in a new shell, which has what is exported and nothing else."""
        session = self._session
        script = parsed(session, text)
        session.enter(text.span.start, text.span.end)
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
        inner.zero, inner.positional, inner.options = start.zero, start.positional, start.options
        inner.sources = ()
        inner.output = None if world.output is None else []
        inner.settle(0)
        session.running.append(session.tree.path(world, inner.zero) or "")
        result = gathered(session, run_lines(self._runner, script.lines, [inner]), text.span)
        session.running.pop()
        session.leave()
        result.settle(world)
        script.report(session, [world])
        if world.output is not None:
            world.output.extend(result.output or ())


def _options(words: Sequence[Word]) -> tuple[Sequence[Word], frozenset[str], bool]:
    """The words behind the options of bash, the options, and whether they are a text (`-c`).

    There are no words where bash would read its input.
    """
    options: set[str] = set()
    command = False
    at = 0
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
            return (), frozenset(), False
    return words[at:], frozenset(options), command


def _unwrapped(words: Sequence[Word]) -> tuple[Sequence[Word], dict[str, Value]]:
    """The words behind `exec`, `nohup`, `env X=1` and `timeout 10`, and what `env` sets."""
    assigned: dict[str, Value] = {}
    wrapper = ""
    for at, word in enumerate(words):
        text = known(word.pieces)
        first = word.pieces[0].text if word.pieces else ""
        if text in ("exec", "command", "nohup", "env", "timeout"):
            wrapper = text
        elif wrapper == "env" and isinstance(first, str) and "=" in first:
            name = first.partition("=")[0]
            assigned[name] = (part(word.pieces[0], len(name) + 1, len(first)), *word.pieces[1:])
        elif wrapper == "env" and isinstance(first, str) and first[:1] == "-":
            return (), assigned
        elif not _of_wrapper(wrapper, text):
            return words[at:], assigned
    return (), assigned


def _of_wrapper(wrapper: str, text: str | None) -> bool:
    """Whether a word is an option of the wrapper in front of it, or its duration."""
    if not wrapper or text is None:
        return False
    return text.startswith("-") or (wrapper == "timeout" and is_digits(text[:1]))
