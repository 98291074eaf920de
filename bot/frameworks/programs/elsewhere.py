"""A program whose trainers, or their settings, other modules of its repository make, or several.

`from training import run; run(load("config.yaml"))`: functions that it calls are followed to the
one that makes TRL's trainer. Read as syntax trees, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

from bot.frameworks.programs.derived import Trainer, class_named, from_trl, trainer_of
from bot.frameworks.programs.follow_model import model_of
from bot.frameworks.programs.model_written import ModelWritten, with_call
from bot.frameworks.programs.settings_written import MOST, Made, WrittenSettings, composed
from bot.frameworks.programs.trainers import TRAINERS
from bot.frameworks.python.functions import function_called, initializer
from bot.frameworks.python.loading import may_reach
from bot.frameworks.python.mappings import keywords_of
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import calls, imports, modules_imported, written
from bot.frameworks.python.statements import calls_of

_DEEPEST: Final = 3
"""Functions that are followed from one into the next."""
_MOST: Final = 5
"""Trainers of a program."""
_MODULES: Final = 50
"""Modules that a program imports and that are looked into for the names of trainers."""
_Made: TypeAlias = tuple[ast.Call, Trainer, Scope]
"""What makes a trainer, what it makes, and where that stands."""


def settings_of_trainers(run: ProgramRun, text_of: Callable[[str], str]) -> list[WrittenSettings]:
    """What a program makes of TRL's settings, for each trainer that it makes; none where it is not.

    `text_of` gives the text of a module. The settings stand in the module that makes them; those
    that several trainers are given count once. A program with many trainers is not followed.
    """
    tree = run.files.tree(run.path)
    try:
        trainers = [*islice(_trainers(tree, run), _MOST + 1)] if tree is not None else []
        few = trainers if len(trainers) <= _MOST else []
        found = [made for one in few if (made := _settings(*one, text_of)) is not None]
    except RecursionError:
        return []
    return [*{(one.path, one.words): one for one in found}.values()]


def _settings(
    call: ast.Call, trainer: Trainer, scope: Scope, text_of: Callable[[str], str]
) -> WrittenSettings | None:
    given = {one.arg: one.value for one in call.keywords}
    try:
        made, there = scope.value(given["args"])
        name = written(made.func).rpartition(".")[2] if isinstance(made, ast.Call) else ""
        name = class_named(there.tree, name)
        if not isinstance(made, ast.Call) or TRAINERS.get(name) != trainer.script:
            return None
        keywords = None if made.args else keywords_of(made, there)
    except LookupError:
        return None
    if not from_trl(there.tree, name):
        return None
    if keywords is None or len(keywords.settings) > MOST:
        return WrittenSettings(there.path, name, trainer.script)

    def follow(settings: Mapping[str, ast.expr]) -> ModelWritten:
        model = model_of(call, scope, settings, trainer.own)
        return model if trainer.own else with_call(model, call, scope)

    found = Made(made, there, name, trainer.script)
    return composed(text_of(there.path), found, keywords, follow)


def imported_by(run: ProgramRun) -> Iterator[str]:
    """The modules of the repository that a program imports, and those that a package hands on."""
    waiting, seen = [run.path], {run.path}
    while waiting and len(seen) < _MODULES:
        path = waiting.pop()
        tree = run.files.tree(path)
        if tree is None:
            continue
        named = {*modules_imported(tree).values()}
        named |= {(one.level, one.module or "") for one in imports(tree)}
        found = {run.files.imported(path, level, name) for level, name in named if name}
        for module in sorted(filter(None, found - seen)):
            seen.add(module)
            yield module
            if module.endswith("/__init__.py"):
                waiting.append(module)


def _trainers(tree: ast.Module, run: ProgramRun) -> Iterator[_Made]:
    """The trainers of TRL's that a program makes, or functions of other modules that it calls."""
    for call, _ in calls(tree):
        scope = Scope.around(tree, call, run)
        trainer = trainer_of(call, scope)
        if trainer is None:
            yield from _within(scope, call, 0)
        elif _may_be_made(scope, call):
            yield call, trainer, scope


def _may_be_made(scope: Scope, call: ast.Call) -> bool:
    """Whether a program may carry out a call, by the conditions around it and its function's."""
    named = calls_of(scope.tree).get(getattr(scope.node, "name", ""), ())
    around = ((Scope.around(scope.tree, one, scope.run), one) for one in named)
    return may_reach(scope, call) and (not named or any(may_reach(*one) for one in around))


def _within(scope: Scope, call: ast.Call, depth: int) -> Iterator[_Made]:
    """Those that a function makes which a call carries out; none for one of the program itself."""
    try:
        found = function_called(scope, call.func) or initializer(scope, call)
        if found is None or depth >= _DEEPEST or (not depth and found[1].path == scope.path):
            return
        function, there, own = found
        given = {**own, **scope.bound(function.args, call, there, len(own))}
    except LookupError:
        return
    if next(scope.run.left, None) is None:
        return
    inner = replace(there, node=function, given=given, depth=scope.depth + 1)
    made = list[_Made]()
    for one, _ in calls(function):
        trainer = trainer_of(one, inner)
        made += [(one, trainer, inner)] if trainer else _within(inner, one, depth + 1)
    # Asked last: most calls make none, and this takes longer than to look.
    if made and may_reach(scope, call):
        yield from made
