"""Programs of a repository that take TRL's arguments, as open-r1's `src/open_r1/grpo.py`.

`TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))` makes options of the fields of those
classes: TRL's own, those of the repository, and what the latter inherit from the former. So does
transformers' `HfArgumentParser((…)).parse_args_into_dataclasses()`, without a file of settings.
Programs are read as syntax trees, never imported. Which class of TRL's is among them says which
trainer it is; a copy of one that the repository changes, as VLM-R1's `GRPOConfig`, counts as it.
The `H4ArgumentParser((…))` of alignment-handbook's first years has its file of settings in front.
open-instruct's `ArgumentParserPlus((…))` takes classes of its own repository alone; older programs
of it have an `ArgumentParser` of their own.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Final

from bot.base.messages import Message, message
from bot.frameworks.files.named_files import below_first, bytes_of, entry_file, text_of
from bot.frameworks.programs.argument_classes import (
    ArgumentClasses,
    OtherTrainerError,
    classes_of_parser,
)
from bot.frameworks.programs.copies import TrlCopies
from bot.frameworks.programs.elsewhere import imported_by, settings_of_trainers
from bot.frameworks.programs.program import TrlProgram, makes_adapter
from bot.frameworks.programs.settings_written import (
    OwnClass,
    WrittenSettings,
    own_trainer_class,
    settings_written,
    trained_with_arguments,
)
from bot.frameworks.programs.trainers import (
    BARE,
    TRAINERS,
    TRAINS,
    is_former,
    other_trainer,
)
from bot.frameworks.python.argparse_options import UNREADABLE, read_options
from bot.frameworks.python.arguments import (
    ProgramOptions,
    class_options_given,
    parsing_call,
    parsing_classes,
)
from bot.frameworks.python.changes import changes
from bot.frameworks.python.files import ProgramFiles
from bot.frameworks.python.notebook import python_of
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.source import calls, parsed, written
from bot.frameworks.python.unsloth import ARGUMENTS
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.options import read_line
from bot.shell.words import Command, Word

_OPEN_INSTRUCT: Final = "ArgumentParserPlus"
_HANDBOOK: Final = "H4ArgumentParser"
_PARSERS: Final = {
    "TrlParser": True, "HfArgumentParser": False, _OPEN_INSTRUCT: True, _HANDBOOK: True
}  # fmt: skip
"""Parsers, and whether they know a file of settings."""
_MARKS: Final = tuple(name.encode() for name in _PARSERS)
_DROPS: Final = b"return_remaining_strings=True"
_CLASS: Final = "Config"
"""How TRL's classes of settings end, and those of repositories that have their fields."""
_MADE: Final = (
    *(name.encode() for name in (*TRAINERS, *BARE, *ARGUMENTS)),
    b"config import ",
    b"configs import ",
)
"""What a program holds that makes settings: TRL's class, or what may have one that derives."""
_MOST_NAMED: Final = 20
"""Programs of a script that are looked for in a pull request."""
_DEFINING: Final = tuple(
    f"{name}.py" for name in ("config", "configs", "utils", "data_loader", "dataset_transformation")
)
"""How the names of files beside a program or below end that may define its classes."""


def takes_settings(text: str) -> bool:
    """Whether a program hands classes of settings to a parser that programs with TRL have."""
    if not any(name in text for name in _PARSERS):
        return False
    tree = parsed(text)
    made = calls(tree) if tree is not None else ()
    return any(name in _PARSERS and call.args for call, name in made)


class TrlPrograms:
    """The programs of a repository that take TRL's arguments."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are all that count, by path; contents are read on use."""
        self._files = files
        self.sources = ProgramFiles(files)
        self._found: dict[str, TrlProgram | None] = {}
        self._written: dict[str, list[tuple[ProgramRun, Sequence[WrittenSettings]]]] = {}
        self._others: dict[str, str] = {}
        self._copies = TrlCopies(files)

    def find(self, entry: str, script: str, *, own: bool = False) -> TrlProgram | None:
        """The program that a script starts by a path or a module's name; None for any other one.

        Also None where a class cannot be followed. `own` asks for one of open-instruct's, none of
        whose classes is TRL's.
        """
        path = self.file_of(entry, script)
        if path is None:
            return None
        if path not in self._found:
            data = bytes_of(self._files, path)
            marked = any(mark in data for mark in _MARKS)
            self._found[path] = self._beside_copy(self._program(path)) if marked else None
        found = self._found[path]
        if found is None and own:
            return self._parsing(path)
        return found if found is None or (not found.trainer) is own else None

    def _beside_copy(self, found: TrlProgram | None) -> TrlProgram | None:
        """A program that may import a TRL of the repository's own: each field that it has is taken.

        Of what kind it is, and what the trainer makes of it, is not known then. None where the
        fields are not known either.
        """
        copy = self._copies.serving(found.path) if found is not None and found.trainer else None
        if found is None or copy is None:
            return found
        fields = self._copies.fields(copy)
        others = {name: [name, "any", "*", UNREADABLE, None] for name in fields}
        if not fields:
            return None
        name = found.trains_with or posixpath.join(copy, "trl")
        options = {**others, **found.options}
        return replace(found, options=options, own_trainer=True, trains_with=name)

    def drops_rest(self, entry: str, script: str) -> bool:
        """Whether a program, or any where none is named, passes over what no option takes."""
        if entry:
            found = self.find(entry, script)
            return found is not None and found.drops_rest
        texts = (bytes_of(self._files, one) for one in self._files if one.endswith(".py"))
        return any(_DROPS in text and b"TrlParser" in text for text in texts)

    def other_trainer(self, entry: str, script: str) -> tuple[str, str] | None:
        """A program and TRL's class that it takes options of, where no table has those."""
        path = self.file_of(entry, script)
        self.find(entry, script)
        return (path, self._others[path]) if path is not None and path in self._others else None

    def of_own_trl(self, entry: str, script: str) -> tuple[str, str] | None:
        """A program with options of TRL's, and the copy of TRL that it may import them from."""
        path = self.file_of(entry, script)
        copy = self._copies.serving(path) if path is not None else None
        if path is None or copy is None:
            return None
        data = bytes_of(self._files, path)
        parses = b"import trl" in data or b"from trl import" in data
        marked = any(mark in data for mark in _MARKS)
        return (path, posixpath.join(copy, "trl")) if parses and marked else None

    def trained_otherwise(self, entry: str, script: str) -> tuple[str, str] | None:
        """A program and TRL's trainer that it makes, where no table has its settings."""
        path = self.file_of(entry, script)
        if path is None or b"trl" not in bytes_of(self._files, path):
            return None
        tree = self.sources.tree(path)
        name = other_trainer(tree) if tree is not None else None
        return (path, name) if name is not None else None

    def unread(self, entry: str, script: str) -> Message | None:
        """Why the settings of a program that trains with TRL are not known, where nothing else is.

        It is no Python, or its parser is given a part of the words (`args=sys.argv[2:]`).
        """
        path = self.file_of(entry, script)
        data = bytes_of(self._files, path) if path is not None else b""
        if path is None or b"trl" not in data or not any(mark in data for mark in _MADE):
            return None
        if self.sources.tree(path) is None:
            return message("{file} is no Python that can be read", file=path)
        if takes_settings(python_of(self._files, path)):
            return message("{path} takes settings of TRL in a way that is not followed", path=path)
        return None

    def file_of(self, entry: str, script: str) -> str | None:
        """The file of the repository that a script starts by a path or a module's name."""
        return self.sources.named(entry_file(entry), script)

    def written_in(
        self,
        entry: str,
        script: str,
        argv: Sequence[Word],
        command: Command,
        environment: Mapping[str, Word],
    ) -> Sequence[WrittenSettings]:
        """The settings that a program makes itself (`GRPOConfig(…)`), as a script starts it.

        `environment` is the one that it finds.

        None for a program that takes them as options, and for one that is not there; several for
        one that trains several times. Of a path that leads nowhere, as one that begins on
        somebody's machine, the last two names count, or the last where the repository's root has
        the only program of that name.
        """
        wanted = entry_file(entry)
        rooted = wanted.startswith(("/", "${?"))
        path = None if rooted else self.sources.named(wanted, script)
        path = path or self.sources.named("/".join(wanted.split("/")[-2:]), script)
        name = wanted.rpartition("/")[2]
        if path is None and [*self.sources.modules.ending(name)] == [name]:
            path = name
        data = self._files[path] if path is not None else b""
        if path is None:
            return ()
        run = ProgramRun(path, self.sources, argv, environment, command.files)
        texts = chain([data], (self._files[one] for one in imported_by(run)))
        if not any(mark in text for text in texts for mark in _MADE):
            return ()
        run.parsed = self._own_options(run)
        runs = self._written.setdefault(path, [])
        for known, found in runs:
            if known.like(run):
                return found
        runs.append((run, self._settings(run)))
        return runs[-1][1]

    def _settings(self, run: ProgramRun) -> Sequence[WrittenSettings]:
        tree = self.sources.tree(run.path)
        if tree is None:
            return ()
        text = python_of(self._files, run.path)
        found = settings_written(text, tree, run)
        if found is None and (own := self._own_class(run.path, tree)):
            found = settings_written(text, tree, run, own)
        every = [found] if found is not None else []
        if found is None or not found.words:
            every = settings_of_trainers(run, partial(python_of, self._files)) or every
        if (copy := self._copies.serving(run.path)) is not None:
            folder = posixpath.join(copy, "trl")
            why = message("it may import the copy of TRL in {folder}", folder=folder)
            return [WrittenSettings(run.path, one.name, one.trainer, why=why) for one in every]
        return every

    def _own_options(self, run: ProgramRun) -> tuple[ast.Call, ProgramOptions] | None:
        """The options of classes of the repository's alone, as the command line has them."""
        tree = self.sources.tree(run.path)
        parsing = parsing_classes(tree) if tree is not None else None
        if tree is None or parsing is None:
            return None
        parsers = [call for call, name in calls(tree) if name in _PARSERS and call.args]
        if len(parsers) != 1 or any(w.text == "--config" for w in run.argv):
            return None
        try:
            found = classes_of_parser(self.sources, tree, run.path, parsers[0])
        except LookupError:
            return None
        if found.foreign:
            return None
        table = OptionTable({"framework": "trl", "version": "", "roots": {"": found.options}}, "")
        given = {one.key: one for one in read_line(run.argv, table).settings}
        return parsing, class_options_given(table, given.get)

    def _own_class(self, path: str, tree: ast.Module) -> OwnClass | None:
        """The one class of the repository's with TRL's fields that a program makes settings of."""
        names = {name for call, name in calls(tree) if call.keywords and name.endswith(_CLASS)}
        known = list[OwnClass]()
        for name in sorted(names):
            found = ArgumentClasses(self.sources)
            with suppress(LookupError):
                found.add(path, ast.Name(name))
                if len(found.trainers) == 1 and not found.own:
                    known.append((name, found.trainers.pop(), found.options))
        return known[0] if len(known) == 1 else None

    def paths_for(self, script: str, words: Iterable[str]) -> Iterator[str]:
        """The files of programs that a script may start, and those beside them that define."""
        named = dict.fromkeys(
            way for word in self.sources.modules.words(words) for way in (word, below_first(word))
        )  # Of `$ROOT/src/sft.py` the name is a part of the word.
        found = dict.fromkeys(self.sources.named(word, script) for word in named)
        for program in islice(filter(None, found), _MOST_NAMED):
            yield program
            folder = posixpath.dirname(program)
            for path in self._files:
                near = path.startswith(f"{folder}/") if folder else "/" not in path
                if near and path.endswith(_DEFINING):
                    yield path

    def _parsing(self, path: str) -> TrlProgram | None:
        """A program that parses its whole command line with an `ArgumentParser` of its own."""
        tree = self.sources.tree(path)
        parsing = parsing_call(tree) if tree is not None else None
        parser, _, way = written(parsing.func).rpartition(".") if parsing else ("", "", "")
        if tree is None or way != "parse_args":
            return None
        given = (
            one
            for call, _ in calls(tree)
            for one in (*call.args, *(keyword.value for keyword in call.keywords))
        )
        if any(written(one) == parser for one in given):
            return None  # What it is given to may add options.
        options = read_options(text_of(self._files, path))
        return TrlProgram(path, "", options, takes_file=False) if options else None

    def _program(self, path: str) -> TrlProgram | None:
        tree = self.sources.tree(path)
        if tree is None:
            return None
        for call, parser in calls(tree):
            takes_file = _PARSERS.get(parser)
            if not call.args or takes_file is None or not (takes_file or _parses_all(tree)):
                continue
            files = [one for one, name in calls(tree) if name == "parse_yaml_file"]
            takes_file = takes_file and not files
            try:
                found = classes_of_parser(self.sources, tree, path, call)
            except OtherTrainerError as other:
                self._others[path] = str(other)
                return None
            except LookupError:
                return None
            if parser == _OPEN_INSTRUCT and not found.foreign:
                return TrlProgram(path, "", found.options)
            if found.plain and not found.trainers:
                found.trainers.update(filter(None, [trained_with_arguments(tree)]))
            if parser != _OPEN_INSTRUCT and len(found.trainers) == 1:
                trainer = found.trainers.pop()
                if is_former(tree, trainer):
                    self._others[path] = TRAINS[trainer]
                    return None
                made = (path, trainer, found.options, takes_file)
                found.options.update(read_options(text_of(self._files, path)) or {})
                adapter = not found.model or makes_adapter(tree)
                first, alone = parser == _HANDBOOK, bool(files) and not any(map(_passes, files))
                drops = first or _DROPS in bytes_of(self._files, path)
                own = found.own, own_trainer_class(tree)
                return TrlProgram(
                    *made, changes(tree).attributes, adapter, *own, drops, first, alone
                )
        return None


def _passes(call: ast.Call) -> bool:
    """Whether a file of settings may have keys that no class has."""
    return any(keyword.arg == "allow_extra_keys" for keyword in call.keywords) or len(call.args) > 1


def _parses_all(tree: ast.Module) -> bool:
    """Whether the program hands its whole command line to a parser that refuses unknown options."""
    ways = [call for call, name in calls(tree) if name == "parse_args_into_dataclasses"]
    return bool(ways) and not any(call.args or call.keywords for call in ways)
