"""Options of command-line modules, read off their `add_argument` calls with `ast`.

Nothing is imported or run; a default that only running the program gives is `UNREADABLE`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bot.frameworks.python.source import tree_of
from bot.frameworks.settings.option_table import OptionTable

_MOST = 5_000
"""Options of one module; what nests loops to have more is no trainer."""
_LARGEST = 1 << 40
"""Numbers that are not calculated with; far more than any setting."""
UNREADABLE = "${computed}"
"""A default that only running the program gives, such as one made from the date."""
_CHOSEN_FROM = ("str", "int", "float")
"""Types whose values are known, and so whether they are among an option's `choices`."""

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Pow": lambda base, power: base**power if 0 < power < 40 and 0 < base <= 10 else UNREADABLE,
}
"""By the name of the operator's class: `ast` itself is loaded with the first program alone."""


def constant(node: ast.expr | None, names: Mapping[str, Any]) -> Any:
    """The value of an expression of constants and loop variables; `UNREADABLE` for any other."""
    try:
        return _constant(node, names)
    except (TypeError, SyntaxError, MemoryError, RecursionError):
        return UNREADABLE


def _constant(node: ast.expr | None, names: Mapping[str, Any]) -> Any:
    if node is None:
        return None
    if isinstance(node, ast.Name):
        return names.get(node.id, UNREADABLE)
    if isinstance(node, ast.JoinedStr):
        parts = [
            _constant(part.value if isinstance(part, ast.FormattedValue) else part, names)
            for part in node.values
        ]
        return UNREADABLE if UNREADABLE in parts else "".join(str(part) for part in parts)
    if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Compare):
        test = node.test
        left, right = _constant(test.left, names), _constant(test.comparators[0], names)
        if isinstance(test.ops[0], ast.Eq) and UNREADABLE not in (left, right):
            return _constant(node.body if left == right else node.orelse, names)
        return UNREADABLE
    if isinstance(node, ast.Call) and ast.unparse(node) in ('float("inf")', "float('inf')"):
        return "inf"
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "int" and len(node.args) == 1:
        number = _constant(node.args[0], names)
        finite = isinstance(number, float) and math.isfinite(number)
        return int(number) if finite else UNREADABLE
    if isinstance(node, ast.BinOp) and type(node.op).__name__ in _ARITHMETIC:
        sides = _constant(node.left, names), _constant(node.right, names)
        plain = all(type(one) in (int, float) and abs(one) < _LARGEST for one in sides)
        return _ARITHMETIC[type(node.op).__name__](*sides) if plain and sides[1] else UNREADABLE
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return UNREADABLE
    return list(value) if isinstance(value, tuple) else value


def options_added(
    body: Iterable[ast.AST], names: Mapping[str, Any], left: Iterator[int]
) -> Iterator[tuple[ast.Call, Any]]:
    """Each `….add_argument(…)` with the loop variables in force, `for` over constants unrolled.

    `left` has a number for each value that loops may still take; raises ValueError after them.
    """
    for node in body:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            values = constant(node.iter, names)
            for value in values if isinstance(values, list) else []:
                if next(left, None) is None:
                    raise ValueError(f"loops over more than {_MOST} values")
                yield from options_added(node.body, {**names, node.target.id: value}, left)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".add_argument"):
            yield node, names
        else:
            yield from options_added(ast.iter_child_nodes(node), names, left)


def options_of(source: str) -> dict[str, list[Any]]:
    """The options of a module that has one `ArgumentParser`: name → its description.

    Raises SyntaxError or ValueError for what is no Python, or has too many options.
    """
    options: dict[str, list[Any]] = {}
    for number, (call, names) in enumerate(
        options_added(tree_of(source).body, {}, iter(range(_MOST)))
    ):
        if number > _MOST:
            raise ValueError(f"more than {_MOST} options")
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        action = constant(given.get("action"), names) or "store"
        both = "action" in given and ast.unparse(given["action"]).endswith("BooleanOptionalAction")
        kind = ast.unparse(given["type"]) if "type" in given else "str"
        arity = constant(given.get("nargs"), names)
        default = constant(given.get("default"), names)
        if both:
            kind, arity = "flag", "0"
        elif action in ("store_true", "store_false"):
            kind, arity = ("flag" if action == "store_true" else "off"), "0"
            default = action == "store_false" if default is None else default
        for argument in call.args:
            text = constant(argument, names)
            if not isinstance(text, str) or not text.startswith("-"):
                continue
            name = text.lstrip("-")
            dest = constant(given.get("dest"), names) or name.replace("-", "_")
            arity_text = "" if arity is None else str(arity)
            options[name] = [dest, kind, arity_text, default, _choices(given, kind, names)]
            if both and text.startswith("--"):
                options[f"no-{name}"] = [dest, "off", "0", default, None]
    return options


def _choices(
    given: Mapping[str | None, ast.expr], kind: str, names: Mapping[str, Any]
) -> list[Any] | None:
    """The values that an option takes; None where it takes any, or only running the program tells.

    That is so for what a function of the program's own makes of the text (`type=str.lower`).
    """
    value = constant(given.get("choices"), names) if kind in _CHOSEN_FROM else None
    if isinstance(value, set):
        return sorted(value, key=str)  # In the same order each time.
    return [*value] if isinstance(value, (list, dict)) else None


class SourceOptions:
    """The options of the modules in one folder, each read when a launch needs it."""

    def __init__(self, framework: str, name: str, texts: Mapping[str, str]) -> None:
        """`texts` are the sources by the modules' names; `name` says in words whose they are."""
        self.framework = framework
        self.name = name
        self._texts = texts
        self._tables: dict[str, OptionTable | None] = {}

    def table(self, entry: str) -> OptionTable | None:
        """The options of a module such as openrlhf.cli.train_sft.

        None when the copy does not have the module, or adds options by code of other files.
        """
        if entry not in self._tables:
            text = self._texts.get(entry.rsplit(".", 1)[-1])
            options = read_options(text) if text is not None else None
            data: dict[str, Any] = {
                "framework": self.framework,
                "version": self.name,
                "roots": {entry: options},
            }
            self._tables[entry] = OptionTable(data, entry) if options else None
        return self._tables[entry]


def read_options(text: str) -> dict[str, list[Any]] | None:
    """As `options_of`; None for what that does not read."""
    try:
        return options_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
