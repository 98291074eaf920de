"""What a program changes of objects and mappings that it has made, read as a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeGuard

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.source import calls, nodes, written

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
    merged: Mapping[str, Sequence[ast.expr]]
    """Those of them whose only such change is that the module itself puts other mappings into them
    (`config.update(yaml.safe_load(file))`), with these."""

    def only_merges(self, name: str, key: str) -> bool:
        """Whether a key of that mapping has another value only where a merged one has it."""
        return name in self.merged and key not in self.keys and key not in self.attributes

    def may_change(self, name: str, key: str) -> bool:
        """Whether a key of the mapping of that name may have another value than was written."""
        return key in self.keys or key in self.attributes or name in self.names


@lru_cache(maxsize=64)
def changes(tree: ast.Module) -> Changes:
    """What a module changes anywhere, by the names that it has there for it."""
    attributes, own, keys, names = set[str](), set[str](), set[str](), set[str]()
    merges = dict(_merges(tree.body))
    passed = {node.targets[0] for node in nodes(tree) if _copies(node)} | merges.keys()
    for node in nodes(tree):
        if node in passed:
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
    merged = {
        name: [call.args[0] for call, of in merges.items() if of == name]
        for name in {*merges.values()} - _handed(tree, names)
    }
    changed = frozenset(_handed(tree, names.union(merges.values())))
    return Changes(frozenset(attributes), frozenset(own), frozenset(keys), changed, merged)


def _merges(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.Call, str]]:
    """What a module does to a mapping of its own by `config.update(more)`, whatever holds."""
    for node in body:
        if isinstance(node, ast.With):
            yield from _merges(node.body)
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        plain = len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Dict)
        if call.func.attr == "update" and isinstance(call.func.value, ast.Name) and plain:
            yield call, call.func.value.id


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
        for function in nodes(tree)
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
