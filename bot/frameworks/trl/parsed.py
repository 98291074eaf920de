"""The model that a program with TRL's options makes itself: `LoraConfig(r=script_args.rank)`.

What it loads, in which type, and the adapter that it gives it, by the options that the launch has
or their defaults. Read as a syntax tree, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.fields import AppliedSettings
from bot.frameworks.launchers.processes import process_environment
from bot.frameworks.plan import Launch
from bot.frameworks.programs.model_written import program_of
from bot.frameworks.programs.program import OTHER_NAMES, TrlProgram
from bot.frameworks.programs.settings_written import model_written, value_of, words_of
from bot.frameworks.python.argparse_options import UNREADABLE
from bot.frameworks.python.arguments import class_options_given, parsing_classes
from bot.frameworks.python.files import ProgramFiles
from bot.frameworks.python.known import option_of
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import UnfollowedError, nodes
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.options import read_line
from bot.frameworks.settings.setting import Setting
from bot.shell.words import Command, Word, WrittenProgram

_LOADING: Final = "model_init_kwargs"


@dataclass(frozen=True, slots=True)
class ModelMade:
    """The model that a program makes."""

    settings: tuple[Setting, ...]
    """What would have the same model made by a script of TRL's; places are the launch's."""
    program: WrittenProgram
    read: frozenset[str]
    """The options that this hangs on."""


def model_made(
    started: TrlProgram,
    files: ProgramFiles,
    launch: Launch,
    values: AppliedSettings,
    table: OptionTable,
) -> ModelMade | None:
    """The model of a program that trains as a script of TRL's does; None where it is not followed.

    `values` are the options of the launch, and `table` those that there are.
    """
    tree = files.tree(started.path)
    parsing = parsing_classes(tree) if tree is not None else None
    if tree is None or parsing is None:
        return None
    command, options = launch.command, class_options_given(table, values.setting)
    own_words = launch.argv[len(command.settings) :]
    parsed = (parsing, options)
    environment = process_environment(launch)
    run = ProgramRun(started.path, files, own_words, environment, command.files, parsed)
    try:
        loading = _loading(tree)
    except LookupError:
        return None
    found = model_written(tree, started.trainer, loading, run)
    if found is None or (found.unfollowed and not started.own_adapter):
        return None  # Most programs leave all of it to the options.
    settings = tuple(
        setting
        for keyword, scope in found.keywords
        for setting in _setting(keyword, scope, command, values, table)
        if not _is_set(setting, values)
    )
    return ModelMade(settings, program_of(started.trainer, found), run.read())


def _is_set(setting: Setting, values: AppliedSettings) -> bool:
    given = values.setting(setting.key)
    return given is not None and (given.value, given.text) == (setting.value, setting.text)


@lru_cache(maxsize=16)
def _loading(tree: ast.Module) -> Mapping[str, ast.expr]:
    """What is said of loading a model by its name: `training_args.model_init_kwargs = …`."""
    said = [
        one.value
        for one in nodes(tree)
        if isinstance(one, ast.Assign)
        and any(isinstance(to, ast.Attribute) and to.attr == _LOADING for to in one.targets)
    ]
    if len(said) > 1:
        raise UnfollowedError(_LOADING)
    return dict.fromkeys((_LOADING,) if said else (), *said)


def _setting(
    keyword: ast.keyword,
    scope: Scope,
    command: Command,
    values: AppliedSettings,
    table: OptionTable,
) -> list[Setting]:
    """An option of TRL's script with the value that the program has for it."""
    names = (str(keyword.arg), *(to for one, to in OTHER_NAMES if one == keyword.arg))
    name = next((one for one in names if table.full(one, whole=True)), None)
    if name is None:
        return []
    value = value_of(keyword.value, scope)
    if value is None:
        return []
    if value == UNREADABLE and (option := option_of(scope, keyword.value)) is not None:
        given = values.setting(option[1])
        if given is not None:  # With what is known of it, as the last part of a path.
            return [replace(given, key=name)]
    words: list[Word] = [*words_of(name, keyword.value, value, command.span)]
    return read_line(words, table).settings
