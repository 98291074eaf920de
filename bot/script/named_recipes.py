"""A launch together with the recipe that it names: `trl grpo --config x.yaml --max_steps 5`.

The settings of the file come first and those of the command win, as `TrlParser` and
`OmegaConf.merge(file, command line)` have it. The words of a recipe keep their places: the file is
attached to the script's text (`Source.attached`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.frameworks import ScriptPlace
from bot.frameworks.plan import Plan
from bot.frameworks.setting import Setting
from bot.frameworks.structured import StructuredTable
from bot.script.recipe import recipe_words
from bot.shell.source import Source, Span
from bot.shell.words import Command, Reading, Word

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


def with_recipes(reading: Reading, plans: Sequence[Plan], place: ScriptPlace) -> Reading:
    """The reading with the recipes that its launches name, as far as the repository has them.

    The reading itself where it names none that can be read. Recipes are reported by paths as the
    script's own is: relative to the same folder.
    """
    parts: dict[str, Source] = {}
    settings: dict[int, tuple[Word, ...]] = {}
    checkout, script = place.checkout, reading.source
    for plan in plans:
        given = named_recipe(plan)
        path = checkout.recipe(place.path, given.text) if given and given.known else None
        if path is None or (path not in parts and len(parts) >= _MOST):
            continue
        data = checkout.files[path]
        table = plan.table if isinstance(plan.table, StructuredTable) else None
        words = recipe_words(data, () if table else checkout.own_arguments(), table)
        if not words:
            continue
        if path not in parts:
            text = data.decode("utf-8-sig", "replace")
            parts[path] = Source(_beside(script.path, place.path, path), text)
        at = Source("", script.text, tuple(parts.values())).begin(list(parts).index(path))
        settings[id(plan.launch.command)] = tuple(_moved(word, at) for word in words)
    if not settings:
        return reading

    def joined(command: Command) -> Command:
        return replace(command, settings=settings.get(id(command), ()))

    return replace(
        reading,
        source=Source(script.path, script.text, tuple(parts.values())),
        commands=tuple(map(joined, reading.commands)),
    )


def _beside(shown: str, script: str, recipe: str) -> str:
    """The recipe's path, as the script's is shown; both stand in one repository."""
    relative = posixpath.relpath(recipe, posixpath.dirname(script) or ".")
    return posixpath.normpath(posixpath.join(posixpath.dirname(shown), relative))


def _moved(word: Word, by: int) -> Word:
    pieces = tuple(replace(piece, span=_later(piece.span, by)) for piece in word.pieces)
    return Word(pieces, _later(word.span, by))


def _later(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
