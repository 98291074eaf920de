"""The YAML recipes of a folder: those that its scripts name, and those in folders of recipes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.base.regex import regex
from bot.script.recipe import holds_recipe

if TYPE_CHECKING:
    from bot.check.request import ScriptFile

_FOLDER: Final = "recipes"
"""Where open-r1, and what is made from it, keeps its recipes."""
_NAMED: Final = regex(
    rb"config(?:(?<=--config)[ =]+|(?<=\sconfig)=)[\"']?([\w./-]{1,400}\.ya?ml)\b"
)
"""It begins with a word, and looks back then: that is found much faster."""
_LARGEST: Final = 1 << 18
_MOST: Final = 2_000
"""YAML files that are looked at."""


def recipes_of(folder: Path, files: Iterable[Path], scripts: Iterable[ScriptFile]) -> list[Path]:
    """The recipes of a folder with these files, in path order. Never raises for what one holds.

    A file that a script names is looked for from the folder, and from the script's own on upwards.
    """
    inside = (
        path for path in files if _FOLDER in (folder.name, *path.relative_to(folder).parts[:-1])
    )
    named = (path for script in scripts for path in _recipes_named_in(folder, script))
    every = (path for path in chain(inside, named) if path.suffix in (".yaml", ".yml"))
    found = {path.resolve(): path for path in islice(every, _MOST) if holds_recipe(_content(path))}
    return sorted(found.values())


def _recipes_named_in(folder: Path, script: ScriptFile) -> Iterator[Path]:
    if b".yaml" not in script.data and b".yml" not in script.data:
        return
    within = takewhile(lambda place: place.is_relative_to(folder), Path(script.path).parents)
    above = [folder, *within]
    for name in dict.fromkeys(_NAMED.findall(script.data, 0, _LARGEST)):
        places = (place / name.decode() for place in above)
        yield from islice((path for path in places if path.is_file()), 1)


def _content(path: Path) -> bytes:
    """The beginning of a regular file; nothing of one that cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""
