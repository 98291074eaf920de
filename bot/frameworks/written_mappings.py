"""The settings of a call that stand in a mapping: `dpo = dict(beta=0.1); DPOConfig(**dpo)`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeAlias

from bot.frameworks.python_changes import changes, root_of
from bot.frameworks.python_scope import Scope
from bot.frameworks.python_source import UnfollowedError, written
from bot.frameworks.python_statements import function_of, is_text, tests_around

_READS: Final = ("get", "items", "keys", "values")
"""Methods of a mapping that leave it as it is."""
Keywords: TypeAlias = tuple[list[ast.keyword], frozenset[str]]
"""The settings of a call, and the names of those that may be others, or not be there."""


def keywords_of(call: ast.Call, scope: Scope) -> Keywords | None:
    """What a call is given by name, also in mappings; None where one cannot be followed.

    `scope` is where the call stands. A mapping may be a part of a file of settings that is read.
    Such a mapping is written out where the call is, or assigned in the function of the call (or the
    module), which does no more with it than to read it and to set single keys. Of several that are
    assigned, or of two that a condition chooses from, each setting counts, and none is sure; nor is
    a key that is set below a condition which only a run knows.
    """
    found, unsure = list[ast.keyword](), set[str]()
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg:
            found.append(keyword)
            continue
        known = _assigned(scope, call, value) if isinstance(value, ast.Name) else _either(value)
        known = known or _read(value, scope)
        if known is None:
            return None
        found += known[0]
        unsure |= known[1]
    return found, frozenset(unsure)


def _either(node: ast.expr) -> Keywords | None:
    """The items of a mapping that is written out, or of both of `{…} if condition else {…}`."""
    if isinstance(node, ast.IfExp):
        return _union([_items(node.body), _items(node.orelse)]) if _plain(node.test) else None
    items = _items(node)
    return (items, frozenset()) if items is not None else None


def _read(node: ast.expr, scope: Scope) -> Keywords | None:
    """The items of a mapping of a file of settings, or that a function gives back.

    Those that the program sets are not sure.
    """
    try:
        found, there = scope.value(node)
    except (UnfollowedError, RecursionError):
        return None
    changed = [changes(tree) for tree in (scope.tree, there.tree)]
    if not isinstance(found, ast.Dict) or not all(map(is_text, found.keys)):
        return None
    if any(root_of(node) in one.names for one in changed):
        return None
    keys = [str(key.value) for key in found.keys if isinstance(key, ast.Constant)]
    known = found.values
    if hasattr(found, "lineno"):
        if there.node is scope.node:
            return None
        known = _constants(known, there)  # A function's, whose names are its own.
    values = (ast.copy_location(copy.copy(value), node) for value in known)
    items = [
        ast.copy_location(ast.keyword(key, value), node)
        for key, value in zip(keys, values, strict=True)
    ]
    return items, frozenset(key for key in keys if any(one.may_change("", key) for one in changed))


def _constants(values: Sequence[ast.expr], scope: Scope) -> list[ast.expr]:
    """Expressions as constants, and a name that nothing gives for what is none."""
    found = list[ast.expr]()
    for value in values:
        try:
            known = scope.constant(value)
        except UnfollowedError:
            known = value
        found.append(known if isinstance(known, ast.Constant) else ast.Name(written(value)))
    return found


def _union(made: Sequence[list[ast.keyword] | None]) -> Keywords | None:
    """The items of mappings of which one counts, none of them sure; None where one is not known."""
    named = {str(one.arg): one for items in made if items is not None for one in items}
    return ([*named.values()], frozenset(named)) if None not in made else None


def _items(node: ast.expr) -> list[ast.keyword] | None:
    """The items of a mapping that is written out; None for any other expression."""
    if isinstance(node, ast.Call) and written(node.func) == "dict" and not node.args:
        return node.keywords if all(one.arg for one in node.keywords) else None
    if not isinstance(node, ast.Dict):
        return None
    found = list[ast.keyword]()
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        within = {"lineno": key.lineno, "col_offset": key.col_offset + 1}  # Behind the quote.
        found.append(ast.keyword(key.value, value, **within))
    return found


def _assigned(scope: Scope, call: ast.Call, name: ast.Name) -> Keywords | None:
    around = function_of(scope.tree, call)
    parents = {child: node for node in ast.walk(around) for child in ast.iter_child_nodes(node)}
    uses = [one for one in parents if isinstance(one, ast.Name) and one.id == name.id]
    stored = [parents[one] for one in uses if isinstance(one.ctx, ast.Store)]
    taken = any(isinstance(one, ast.arg) and one.arg == name.id for one in parents)
    made = [_made(one) for one in stored]
    known = (made[0] or [], frozenset[str]()) if len(made) == 1 else _union(made)
    if taken or not made or None in made or known is None:
        return None
    if len(made) > 1 and not all(_decided(one, parents) for one in stored):
        return None
    found, unsure = {str(one.arg): one for one in known[0]}, set(known[1])
    for use in sorted((one for one in uses if one is not name), key=lambda one: one.lineno):
        parent = parents[use]
        changed = [] if parent in stored else _changed(parent, parents)
        if changed is None and not _reads(parent, parents):
            return None
        set_so = _set_so(scope, around, parent, call) if changed else False
        if changed and set_so is None and not _decided(parent, parents):
            return None
        for one in changed or ():
            if set_so:
                found[str(one.arg)] = one
            elif set_so is None:
                found.setdefault(str(one.arg), one)
                unsure.add(str(one.arg))
    return [*found.values()], frozenset(unsure)


def _set_so(scope: Scope, around: ast.AST, change: ast.AST, call: ast.Call) -> bool | None:
    """Whether a key is set before the call; None where only a run knows."""
    if around is not scope.node:
        return None
    try:
        reached = scope.reached(tests_around(around, change), "")
    except UnfollowedError:
        return None
    return reached and getattr(change, "lineno", 0) <= call.lineno


def _made(node: ast.AST) -> list[ast.keyword] | None:
    """The items of the mapping that a statement gives a name; None for another statement."""
    if isinstance(node, ast.Assign):
        return _items(node.value) if len(node.targets) == 1 else None
    return _items(node.value) if isinstance(node, ast.AnnAssign) and node.value else None


def _changed(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> list[ast.keyword] | None:
    """What `mapping["key"] = value` or `mapping.update(key=value)` sets; None for neither."""
    user = parents.get(node)
    if isinstance(node, ast.Subscript) and isinstance(user, ast.Assign) and node in user.targets:
        return _items(ast.Dict([node.slice], [user.value]))
    if isinstance(node, ast.Attribute) and node.attr == "update" and isinstance(user, ast.Call):
        given = [*user.args, ast.Call(ast.Name("dict"), [], user.keywords)]
        parts = [_items(one) for one in given]
        return None if None in parts else [item for part in parts if part for item in part]
    return None


def _decided(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether conditions around a statement ask for no more than values.

    Others may ask which settings the installed release has.
    """
    return all(_plain(one.test) for one in _around(node, parents) if isinstance(one, ast.If)) and (
        not any(isinstance(one, (ast.Try, ast.For, ast.While)) for one in _around(node, parents))
    )


def _around(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while (above := parents.get(node)) is not None:
        yield above
        node = above


def _plain(test: ast.expr) -> bool:
    refused: Collection[type[ast.AST]] = (ast.Call, ast.In, ast.NotIn, ast.Subscript)
    return not any(isinstance(node, tuple(refused)) for node in ast.walk(test))


def _reads(parent: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a name of a mapping stands where the mapping is read alone."""
    if isinstance(parent, ast.Attribute):
        called = parents.get(parent)
        return parent.attr in _READS and isinstance(called, ast.Call) and called.func is parent
    subscript = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load)
    shown = isinstance(parent, (ast.FormattedValue, ast.Compare))
    return subscript or shown or (isinstance(parent, ast.Call) and written(parent.func) == "print")
