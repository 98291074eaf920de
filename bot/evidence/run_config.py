"""A run's configuration as its framework held it, whatever W&B and the logger made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bot.report import JsonValue

if TYPE_CHECKING:
    import ast

_MAX_NAMESPACE: Final = 200_000
"""Characters of a namespace's text that are parsed."""
_DEPTH: Final = 50


def plain(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A configuration without what was wrapped around it.

    W&B's own `_wandb` entry is left out, its {"desc": …, "value": …} around every entry is opened,
    and namespaces that arrived as text (OpenRLHF since 0.10 logs `Namespace(batch_size=128)`)
    become mappings. They are parsed as data, never evaluated; other text stays text.
    """
    entries = {k: v for k, v in config.items() if k not in ("_wandb", "wandb_version")}
    if entries and all(
        isinstance(value, dict) and "value" in value and value.keys() <= {"desc", "value"}
        for value in entries.values()
    ):
        entries = {key: value["value"] for key, value in entries.items() if isinstance(value, dict)}
    return {key: _expanded(value) for key, value in entries.items()}


def _expanded(value: JsonValue) -> JsonValue:
    if not isinstance(value, str) or not value.startswith("Namespace("):
        return value
    if len(value) > _MAX_NAMESPACE:
        return value
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # An odd escape in the run's text is none of ours.
            tree = ast.parse(value, mode="eval")
        return _data(tree.body, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value


def _data(node: ast.expr, depth: int) -> JsonValue:
    """The literal that an expression is. Raises ValueError for anything that is not one."""
    import ast

    if depth > _DEPTH:
        raise ValueError("too deep")
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as constant):
            return constant
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_data(item, depth + 1) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {
                str(_data(key, depth + 1)): _data(value, depth + 1)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        case ast.Call(func=ast.Name(id="Namespace"), args=[], keywords=keywords):
            return {
                keyword.arg: _data(keyword.value, depth + 1)
                for keyword in keywords
                if keyword.arg is not None
            }
    # An object's repr: keep its text, so that the entries beside it can still be compared.
    return ast.unparse(node)
