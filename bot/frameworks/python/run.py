"""One run of a program, as far as the command that starts it says what it finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.argparse_options import UNREADABLE
from bot.frameworks.python.arguments import ProgramOptions
from bot.frameworks.python.files import ProgramFiles, expression_of
from bot.frameworks.python.hydra_main import HydraMain
from bot.shell.words import Hole, Word, WrittenFile

_STEPS: Final = 20_000
"""Names, calls and items that are followed for one run."""
_MAKES: Final = {"int": int, "float": float}
_Answer: TypeAlias = Word | str | bool | float | list[Any] | None
_Question: TypeAlias = tuple[ProgramOptions | Literal["written"] | None, str | int]
"""An option of the program's and its attribute, the path of a file that the script writes, the name
of a variable, or the number of a word, which is 0 for all of them."""


@dataclass(slots=True, eq=False)
class ProgramRun:
    """The command line and the environment of a program, and the files of its repository."""

    path: str
    """The program, from the repository's root."""
    files: ProgramFiles
    argv: Sequence[Word] = ()
    environment: Mapping[str, Word] = field(default_factory=dict)
    written: Mapping[str, WrittenFile] = field(default_factory=dict)
    """Files of settings that the script writes before, by path as the command line names them."""
    parsed: tuple[ast.Call, ProgramOptions] | None = None
    """What parses the options of classes (`parse_args_into_dataclasses`), and those."""
    left: Iterator[int] = field(default_factory=lambda: iter(range(_STEPS)))
    """The steps that are left."""
    _asked: dict[_Question, str] = field(default_factory=dict, init=False)
    _composed: dict[tuple[str, HydraMain], ast.expr | None] = field(
        default_factory=dict, init=False
    )
    _given: dict[ProgramOptions, Mapping[str, Word | str | bool | None] | None] = field(
        default_factory=dict, init=False
    )

    def option(self, options: ProgramOptions, name: str) -> _Answer:
        """What an option is given, or its default; `UNREADABLE` where only running tells."""
        return self._answer((options, name))

    def gives(self, options: ProgramOptions, name: str) -> bool:
        """Whether the command line has an option, or may have it."""
        given = self._parsed(options)
        return given is None or name in given

    def read(self) -> frozenset[str]:
        """The options that were asked for."""
        asked = (name for of, name in self._asked if isinstance(of, ProgramOptions))
        return frozenset(map(str, asked))

    def variable(self, name: str) -> _Answer:
        """A variable of the environment; None where the script gives it nothing."""
        return self._answer((None, name))

    def word(self, number: int) -> _Answer:
        """A word of the command line, counted from 1; None where there are fewer."""
        return self._answer((None, number))

    def words(self) -> _Answer:
        """How many words `sys.argv` has; `UNREADABLE` where one may stand for several."""
        self._answer((None, 0))
        holes = any(isinstance(p.text, Hole) for word in self.argv for p in word.pieces[:1])
        return UNREADABLE if holes else 1 + len(self.argv)

    def settings(self, path: str, *, resolved: bool) -> ast.expr | None:
        """What a file of settings holds, which the script may write; None where that is unknown."""
        self._answer(("written", path))
        if (file := self.written.get(path)) is not None:
            return expression_of(path, file, resolved=resolved)
        return self.files.settings(path, self.path, resolved=resolved)

    def composed(self, module: str, main: HydraMain) -> ast.expr | None:
        """What Hydra gives a main function of a module; None where only a run knows."""
        self._answer((None, 0))
        if (module, main) not in self._composed:
            self._composed[module, main] = self.files.composed(module, main, self.argv)
        return self._composed[module, main]

    def like(self, other: ProgramRun) -> bool:
        """Whether another run finds the same in all that this one asked for."""
        return all(_text(other._find(one)) == answer for one, answer in self._asked.items())

    def _answer(self, question: _Question) -> _Answer:
        found = self._find(question)
        self._asked[question] = _text(found)
        return found

    def _find(self, question: _Question) -> _Answer:
        options, name = question
        if name == 0:
            return " ".join(word.text for word in self.argv)
        if isinstance(name, int):
            return self.argv[name - 1] if 0 < name <= len(self.argv) else None
        if options is None:
            return self.environment.get(name)
        if options == "written":
            file = self.written.get(name)
            return None if file is None else file.with_unknown(file.content.text)
        if options.known is not None and self.parsed is not None:
            options = self.parsed[1]  # Of this run, where another one asked.
        given = self._parsed(options)
        if given is None or name not in options.options:
            return UNREADABLE
        found: _Answer = given.get(name, options.options[name].default)
        return UNREADABLE if name in given and found is None else found

    def _parsed(self, options: ProgramOptions) -> Mapping[str, Word | str | bool | None] | None:
        if options not in self._given:
            self._given[options] = options.given(self.argv)
        return self._given[options]


def _text(answer: _Answer) -> str:
    return answer.text if isinstance(answer, Word) else repr(answer)


def constant_of(answer: _Answer, kind: str) -> Any:
    """An answer as Python has it, by the type that an option makes of its text.

    `UNREADABLE` where a part is not known, or is no such value.
    """
    if isinstance(answer, Word):
        answer = answer.text if answer.complete else UNREADABLE
    if not isinstance(answer, str) or answer == UNREADABLE or kind not in _MAKES:
        return answer
    try:
        return _MAKES[kind](answer)
    except ValueError:
        return UNREADABLE
