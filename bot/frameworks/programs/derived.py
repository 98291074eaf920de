"""Which calls of a program make TRL's trainers, or those of a repository that derive from them.

`class RhoTrainer(GRPOTrainer)`: what such a class adds is not read; it is taken to train as TRL's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from bot.frameworks.programs.trainers import BARE, TRAINERS, UNREAD
from bot.frameworks.python import unsloth
from bot.frameworks.python.around import END
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import calls, nodes, origins, written

_DEEPEST: Final = 4
"""Classes that are followed from one to what it derives from."""
_NAMED: Final = "Trainer"
"""How the names of classes end that train."""
_TAKES: Final = frozenset(("reward_funcs", "train_dataset"))
"""What only a class that trains is given."""
_SCRIPTS: Final = BARE | unsloth.TRAINERS


class Trainer(NamedTuple):
    """What a call makes."""

    script: str
    """TRL's script that trains as it does: grpo."""
    own: str = ""
    """The repository's class; empty for TRL's own."""


def trainers(tree: ast.Module, run: ProgramRun) -> Iterator[tuple[ast.Call, Trainer]]:
    """The calls of a module that make one."""
    for call, _ in calls(tree):
        found = trainer_of(call, Scope.around(tree, call, run))
        if found is not None:
            yield call, found


def trainer_of(call: ast.Call, scope: Scope) -> Trainer | None:
    """The trainer that a call makes, which stands in a scope; None for any other call."""
    given = {one.arg for one in call.keywords}
    named = written(call.func).endswith(_NAMED) or not given.isdisjoint(_TAKES)
    try:
        return _trains(call, scope) if named else None
    except (LookupError, RecursionError):
        return None


def _trains(call: ast.Call, scope: Scope) -> Trainer | None:
    of, own = call.func, ""
    for _ in range(_DEEPEST):
        if not isinstance(of, ast.Attribute):
            of, scope = scope.step(of, END)
        name = written(of).rpartition(".")[2]
        real = class_named(scope.tree, name)
        if real in _SCRIPTS and _is_imported(scope.tree, name) and from_trl(scope.tree, real):
            return Trainer(_SCRIPTS[real], own)
        made = _definition(scope, name)
        if made is None or len(made.bases) != 1 or (call.args and _takes_others(made)):
            return None
        own, of, scope = own or name, made.bases[0], scope.module()
    return None


def _definition(scope: Scope, name: str) -> ast.ClassDef | None:
    """The one class of that name of a module, or of a function of it."""
    made = (one for one in nodes(scope.tree) if isinstance(one, ast.ClassDef))
    found = [one for one in made if one.name == name]
    return found[0] if len(found) == 1 else None


def _takes_others(made: ast.ClassDef) -> bool:
    """Whether a class may take other arguments by place than what it derives from."""
    return any(isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in made.body)


def _is_imported(tree: ast.Module, name: str) -> bool:
    """Whether no other package than TRL or unsloth has the class of that name."""
    places = [one.module or "" for one, _ in origins(tree)[0].get(name, ())]
    return all(f"{place}.".startswith(("trl.", f"{unsloth.PACKAGE}.")) for place in places)


def class_named(tree: ast.Module, name: str) -> str:
    """The name of a class of TRL's that a module imports under one of its own."""
    given = {real for one, real in origins(tree)[0].get(name, ()) if not one.level}
    real = given.pop() if len(given) == 1 else name
    return real if real in TRAINERS or real in BARE else name


@lru_cache(maxsize=64)
def from_trl(tree: ast.Module, name: str, *, ours: bool = False) -> bool:
    """Whether the class is TRL's as it is imported, or known to be, and nothing changes it."""
    if ours and unsloth.patches(tree):
        return False  # It changes what TRL's class has, and with it the repository's own.
    modules = set[str]()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add(node.module or "")
            imported = any(name in (alias.name, alias.asname) for alias in node.names)
            from_trl = f"{node.module}.".startswith("trl.") and node.module != UNREAD
            ours = ours or (imported and from_trl)
    return ours or "trl" in modules or (_of_unsloth(name) and unsloth.patches(tree))


def _of_unsloth(name: str) -> bool:
    return name in unsloth.ARGUMENTS or name in unsloth.TRAINERS
