"""What a program takes from its own command line: `GRPOConfig(learning_rate=args.lr)`.

The options are those of its one `ArgumentParser`; a launch gives them, or their defaults count.
Read as a syntax tree, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.argparse_options import UNREADABLE, constant, options_added
from bot.frameworks.python.source import calls, nodes, written
from bot.frameworks.python.statements import calls_of, function_of
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.setting import Setting
from bot.shell.words import Hole, Word

_PARSES: Final = ("parse_args", "parse_known_args")
_PARSES_CLASSES: Final = ("parse_args_and_config", "parse_args_into_dataclasses")
_ALL: Final = ("None", "sys.argv[1:]", "argv[1:]")
"""What stands for the whole command line."""
_UNFOLLOWED: Final = ("add_subparsers", "set_defaults", "parents", "fromfile_prefix_chars")
"""What makes options, or their values, in other ways."""
_TYPES: Final = ("str", "int", "float", "Path", "pathlib.Path")
_SWITCHES: Final = {"store_true": True, "store_false": False}
_MOST: Final = 1_000
"""Options of a program."""
_DEEPEST: Final = 3
"""Functions that hand the command line on: `main(argv=None)` to `parse_args(argv)`."""


@dataclass(frozen=True, slots=True)
class ProgramOption:
    """An option of a program, `UNREADABLE` where only running gives a value."""

    default: Any
    switch: bool | None = None
    """What the option alone sets; None for one with a value."""
    single: bool = True
    """Whether it takes one value, which is what is written."""
    kind: str = "str"
    """What is made of the text: int."""
    written: ast.expr | None = None
    """The default as it is written, where it is not given by constants alone."""


@dataclass(frozen=True, slots=True, eq=False)
class ProgramOptions:
    """The options of a program that parses its command line once."""

    flags: Mapping[str, str]
    """`--lr` to the attribute that it sets."""
    options: Mapping[str, ProgramOption]
    """By attribute."""
    positional: tuple[str, ...] = ()
    """The attributes that words without an option set, in their order."""
    known: Mapping[str, Word | str | bool | None] | None = None
    """What is given, where that is read already."""

    def given(self, argv: Sequence[Word]) -> Mapping[str, Word | str | bool | None] | None:
        """What arguments set, by attribute, None for what is not known.

        None in the place of all where an argument may be any option.
        """
        if self.known is not None:
            return self.known
        found: dict[str, Word | str | bool | None] = {}
        at, places = 0, iter(self.positional)
        while at < len(argv):
            word, at = argv[at], at + 1
            if word.pieces and isinstance(word.pieces[0].text, Hole):
                return None
            text, equals, given = word.text.partition("=")
            if not text.startswith("-"):
                if (place := next(places, None)) is not None:
                    found[place] = word
                continue
            if text not in self.flags:
                if any(flag.startswith(text) for flag in self.flags):
                    return None  # An abbreviation, which argparse takes.
                continue
            name = self.flags[text]
            option = self.options[name]
            if option.switch is not None:
                found[name] = option.switch
                continue
            value: Word | str | None = given if equals and word.complete else None
            if not equals:
                value, at = next(iter(argv[at : at + 1]), None), at + 1
            found[name] = value if option.single else None
        return found


@lru_cache(maxsize=16)
def program_options(tree: ast.Module) -> ProgramOptions | None:
    """The options of a module; None where it does not parse its whole command line, and once."""
    if parsing_call(tree) is None:
        return None
    try:
        return ProgramOptions(*_options(tree))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=16)
def parsing_call(tree: ast.Module) -> ast.Call | None:
    """The call by which a module parses its whole command line, once; None where it does not."""
    called = [*calls(tree)]
    names = [name for _, name in called]
    own = {node.name for node in nodes(tree) if isinstance(node, ast.FunctionDef)}
    parsing = [call for call, name in called if name in _PARSES and written(call.func) not in own]
    made = [call for call, name in called if name == "ArgumentParser"]
    keywords = {keyword.arg for call in made for keyword in call.keywords}
    other = keywords.union(names).intersection(_UNFOLLOWED)
    whole = len(parsing) == 1 and _whole(tree, parsing[0])
    return parsing[0] if len(made) == 1 and whole and not other else None


def _whole(tree: ast.Module, call: ast.Call) -> bool:
    """Whether a call parses the whole command line, also through `def main(argv=None)`."""
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "args")]
    if len(given) < len(call.args) + len(call.keywords) or len(given) > 1:
        return False
    return not given or _is_whole(tree, call, given[0], _DEEPEST)


def _is_whole(tree: ast.Module, call: ast.Call, word: ast.expr, left: int) -> bool:
    """Whether an argument of a call is the whole command line; `left` functions may hand it on."""
    name = written(word)
    if name in _ALL:
        return True
    function = function_of(tree, call)
    if not left or not isinstance(function, ast.FunctionDef):
        return False
    if [one.arg for one in function.args.args] != [name]:
        return False
    called = calls_of(tree).get(function.name, ())
    default = [*map(written, function.args.defaults)]
    if default != ["None"] and (default or not called or not all(one.args for one in called)):
        return False
    return not any(
        one.keywords or any(not _is_whole(tree, one, word, left - 1) for word in one.args)
        for one in called
    )


@lru_cache(maxsize=16)
def parsing_classes(tree: ast.Module) -> ast.Call | None:
    """The one call by which a module parses the options of classes; None for none or several."""
    found = [call for call, name in calls(tree) if name in _PARSES_CLASSES]
    return found[0] if len(found) == 1 else None


def class_options_given(
    table: OptionTable, given: Callable[[str], Setting | None]
) -> ProgramOptions:
    """The options of such a parser, with what is given for them or else their defaults."""
    known: dict[str, Any] = {}
    options: dict[str, ProgramOption] = {}
    for name in table:
        key, setting, to = table.get(name), given(name), table.destination(name)
        if setting is not None:
            known[to] = setting.value if setting.known else None
        if key is not None and to == name:
            options[name] = ProgramOption(key.default)
    return ProgramOptions({}, options, known={one: known[one] for one in known if one in options})


def _options(
    tree: ast.Module,
) -> tuple[dict[str, str], dict[str, ProgramOption], tuple[str, ...]]:
    flags: dict[str, str] = {}
    options: dict[str, ProgramOption] = {}
    positional = list[str]()
    for call, names in options_added(tree.body, {}, iter(range(_MOST))):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        texts = [constant(argument, names) for argument in call.args]
        words = [text for text in texts if isinstance(text, str) and text.startswith("-")]
        place = texts[0] if not words and len(texts) == 1 and isinstance(texts[0], str) else ""
        long = next((text for text in words if text.startswith("--")), *words[:1] or [place])
        dest = constant(given.get("dest"), names) or long.lstrip("-").replace("-", "_")
        options[dest] = _option(given, names, known=dest in options)
        if place and options[dest].single:
            positional.append(place)
        flags |= dict.fromkeys(words, dest)
    return flags, options, tuple(positional)


def _option(
    given: Mapping[str | None, ast.expr], names: Mapping[str, Any], *, known: bool
) -> ProgramOption:
    """An option by what is given for it; `known` where another one sets the same attribute."""
    action = constant(given.get("action"), names) or "store"
    default = constant(given.get("default"), names)
    switch = _SWITCHES.get(action)
    if switch is not None and default is None:
        default = not switch
    kind = written(given["type"]) if "type" in given else "str"
    single = action == "store" and "nargs" not in given and kind in _TYPES
    needed = constant(given.get("required"), names) is True
    if needed or known or (isinstance(default, str) and kind not in _TYPES):
        return ProgramOption(UNREADABLE, switch, single, kind)
    return ProgramOption(
        default, switch, single, kind, given["default"] if default == UNREADABLE else None
    )
