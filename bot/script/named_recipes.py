"""A launch together with the file of its settings: `trl grpo --config x.yaml --max_steps 5`.

The settings of the file come first and those of the command win, as `TrlParser` and
`OmegaConf.merge(file, command line)` have it. The words of a recipe keep their places: the file is
attached to the script's text (`Source.attached`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from bot.frameworks import ScriptPlace
from bot.frameworks.files.named_files import below_first, below_unknown
from bot.frameworks.launchers.launch import printing_option, unwrap
from bot.frameworks.launchers.processes import environment_of
from bot.frameworks.plan import Plan
from bot.frameworks.python.notebook import PROGRAMS, cells_of, python_of
from bot.frameworks.python.structured import StructuredTable
from bot.frameworks.settings.setting import Setting
from bot.script.recipe import recipe_words
from bot.script.written_programs import WithPrograms
from bot.shell.source import Source, Span
from bot.shell.words import Command, Reading, Word, WrittenProgram

_MOST = 20
"""Different recipes of a script that are read."""


def named_recipe(plan: Plan) -> Setting | None:
    """The setting that names the launch's file of settings; None without one."""
    if plan.framework == "trl" or isinstance(plan.table, StructuredTable):
        return plan.last("config")
    return None


def unread_recipes(plans: Sequence[Plan]) -> Iterator[Setting]:
    """The settings that name a file which was not read with its launch."""
    for plan in plans:
        given = named_recipe(plan)
        if given is not None and not plan.launch.command.settings:
            yield given


def with_settings(reading: Reading, plans: Sequence[Plan], place: ScriptPlace | None) -> Reading:
    """The reading with the files that hold settings of its commands, as far as they are there.

    They are the recipes that its launches name, which the script may have written itself, and the
    programs that make TRL's settings in Python. The reading itself where there are none that can
    be read. Those of the repository are reported by paths as the script's own is: relative to the
    same folder.
    """
    joined = {
        id(command): [replace(command, settings=words)] for command, words in _own(plans, place)
    }
    attached = _attached(reading, plans, place, joined) if place is not None else ()
    if not joined:
        return reading
    return replace(
        reading,
        source=replace(reading.source, attached=attached),
        commands=tuple(
            one for command in reading.commands for one in joined.get(id(command), [command])
        ),
    )


def _attached(
    reading: Reading,
    plans: Sequence[Plan],
    place: ScriptPlace,
    joined: dict[int, list[Command]],
) -> tuple[Source, ...]:
    """The files of the repository that hold settings of commands, which are added to `joined`.

    A program that trains several times is as many commands.
    """
    parts: dict[str, Source] = {}
    moved: dict[tuple[int, int], tuple[Word, ...]] = {}
    script = reading.source
    found = [*_recipes(plans, place), *_programs(reading.commands, plans, place)]
    files = place.checkout.files
    own = files.programs if isinstance(files, WithPrograms) else {}
    for command, path, words, program in found:
        others = joined.get(id(command), [])
        if path in own and all(one.written is not None for one in others):
            placed = tuple(map(own[path].placed, words))
            joined[id(command)] = [*others, replace(command, settings=placed, written=program)]
            continue
        if any(one.written is None for one in others) or (
            path not in parts and len(parts) >= _MOST
        ):
            continue
        if path not in parts:
            text = _text(place.checkout.files, path)
            shown = _beside(script.path, place.path, path)
            parts[path] = Source(shown, text, cells=cells_of(place.checkout.files, path))
        at = Source("", script.text, tuple(parts.values())).begin(list(parts).index(path))
        if (key := (at, id(words))) not in moved:
            moved[key] = tuple(_moved(word, at) for word in words)
        joined[id(command)] = [*others, replace(command, settings=moved[key], written=program)]
    return tuple(parts.values())


def _text(files: Mapping[str, bytes], path: str) -> str:
    """The text that a file's words are places in, as the reader of its kind decodes it."""
    if path.endswith(PROGRAMS):
        return python_of(files, path)
    return files[path].decode("utf-8-sig", "replace")


_Found: TypeAlias = tuple[Command, str, tuple[Word, ...], WrittenProgram | None]
"""A command, the file that holds settings of it, those as words, and `Command.written`."""


def _own(
    plans: Sequence[Plan], place: ScriptPlace | None
) -> Iterator[tuple[Command, tuple[Word, ...]]]:
    """Commands whose recipe the script wrote itself, with its settings at their places in it."""
    for plan in plans:
        command, given = plan.launch.command, named_recipe(plan)
        file = command.files.get(given.text) if given else None
        words = _words(plan, file.content.text.encode(), place) if file is not None else None
        if file is not None and words:
            yield command, tuple(map(file.placed, words))


def _recipes(plans: Sequence[Plan], place: ScriptPlace) -> Iterator[_Found]:
    for plan in plans:
        given = named_recipe(plan)
        named = ways(plan.launch.command, given.text) if given else ()
        found = (place.checkout.recipe(place.path, way) for way in named)
        if (path := next(filter(None, found), None)) is not None and (
            words := _words(plan, place.checkout.files[path], place)
        ):
            yield plan.launch.command, path, words, None


def ways(command: Command, named: str) -> Iterator[str]:
    """The path from where the script has gone to, which may begin above the clone, and as it is."""
    if command.folder is not None:
        folder = command.folder.text
        joined = posixpath.normpath(posixpath.join(folder, named))
        if joined.startswith(f"{folder.partition('/')[0]}/"):  # Not above a folder of a run's.
            yield joined
            yield below_first(below_unknown(joined))
    yield named


def _words(plan: Plan, recipe: bytes, place: ScriptPlace | None) -> tuple[Word, ...] | None:
    table = plan.table if isinstance(plan.table, StructuredTable) else None
    if table is not None or place is None:
        return recipe_words(recipe, (), table)
    # A class of the repository's may declare again what the launch's own classes have.
    return recipe_words(recipe, place.checkout.own_arguments().difference(plan.table or ()), None)


def _programs(
    commands: Sequence[Command], plans: Sequence[Plan], place: ScriptPlace
) -> Iterator[_Found]:
    launched = {id(plan.launch.command) for plan in plans}
    for command in commands:
        started = unwrap(command.argv) if id(command) not in launched else None
        if started is None or printing_option("trl", started.argv):
            continue
        for made in place.checkout.trl_programs.written_in(
            started.entry, place.path, started.argv, command, environment_of(started, command)
        ):
            if made.words:
                yield command, made.path, made.words, made.program


def _beside(shown: str, script: str, recipe: str) -> str:
    """The recipe's path, as the script's is shown; both stand in one repository."""
    relative = posixpath.relpath(recipe, posixpath.dirname(script) or ".")
    return posixpath.normpath(posixpath.join(posixpath.dirname(shown), relative))


def _moved(word: Word, by: int) -> Word:
    pieces = tuple(replace(piece, span=_later(piece.span, by)) for piece in word.pieces)
    return Word(pieces, _later(word.span, by))


def _later(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
