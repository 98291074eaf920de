"""What a program changes of objects and mappings that it has made, read as a syntax tree."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final, TypeGuard

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python_source import calls, written

_CHANGES: Final = ("pop", "setdefault", "update", "merge_with_dotlist", "__setitem__")
"""Methods of a mapping that change it."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The parts of objects and mappings that a module sets after they are made."""

    attributes: frozenset[str]
    """Attributes that are set of anything but `self`."""
    of_self: frozenset[str]
    """Those that are set of `self`."""
    keys: frozenset[str]
    """Keys of mappings that are set by name."""
    names: frozenset[str]
    """Mappings of which any key may be set: `config[key] = value`, `config.update(more)`."""

    def may_change(self, name: str, key: str) -> bool:
        """Whether a key of the mapping of that name may have another value than was written."""
        return key in self.keys or key in self.attributes or name in self.names


@lru_cache(maxsize=64)
def changes(tree: ast.Module) -> Changes:
    """What a module changes anywhere, by the names that it has there for it."""
    attributes, own, keys, names = set[str](), set[str](), set[str](), set[str]()
    copied = {node.targets[0] for node in ast.walk(tree) if _copies(node)}
    for node in ast.walk(tree):
        if node in copied:
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            (own if written(node.value) == "self" else attributes).add(node.attr)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            _changed(node.value, [node.slice], keys, names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _CHANGES:
                given = [key for one in node.args[:1] for key in _keys_of(one)]
                given += [ast.Constant(one.arg) for one in node.keywords]
                _changed(node.func.value, given, keys, names)
        elif isinstance(node, ast.Call) and written(node.func) == "setattr" and node.args:
            _changed(node.args[0], node.args[1:2], keys, names)
        elif isinstance(node, ast.AugAssign):
            names |= {root_of(node.target)} if isinstance(node.target, ast.Name) else set()
    changed = frozenset(_handed(tree, names))
    return Changes(frozenset(attributes), frozenset(own), frozenset(keys), changed)


def _copies(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Whether an object gets what another one has by that name: `a.max_length = b.max_length`."""
    parts = [*node.targets, node.value] if isinstance(node, ast.Assign) else []
    names = {one.attr if isinstance(one, ast.Attribute) else "" for one in parts}
    return len(parts) == 2 and len(names) == 1 and "" not in names


def _keys_of(node: ast.expr) -> list[ast.expr]:
    """The keys that the first argument of such a method has: itself, or those of a mapping."""
    if isinstance(node, ast.Dict):
        return [key if key is not None else node for key in node.keys]
    return [node]


def _changed(node: ast.expr, given: list[ast.expr], keys: set[str], names: set[str]) -> None:
    for key in given:
        if isinstance(key, ast.Constant):
            keys.add(str(key.value))
        else:
            names.add(root_of(node))


def root_of(node: ast.expr) -> str:
    """The name that an expression begins with: `config` of `config["model"].name`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _handed(tree: ast.Module, names: set[str]) -> set[str]:
    """The names, with those by which callers hand such a mapping to a function that changes it."""
    found = {
        (function.name, number)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for number, parameter in enumerate(function.args.args)
        if parameter.arg in names
    }
    named = {name for name, _ in found}
    return names | {
        root_of(given)
        for call, name in calls(tree)
        if name in named
        for number, given in enumerate(call.args)
        if (name, number) in found
    }
