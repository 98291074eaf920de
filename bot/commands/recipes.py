"""The YAML recipes of a folder: those that its scripts name, and those in folders of recipes."""

from __future__ import annotations

import re
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
_PROGRAM: Final = regex(
    rb"([\w./-]{1,400}\.py)\b|(?:(?<=\s-m)|(?<=\s--module))[ =]([\w.]{1,200})"
    rb"|(?<=\s)(\w{1,99}(?:\.\w{1,99}){1,9})(?=\s)"
)
"""A file of Python, a module, or what may name one: a function of the script's may say `-m`."""
_ENDED: Final = regex(rb"(?<!\\)\n")
"""Where a command ends that goes on over lines."""
_COMMAND: Final = 2_000
"""Bytes of a command before its recipe."""
_OWN_OPTION: Final = regex(rb"add_argument\(\s*[\"']--config[\"']")
_PARSERS: Final = (b"TrlParser", b"HfArgumentParser", b"ArgumentParserPlus")
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
    named = _NAMED.finditer(script.data, 0, _LARGEST)
    for name, programs in dict.fromkeys((one[1], _programs(one)) for one in named):
        places = (place / name.decode() for place in above)
        found = next((path for path in places if path.is_file()), None)
        if found is not None and not any(_reads_it(program, above) for program in programs):
            yield found


def _programs(named: re.Match[bytes]) -> tuple[str, ...]:
    """The files that may be the Python that a command hands a recipe to."""
    start = named.start()
    command = _ENDED.split(named.string[max(0, start - _COMMAND) : start])[-1]
    words = (word.groups(b"") for word in _PROGRAM.finditer(command))
    return tuple(
        (file or b"%b.py" % (module or dotted).replace(b".", b"/")).decode()
        for file, module, dotted in words
    )


def _reads_it(program: str, above: Iterable[Path]) -> bool:
    """Whether a program of the folder has a parser with a `--config` of its own, and none of TRL's.

    What it reads then holds what it likes.
    """
    places = (place / source / program for place in above for source in ("", "src"))
    text = next(filter(None, map(_content, places)), b"")
    return _OWN_OPTION.search(text) is not None and not any(mark in text for mark in _PARSERS)


def _content(path: Path) -> bytes:
    """The beginning of a regular file; nothing of one that cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""
