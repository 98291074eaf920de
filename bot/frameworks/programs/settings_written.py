"""The settings that a program gives TRL in its own Python: `GRPOConfig(num_generations=8, …)`.

Read as a syntax tree, never run. A constant is known, also by the name of the module that is
assigned it once, and so is an option of the program that the launch gives, or that has a default;
anything else is a hole that shows what is written.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, message
from bot.frameworks.programs.derived import class_named, from_trl, trainers
from bot.frameworks.programs.follow_model import model_of
from bot.frameworks.programs.model_written import ModelWritten, program_of, with_call
from bot.frameworks.programs.trainers import (
    BARE,
    BESIDE,
    PLAIN,
    PLAINLY,
    TRAINERS,
    TRAINS,
    default_is_none,
    is_former,
)
from bot.frameworks.python import unsloth
from bot.frameworks.python.argparse_options import UNREADABLE
from bot.frameworks.python.changes import changes
from bot.frameworks.python.known import given_word, option_of
from bot.frameworks.python.loading import given_to, may_reach
from bot.frameworks.python.mappings import Keywords, keywords_of
from bot.frameworks.python.places import line_starts, span_of
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import UnfollowedError, calls, imports, nodes, written
from bot.frameworks.python.statements import assigned_once
from bot.frameworks.settings.option_table import UNLIMITED
from bot.frameworks.settings.trainer_arguments import ADAPTER, always_taken
from bot.shell.source import Span
from bot.shell.words import Hole, HoleKind, Piece, Unsloth, Word, WrittenProgram

OwnClass: TypeAlias = tuple[str, str, Collection[str]]
"""A class of the repository's with the fields of one of TRL's: its name, the script of TRL's with
the same settings, and what it adds or has another default for."""
_TRAINS: Final = "Trainer"
"""How the names of classes end that train."""
_PACKAGES: Final = ("trl", "transformers", unsloth.PACKAGE)
"""Packages that have such classes."""
MOST: Final = 500
"""Settings of a call that is followed; TRL's classes have up to 233."""
_MOST_TRAINERS: Final = 5
"""Calls that make a program's trainer, in ways that a condition chooses from."""
_SHOWN: Final = 60
"""Characters of an expression that a hole shows."""
_ONLY_A_RUN: Final = message("only a run knows what it is given")


@dataclass(frozen=True, slots=True)
class WrittenSettings:
    """A program that makes TRL's settings itself."""

    path: str
    name: str
    """The class: GRPOConfig, or one of the repository's with its fields."""
    trainer: str
    """The script of TRL's with the same settings: grpo."""
    words: tuple[Word, ...] = ()
    """`--key value` for each, with its place in the file; none where they cannot be followed."""
    program: WrittenProgram | None = None
    """What it does besides; None where its settings cannot be followed."""
    foreign: bool = False
    """Whether the class is another than TRL's, which is never followed."""
    why: Message = _ONLY_A_RUN
    """Why they are not followed, as a clause."""


def settings_written(
    text: str, tree: ast.Module, run: ProgramRun, own: OwnClass | None = None
) -> WrittenSettings | None:
    """What a program makes of TRL's settings, or of a class with their fields; None for nothing.

    They are not followed where several places make them, where a mapping that holds some of them is
    not known, where they are more than the class has, or where it is not TRL's own. What the class
    of the repository declares itself is left out.
    """
    patched = unsloth.patches(tree)
    classes = TRAINERS | (unsloth.ARGUMENTS if patched else {}) if own is None else {own[0]: own[1]}
    made = [
        (call, class_named(tree, name))
        for call, name in calls(tree)
        if class_named(tree, name) in classes and call.keywords
        if may_reach(Scope.around(tree, call, run), call)
    ]
    bare = _without_settings(tree) if not made and own is None else []
    plain = _with_arguments(tree) if not made and own is None and not bare else []
    if bare or plain:
        made, classes = bare or plain[:1], BARE
    if not made or (own is None and _from_elsewhere(tree, made[0][1])):
        return None
    call, name = made[0]
    if is_former(tree, classes[name]):
        return None
    scope = Scope.around(tree, call, run)
    alike = _are_alike([one for one, _ in made], tree, run)
    given = keywords_of(call, scope) if alike and not call.args else None
    if bare:
        given = Keywords([])
    if plain:
        given = _together(tree, plain, run)
    foreign = not from_trl(tree, name, ours=own is not None)
    if given is None or len(given.settings) > MOST or foreign:
        several = message("{count} places make them, with other values", count=len(made))
        why = message("the class is none of those that are known") if foreign else _ONLY_A_RUN
        why = why if alike or foreign else several
        return WrittenSettings(run.path, name, classes[name], foreign=foreign, why=why)
    left_out = own[2] if own is not None else ()

    def follow(settings: Mapping[str, ast.expr]) -> ModelWritten | None:
        found = model_written(tree, classes[name], settings, run)
        return found or ModelWritten((), unfollowed=_trains(tree))

    made_so = Made(call, scope, name, classes[name])
    return composed(text, made_so, given, follow, left_out)


def model_written(
    tree: ast.Module, trainer: str, settings: Mapping[str, ast.expr], run: ProgramRun
) -> ModelWritten | None:
    """The model of a program that trains as one of TRL's scripts does (`grpo`).

    Not followed where some step hangs on what only a run knows, or other models are loaded beside;
    None where the program makes no such trainer, or several with other words or models. `settings`
    are those of TRL's class.
    """
    every = ((call, found) for call, found in trainers(tree, run) if found.script == trainer)
    made = [one for one in every if may_reach(Scope.around(tree, one[0], run), one[0])]
    if not _are_alike([call for call, _ in made], tree, run):
        return None
    models = [
        model_of(call, Scope.around(tree, call, run), settings, found.own) for call, found in made
    ]
    if len({one.shown() for one in models}) > 1:
        return None
    if any(found.own for _, found in made):
        return next((one for one in models if one.trains_with), models[0])
    call = made[0][0]
    return with_call(models[0], call, Scope.around(tree, call, run))


class Made(NamedTuple):
    """What makes settings of TRL's."""

    call: ast.Call
    scope: Scope
    """Where it stands."""
    name: str
    """The class."""
    trainer: str
    """The script of TRL's with the same settings."""


def composed(
    text: str,
    made: Made,
    given: Keywords,
    follow: Callable[[Mapping[str, ast.expr]], ModelWritten | None],
    left_out: Collection[str] = (),
) -> WrittenSettings:
    """The settings that a call is given, with what options would say of the model.

    `text` is its module's; `follow` finds the model, by those settings.
    """
    call, scope, name, trainer = made
    patched = unsloth.patches(scope.tree)
    patched = patched or scope.run.files.started_with(unsloth.PACKAGE, scope.path)
    starts = line_starts(text)
    words = _Words(trainer, starts, changes(scope.tree).attributes | given.unsure)
    left_out = unsloth.ADDED if patched else left_out
    settings = [one for one in given.settings if one.arg not in left_out]
    for keyword in settings:
        begin = span_of(keyword, starts).start
        words.add(keyword, Span(begin, begin + len(keyword.arg or "")), scope)
    trained = follow({str(one.arg): one.value for one in settings})
    for keyword, there in trained.keywords if trained is not None else ():
        if there.tree is not scope.tree:  # Its place is that of the settings.
            keyword = ast.keyword(keyword.arg, ast.copy_location(copy.copy(keyword.value), call))
        words.add(keyword, span_of(keyword.value, starts), there)  # No key is written there.
    for one, tree in trained.arguments if trained is not None and not patched else ():
        if not always_taken(key := f"{TRAINS[trainer]}.{one.arg}") or one.arg == ADAPTER:
            own = tree is scope.tree  # Else its place is that of the settings, too.
            begin = span_of(one if own else call, starts).start
            shown = len(one.arg or "") if own else len(written(call.func))
            words.found.append(_word(f"--{key}", Span(begin, begin + shown)))
    program = program_of(trainer, trained, Unsloth() if patched else None, given.optional)
    return WrittenSettings(scope.path, name, trainer, tuple(words.found), program)


@dataclass(slots=True)
class _Words:
    """Settings as the words of a command line, each with its place in the program."""

    trainer: str
    starts: list[tuple[int, str]]
    changed: frozenset[str]
    """Attributes that the program sets later."""
    found: list[Word] = field(default_factory=list)

    def add(self, keyword: ast.keyword, place: Span, scope: Scope) -> None:
        """Add the words of a setting, whose key stands at a place."""
        changed = keyword.arg in self.changed
        value = UNREADABLE if changed else value_of(keyword.value, scope)
        word = None if changed else given_word(scope, keyword.value)
        if value is None and keyword.arg in UNLIMITED:
            value = "none"
        elif value is None and default_is_none(self.trainer, str(keyword.arg)):
            return  # As where it is not given.
        elif value is None or value == []:
            value = UNREADABLE  # A word would say something else, or nothing.
        self.found.append(_word(f"--{keyword.arg}", place))
        if word is not None:
            span = span_of(keyword.value, self.starts)
            pieces = (replace(piece, span=span, literal=False) for piece in word.pieces)
            self.found.append(Word(tuple(pieces), span))
        else:
            kind: HoleKind = "argument" if _left_open(keyword.value, scope) else "command"
            span = span_of(keyword.value, self.starts)
            self.found += _values(keyword.value, value, span, kind)


def _are_alike(made: Sequence[ast.Call], tree: ast.Module, run: ProgramRun) -> bool:
    """Whether calls, of which there are some but not many, are given the same, or there is one."""
    if len(made) > 1 and len(made) <= _MOST_TRAINERS:
        return len({given_to(one, Scope.around(tree, one, run)) for one in made}) == 1
    return len(made) == 1


def _trains(tree: ast.Module) -> str:
    """What trains in a program that makes no trainer of TRL's, or several."""
    return next((name for _, name in calls(tree) if name.endswith(_TRAINS)), _TRAINS)


def _left_open(node: ast.expr, scope: Scope) -> bool:
    """Whether a value hangs on an option of a program that is started without arguments."""
    if scope.run.argv:
        return False
    with suppress(UnfollowedError, RecursionError):
        node, scope = scope.value(node)
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    made = (assigned_once(one, scope.node) for one in names)  # config = load(args.config)
    nodes = chain(ast.walk(node), *(ast.walk(one) for one in made if one is not None))
    parts = (one for one in nodes if isinstance(one, ast.Attribute))
    try:
        asked = [option_of(scope, one) for one in parts]
    except (UnfollowedError, RecursionError):
        return False
    return any(one and one[0].options[one[1]].default in (UNREADABLE, None) for one in asked)


def makes_settings(text: bytes) -> bool:
    """Whether a program's text names one of TRL's classes where it may make settings of it.

    Or a trainer that is given none.
    """
    bare = any(f"{name}(".encode() in text for name in BARE) and b"args" not in text
    made = any(f"{name}(".encode() in text for name in (*TRAINERS, PLAIN))
    return (b"trl" in text or unsloth.PACKAGE.encode() in text) and (bare or made)


def _without_settings(tree: ast.Module) -> list[tuple[ast.Call, str]]:
    """The one trainer of a program where it is given no settings, which then are TRL's defaults."""
    made = [(call, name) for call, name in calls(tree) if name in BARE]
    given = {one.arg for call, _ in made for one in call.keywords}
    several = len(made) != 1 or made[0][0].args[1:]
    return [] if several or given - BESIDE or not from_trl(tree, made[0][1]) else made


def _with_arguments(tree: ast.Module) -> list[tuple[ast.Call, str]]:
    """The calls of a program's one trainer, and the `TrainingArguments` that they are given.

    Those are transformers', made in one place. Empty where that is not so, and for trainers that do
    not take them (`PLAINLY`).
    """
    made = [(call, name) for call, name in calls(tree) if name in (*BARE, PLAIN)]
    made.sort(key=lambda one: one[1] == PLAIN)
    trainers = {name for _, name in made[:-1]}
    if len(trainers) != 1 or not trainers <= {*PLAINLY} or len(made) > 1 + _MOST_TRAINERS:
        return []
    arguments, last = made[-1]
    if last != PLAIN or arguments.args:
        return []
    foreign = {one.module for one in imports(tree) for n in one.names if n.name == PLAIN}
    whole = written(arguments.func) == f"transformers.{PLAIN}"
    return made if foreign == {"transformers"} or (whole and not foreign) else []


def trained_with_arguments(tree: ast.Module) -> str | None:
    """The script of TRL's that a program's one trainer is, where it takes `TrainingArguments`."""
    made = [name for _, name in calls(tree) if name.endswith(_TRAINS)]
    plainly = len(made) == 1 and made[0] in PLAINLY and from_trl(tree, made[0])
    return BARE[made[0]] if plainly else None


def _together(
    tree: ast.Module, made: list[tuple[ast.Call, str]], run: ProgramRun
) -> Keywords | None:
    """The settings of such arguments, with those that the trainer itself takes (before 0.16).

    None where the calls that make it are given other ones each.
    """
    known = [keywords_of(call, Scope.around(tree, call, run)) for call, _ in made]
    if None in known:
        return None
    *trainers, arguments = filter(None, known)
    own = [[one for one in given.settings if one.arg not in BESIDE] for given in trainers]
    shown = {
        (*map(written, call.args[1:]), *sorted(f"{one.arg}={written(one.value)}" for one in given))
        for (call, _), given in zip(made, own, strict=False)
    }
    if len(shown) > 1:
        return None
    return Keywords(
        [*arguments.settings, *(one for one in own[0] if one.arg != "args")],
        arguments.unsure.union(*(one.unsure for one in trainers)),
        arguments.optional.union(*(one.optional for one in trainers)),
    )


def own_trainer_class(tree: ast.Module) -> str:
    """The repository's class that a program trains with in the place of TRL's; empty for none.

    None either where the program names TRL's or transformers' own, as what its class derives from.
    """
    loaded = (n for n in nodes(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    used = sorted({node.id for node in loaded if node.id.endswith(_TRAINS)})
    places = {
        alias.asname or alias.name: "" if one.level else (one.module or "").partition(".")[0]
        for one in imports(tree)
        for alias in one.names
    }
    places |= {node.name: "" for node in tree.body if isinstance(node, ast.ClassDef)}
    found = [name for name in used if name in places]
    return found[0] if found and not any(places[name] in _PACKAGES for name in found) else ""


def value_of(node: ast.expr, scope: Scope) -> Any:
    """What is given for a setting; `UNREADABLE` where only running tells."""
    try:
        known = scope.constant(node)
    except (UnfollowedError, RecursionError):
        return UNREADABLE
    return known.value if isinstance(known, ast.Constant) else UNREADABLE


def _from_elsewhere(tree: ast.Module, name: str) -> bool:
    """Whether a class of that name is the module's own, or comes from another one than TRL."""
    given = [
        "." if one.level else f"{one.module}."
        for one in imports(tree)
        if any((alias.asname or alias.name) == name for alias in one.names)
    ]
    own = any(isinstance(node, ast.ClassDef) and node.name == name for node in tree.body)
    trl = any(one.startswith(("trl.", f"{unsloth.PACKAGE}.")) for one in given)
    return not trl and (own or bool(given))


def words_of(option: str, node: ast.expr, value: Any, place: Span) -> Iterator[Word]:
    """The words of an option and its value, all at one place."""
    yield _word(f"--{option}", place)
    yield from _values(node, value, place)


def _values(node: ast.expr, value: Any, span: Span, kind: HoleKind = "command") -> Iterator[Word]:
    """The words of a value: one for each item of a list, a hole for what only running gives."""
    if value == UNREADABLE:
        shown = " ".join(written(node).split())
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
        yield _word(Hole(kind, shown), span)
        return
    plain = isinstance(value, list) and not any(isinstance(one, (list, dict)) for one in value)
    for one in value if plain else [value]:
        yield _word(one if isinstance(one, str) else json.dumps(one, default=str), span)


def _word(text: str | Hole, span: Span) -> Word:
    return Word((Piece(text, span, literal=False),), span)
