"""The settings of a call that stand in a mapping: `dpo = dict(beta=0.1); DPOConfig(**dpo)`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from typing import Final, NamedTuple

from bot.frameworks.python.changes import changes, root_of
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import UnfollowedError, written
from bot.frameworks.python.statements import assigned_once, function_of, is_text, tests_around

_READS: Final = ("get", "items", "keys", "values")
"""Methods of a mapping that leave it as it is."""
_LOOKS: Final = ("print", "len", "dict", "list", "sorted", "str", "repr", "json.dumps")
"""Functions that do so."""


class Keywords(NamedTuple):
    """The settings of a call."""

    settings: list[ast.keyword]
    unsure: frozenset[str] = frozenset()
    """Those that may have another value, or not be there."""
    optional: frozenset[str] = frozenset()
    """Those that are given where the installed release has them."""


def keywords_of(call: ast.Call, scope: Scope) -> Keywords | None:
    """What a call is given by name, also in mappings; None where one cannot be followed.

    `scope` is where the call stands. A mapping may be a part of a file of settings that is read.
    Such a mapping is written out where the call is, or assigned in the function of the call (or the
    module), which does no more with it than to read it and to set single keys. Of several that are
    assigned, or of two that a condition chooses from, each setting counts, and none is sure; nor is
    a key that is set below a condition which only a run knows.

    A key that is set where the release has it (`if "beta" in signature(DPOConfig).parameters`) is
    optional, and so are all of a mapping that is sifted (`{k: v for k, v in all.items() if …}`).
    """
    found = Keywords([])
    for keyword in call.keywords:
        known = Keywords([keyword]) if keyword.arg else _mapping(scope, call, keyword.value)
        if known is None:
            return None
        found = Keywords(
            [*found.settings, *known.settings],
            found.unsure | known.unsure,
            found.optional | known.optional,
        )
    return found


def _mapping(scope: Scope, call: ast.expr, node: ast.expr) -> Keywords | None:
    """What a call, or what a function gives back, has of the mapping `node`."""
    made = assigned_once(node, scope.node) if isinstance(node, ast.Name) else node
    sift = _sift(made)
    if sift is not None:
        known = _mapping(scope, call, sift.of)
        return _sifted(known, sift, scope) if known is not None else None
    known = _assigned(scope, call, node) if isinstance(node, ast.Name) else _either(node)
    return known or _read(node, scope)


class _Sift(NamedTuple):
    """What a comprehension leaves of a mapping."""

    of: ast.expr
    by_keys: bool
    """Whether it asks of the keys, such as whether the release has them."""
    drops_none: bool
    """Whether it leaves out what is None."""


def _sift(made: ast.expr | None) -> _Sift | None:
    """A comprehension that leaves some items of a mapping as they are; None for any other."""
    if not isinstance(made, ast.DictComp) or len(made.generators) != 1:
        return None
    one = made.generators[0]
    names = [written(part) for part in getattr(one.target, "elts", ())]
    method = one.iter.func if isinstance(one.iter, ast.Call) else None
    if [written(made.key), written(made.value)] != names or not one.ifs:
        return None
    tests = [part for test in one.ifs for part in _all_of(test)]
    of_keys = [test for test in tests if written(test) != f"{names[1]} is not None"]
    asked = {part.id for test in of_keys for part in ast.walk(test) if isinstance(part, ast.Name)}
    if names[1] in asked or not isinstance(method, ast.Attribute) or method.attr != "items":
        return None
    return _Sift(method.value, bool(of_keys), len(of_keys) < len(tests))


def _all_of(test: ast.expr) -> list[ast.expr]:
    """The conditions that hold together."""
    both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if both and isinstance(test, ast.BoolOp) else [test]


def _sifted(known: Keywords, sift: _Sift, scope: Scope) -> Keywords:
    """The settings that a comprehension leaves; those that only a run knows count as there."""
    if sift.drops_none:
        values = _constants([one.value for one in known.settings], scope)
        there = [o for o, value in zip(known.settings, values, strict=True) if not _is_none(value)]
        known = known._replace(settings=there)
    if not sift.by_keys:
        return known
    return known._replace(optional=frozenset(str(one.arg) for one in known.settings))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _either(node: ast.expr) -> Keywords | None:
    """The items of a mapping that is written out, or of both of `{…} if condition else {…}`."""
    if isinstance(node, ast.IfExp):
        return _union([_items(node.body), _items(node.orelse)]) if _plain(node.test) else None
    items = _items(node)
    return Keywords(items) if items is not None else None


def _read(node: ast.expr, scope: Scope) -> Keywords | None:
    """The items of a mapping of a file of settings, or that a function gives back.

    Those that the program sets are not sure.
    """
    try:
        made = scope.returned(node) if isinstance(node, ast.Call) else None
        found, there = scope.value(node) if made is None else made[:2]
    except (UnfollowedError, RecursionError):
        return None
    if made is not None and isinstance(found, (ast.Name, ast.DictComp)):
        return _returned(node, there, _mapping(there, found, found))
    if made is not None:
        found, there = there.value(found)
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
    unsure = (key for key in keys if any(one.may_change("", key) for one in changed))
    return Keywords(items, frozenset(unsure))


def _returned(call: ast.expr, there: Scope, known: Keywords | None) -> Keywords | None:
    """Settings that a function gives back, at the place of its call."""
    if known is None:
        return None
    values = _constants([one.value for one in known.settings], there)
    items = [
        ast.copy_location(ast.keyword(one.arg, ast.copy_location(copy.copy(value), call)), call)
        for one, value in zip(known.settings, values, strict=True)
    ]
    return known._replace(settings=items)


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
    return Keywords([*named.values()], frozenset(named)) if None not in made else None


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


def _assigned(scope: Scope, call: ast.expr, name: ast.Name) -> Keywords | None:
    around = function_of(scope.tree, call)
    parents = {child: node for node in ast.walk(around) for child in ast.iter_child_nodes(node)}
    uses = [one for one in parents if isinstance(one, ast.Name) and one.id == name.id]
    given = [parents[one] for one in uses if isinstance(one.ctx, ast.Store)]
    sifts = [sift for one in given if (sift := _sifts_itself(one)) is not None]
    stored = [one for one in given if _sifts_itself(one) is None]
    taken = any(isinstance(one, ast.arg) and one.arg == name.id for one in parents)
    made = [_made(one) for one in stored]
    known = Keywords(made[0] or []) if len(made) == 1 else _union(made)
    if taken or not made or None in made or known is None:
        return None
    if len(made) > 1 and not all(_decided(one, parents) for one in stored):
        return None
    found, unsure = {str(one.arg): one for one in known.settings}, set(known.unsure)
    optional = set[str]()
    for use in sorted((one for one in uses if one is not name), key=lambda one: one.lineno):
        parent = parents[use]
        changed = [] if parent in given else _changed(parent, parents)
        if changed is None and not _reads(parent, parents):
            return None
        set_so = _set_so(scope, around, parent, call) if changed else False
        names = {str(one.arg) for one in changed or () if set_so is not False}
        if set_so is None and not _decided(parent, parents):
            optional |= names
            set_so = _set_as_known(scope, parent) or None
        if set_so is None:
            unsure |= names
        for one in changed or ():
            if set_so:
                found[str(one.arg)] = one
            elif set_so is None:
                found.setdefault(str(one.arg), one)
    known = Keywords([*found.values()], frozenset(unsure), frozenset(optional))
    return reduce(lambda left, sift: _sifted(left, sift, scope), sifts, known)


def _sifts_itself(node: ast.AST) -> _Sift | None:
    """What `given = {k: v for k, v in given.items() if …}` leaves; None for other statements."""
    name = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    sift = _sift(node.value) if isinstance(node, ast.Assign) else None
    same = sift is not None and name is not None and written(name) == written(sift.of)
    return sift if same else None


def _set_as_known(scope: Scope, change: ast.AST) -> bool:
    """Whether a key is set wherever the release has it, or has not another one instead.

    That is where all that is asked of the conditions is whether such a key is there:
    `if "max_length" in supported`, `if hasattr(config, "max_length")`.
    """
    keys = changes(scope.tree).keys
    tests = tests_around(function_of(scope.tree, change), change)
    return bool(tests) and all(test is not None and _asks(test, keys) for test, _ in tests)


def _asks(test: ast.expr, keys: Collection[str]) -> bool:
    """Whether a condition asks whether a class or a mapping has one of the keys, and no more."""
    if isinstance(test, ast.BoolOp):
        return all(_asks(one, keys) for one in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks(test.operand, keys)
    asked: ast.expr | None = None
    if isinstance(test, ast.Call) and written(test.func) == "hasattr" and len(test.args) == 2:
        asked = test.args[1]
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        asked = test.left
    return isinstance(asked, ast.Constant) and asked.value in keys


def _set_so(scope: Scope, around: ast.AST, change: ast.AST, call: ast.expr) -> bool | None:
    """Whether a key is set before the call; None where only a run knows."""
    if around is not scope.node:
        return None
    try:
        reached = scope.reached(tests_around(around, change), "")
    except (UnfollowedError, RecursionError):
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
    # `SFTConfig(**shared)`, and `{**shared, "beta": 0.1}`, which is another mapping.
    unpacked = isinstance(parent, ast.Dict) or (isinstance(parent, ast.keyword) and not parent.arg)
    looked_at = isinstance(parent, ast.Call) and written(parent.func) in _LOOKS
    return subscript or shown or unpacked or looked_at
