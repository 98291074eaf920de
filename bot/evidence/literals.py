"""Python literals that a program printed, parsed as data and never evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.base.adapters import PARSING
from bot.report import JsonValue

if TYPE_CHECKING:
    import ast

_DEPTH: Final = 50
_NAMESPACES: Final = frozenset({"Namespace", "SimpleNamespace", "namespace"})
"""How `argparse.Namespace` and `types.SimpleNamespace` (as `namespace`) write themselves."""


def literal(text: str, limit: int) -> JsonValue:
    """The value that a text of at most `limit` characters writes down.

    Understood are the literals of JSON in Python's form, tuples, and namespaces, also with
    `**{"dotted.name": 1}`. What is none of these inside of one (an object's repr that is an
    expression) stays as its text. Raises ValueError when the text as a whole is no such value.
    """
    if len(text) > limit:
        raise ValueError(f"longer than {limit} characters")
    import ast
    import warnings

    try:
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # An odd escape in the text is none of ours.
            tree = ast.parse(text.strip(), mode="eval")
        return _data(tree.body, 0, top=True)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"no literal: {type(error).__name__}") from None


def _data(node: ast.expr, depth: int, *, top: bool = False) -> JsonValue:
    """The literal that an expression is; raises ValueError for a whole that is none."""
    import ast

    if depth > _DEPTH:
        raise ValueError("too deep")
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as constant):
            return constant
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Name(id="nan" | "inf" as number):
            return float(number)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_data(item, depth + 1) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {
                str(_data(key, depth + 1)): _data(value, depth + 1)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name in _NAMESPACES:
            return _entries(keywords, depth + 1)
    if top:
        raise ValueError("neither a literal nor a namespace")
    # An object's repr: keep its text, so that the entries beside it can still be compared.
    return ast.unparse(node)


def _entries(keywords: list[ast.keyword], depth: int) -> dict[str, JsonValue]:
    """What a namespace is called with."""
    entries: dict[str, JsonValue] = {}
    for keyword in keywords:
        value = _data(keyword.value, depth)
        if keyword.arg is not None:
            entries[keyword.arg] = value
        elif isinstance(value, dict):  # Names with dots come as **{"ds.zero_stage": 2}.
            entries.update(value)
    return entries
