"""What a program takes from its own command line: `GRPOConfig(learning_rate=args.lr)`.

The options are those of its one `ArgumentParser`; a launch gives them, or their defaults count.
Read as a syntax tree, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeGuard

from bot.base.fast_dataclass import dataclass
from bot.frameworks.argparse_options import UNREADABLE, constant, options_added
from bot.frameworks.python_source import calls, written
from bot.shell.words import Hole, Word

_PARSES: Final = ("parse_args", "parse_known_args")
_UNFOLLOWED: Final = ("add_subparsers", "set_defaults", "parents", "fromfile_prefix_chars")
"""What makes options, or their values, in other ways."""
_TYPES: Final = ("str", "int", "float", "Path", "pathlib.Path")
_SWITCHES: Final = {"store_true": True, "store_false": False}
_MOST: Final = 1_000
"""Options of a program."""


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

    names: frozenset[str]
    """The variables that hold what was parsed."""
    flags: Mapping[str, str]
    """`--lr` to the attribute that it sets."""
    options: Mapping[str, ProgramOption]
    """By attribute."""
    positional: tuple[str, ...] = ()
    """The attributes that words without an option set, in their order."""

    def attribute(self, node: ast.expr) -> str | None:
        """The option that an expression is: `lr` of `args.lr`; None for any other."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        return node.attr if node.value.id in self.names and node.attr in self.options else None

    def given(self, argv: Sequence[Word]) -> Mapping[str, Word | str | bool | None] | None:
        """What arguments set, by attribute, None for what is not known.

        None in the place of all where an argument may be any option.
        """
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
def program_options(tree: ast.Module, within: ast.AST) -> ProgramOptions | None:
    """The options of a module, as a function of it, or the module itself, may use them.

    None where it does not parse its whole command line, and once.
    """
    parsing = parsing_call(tree)
    if parsing is None:
        return None
    try:
        return ProgramOptions(_holders(tree, parsing, within), *_options(tree))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=16)
def parsing_call(tree: ast.Module) -> ast.Call | None:
    """The call by which a module parses its whole command line, once; None where it does not."""
    called = [*calls(tree)]
    names = [name for _, name in called]
    own = {function.name for function in _functions(tree)}
    parsing = [call for call, name in called if name in _PARSES and written(call.func) not in own]
    made = [call for call, name in called if name == "ArgumentParser"]
    keywords = {keyword.arg for call in made for keyword in call.keywords}
    other = keywords.union(names).intersection(_UNFOLLOWED)
    whole = len(parsing) == 1 and not (parsing[0].args or parsing[0].keywords)
    return parsing[0] if len(made) == 1 and whole and not other else None


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


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


def _holders(tree: ast.Module, parsing: ast.Call, within: ast.AST) -> frozenset[str]:
    """The names that hold what a call gives where a function of the module, or itself, uses them.

    Such are the names of nothing else that are assigned the call, or a function which returns it,
    and parameters that are called as such a name of another function or of the module.
    """
    functions = _functions(tree)
    makers = {one.name for one in functions if _returns(one, parsing)}
    stored, held = _stored(within), _names_holding(within, parsing, makers)
    if not isinstance(within, ast.FunctionDef):
        return held
    taken = {argument.arg for argument in (*within.args.args, *within.args.kwonlyargs)} - stored
    scopes = (tree, *functions)
    others = frozenset[str]().union(*(_names_holding(one, parsing, makers) for one in scopes))
    whole = _names_holding(tree, parsing, makers) - stored - taken
    return held | others.intersection(taken) | whole


def _returns(function: ast.FunctionDef, parsing: ast.Call) -> bool:
    """Whether a function may return what was parsed."""
    held = _names_holding(function, parsing, ())
    returned = [node.value for node in _nodes_of_scope(function) if isinstance(node, ast.Return)]
    names = (one.id for one in returned if isinstance(one, ast.Name))
    return parsing in returned or not held.isdisjoint(names)


def _names_holding(scope: ast.AST, parsing: ast.Call, makers: Iterable[str]) -> frozenset[str]:
    """The names of a function, or of the module itself, that hold what was parsed alone."""
    names = [
        name
        for node in _nodes_of_scope(scope)
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        if node.value is parsing
        or (isinstance(node.value, ast.Call) and written(node.value.func) in makers)
        for name in _arguments_name(node.targets[0])
    ]
    stored = [node.id for node in _nodes_of_scope(scope) if _is_stored(node)]
    return frozenset(name for name in names if stored.count(name) == names.count(name))


def _stored(scope: ast.AST) -> set[str]:
    return {node.id for node in _nodes_of_scope(scope) if _is_stored(node)}


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _nodes_of_scope(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, or of a module, without those of functions in it."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node
            yield from _nodes_of_scope(node)


def _arguments_name(target: ast.expr) -> Iterator[str]:
    """The name that the arguments get: `args` of `args, rest = parser.parse_known_args()`."""
    if isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[0]
    if isinstance(target, ast.Name):
        yield target.id
