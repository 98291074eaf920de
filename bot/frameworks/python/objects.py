"""What objects of a program's classes hold: fields, and what their methods give them.

`self.model = load(self.name)` in one method is what `self.model` is in another, where no third one
gives it something else. Read as a syntax tree, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.around import END, Around, Known, S
from bot.frameworks.python.changes import changes
from bot.frameworks.python.source import UnfollowedError, calls, nodes, written
from bot.frameworks.python.statements import (
    Tests,
    as_it_was,
    assigned_once,
    assignment,
    calls_of,
    field_default,
    function_of,
    is_text,
    own_parts,
    statements,
)

_FIRST: Final = "__init__"
_DEEPEST: Final = 8
"""Methods that are followed from one into the next."""
_Given: TypeAlias = Mapping[str, tuple[ast.expr, S]]
"""Expressions by name, and where each stands."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenToSelf:
    """A statement by which a method gives its object something."""

    method: ast.FunctionDef
    statement: ast.stmt
    tests: Tests

    @property
    def empty(self) -> bool:
        """Whether that is None, as it is before another method makes it."""
        value = getattr(self.statement, "value", None)
        return isinstance(value, ast.Constant) and value.value is None


@lru_cache(maxsize=64)
def _classes(tree: ast.Module) -> Mapping[ast.AST, ast.ClassDef]:
    """For each method the class that it is of."""
    return {
        one: of
        for of in nodes(tree)
        if isinstance(of, ast.ClassDef)
        for one in of.body
        if isinstance(one, ast.FunctionDef) and _self_of(one)
    }


def _self_of(function: ast.FunctionDef) -> str:
    """The name by which a method has its object; empty for one of the class, or a plain one."""
    marks = {written(mark) for mark in function.decorator_list}
    takes = function.args.args
    return takes[0].arg if takes and not marks & {"staticmethod", "classmethod"} else ""


@lru_cache(maxsize=64)
def _given_to_self(of: ast.ClassDef) -> Mapping[str, Sequence[GivenToSelf]]:
    """For each attribute what the methods of a class give their object for it."""
    found: dict[str, list[GivenToSelf]] = {}
    for method in of.body:
        name = _self_of(method) if isinstance(method, ast.FunctionDef) else ""
        if not name or not isinstance(method, ast.FunctionDef):
            continue
        for statement, tests in statements(method):
            if not isinstance(statement, ast.stmt):
                continue
            for part in own_parts(statement):
                if not isinstance(part, ast.Attribute) or not isinstance(part.ctx, ast.Store):
                    continue
                if written(part.value) == name:
                    found.setdefault(part.attr, []).append(GivenToSelf(method, statement, tests))
    return found


def calls_to(tree: ast.Module, function: ast.FunctionDef) -> tuple[Sequence[ast.Call], int]:
    """The calls of a function in its module, and how many of its parameters they do not give."""
    of = _classes(tree).get(function)
    if of is None:
        return calls_of(tree).get(function.name, ()), 0
    if function.name == _FIRST:
        return calls_of(tree).get(of.name, ()), 1
    return [*_calls_of_method(tree, of, function.name)], 1


def _calls_of_method(tree: ast.Module, of: ast.ClassDef, name: str) -> Iterator[ast.Call]:
    """The calls of a method, by an object that is known to be of its class."""
    for call, called in calls(tree):
        if called != name or not isinstance(call.func, ast.Attribute):
            continue
        holder, within = call.func.value, function_of(tree, call)
        if isinstance(holder, ast.Name) and _classes(tree).get(within) is of:
            own = isinstance(within, ast.FunctionDef) and holder.id == _self_of(within)
            made = None if own else assigned_once(holder, within)
        else:
            own, made = False, holder
            if isinstance(holder, ast.Name):
                made = assigned_once(holder, within) or assigned_once(holder, tree)
        if own or (isinstance(made, ast.Call) and written(made.func) == of.name):
            yield call


def of_self(scope: S, node: ast.Attribute, before: int) -> Known[S] | None:
    """What a method's object has as an attribute; None for what no method gives it.

    Raises UnfollowedError where several may.
    """
    function, name = scope.node, written(node)
    of = _classes(scope.tree).get(function)
    if of is None or not isinstance(function, ast.FunctionDef):
        return None
    given = _given_to_self(of).get(node.attr, ())
    if written(node.value) != _self_of(function) or not given:
        return None
    if node.attr in changes(scope.tree).attributes:
        raise UnfollowedError(name)
    here = hasattr(node, "lineno") and function_of(scope.tree, node) is function
    line = node.lineno if here and before == END else before
    above = [
        one
        for one in given
        if one.method is function and (getattr(one.statement, "end_lineno", END) or END) < line
    ]
    found = _last(scope, above, name)
    if found is not None:
        return scope.target(found, name)
    method = _before(scope.tree, of, [one for one in given if one.method is not function])
    if method is None or function.name == _FIRST:
        raise UnfollowedError(name)
    inner = _scope_of(scope, method)
    found = _last(inner, [one for one in given if one.method is method], name)
    if found is None:
        raise UnfollowedError(name)
    return inner.target(found, name)


def _last(scope: Around, given: Sequence[GivenToSelf], name: str) -> ast.Assign | None:
    """The last of those statements that is carried out; None where none is."""
    reached = [
        one.statement
        for one in given
        if not as_it_was(one.statement, name) and scope.reached(one.tests, name)
    ]
    last = max(reached, key=lambda one: one.lineno, default=None)
    made = assignment(last, name) if last is not None else None
    if made is None and last is not None:
        raise UnfollowedError(name)
    return made


def _before(
    tree: ast.Module, of: ast.ClassDef, given: Sequence[GivenToSelf]
) -> ast.FunctionDef | None:
    """The method that has given an object something before others work; None where it is unsure.

    What makes the object comes first, and another one after it where it is called at all.
    """
    methods = [*dict.fromkeys(one.method for one in given if not one.empty)]
    later = [one for one in methods if one.name != _FIRST]
    called = [one for one in later if any(_calls_of_method(tree, of, one.name))]
    first = [one for one in methods if one.name == _FIRST]
    found = called or first or later
    return found[0] if len(found) == 1 else None


def name_of_self(scope: Around) -> str:
    """The name by which a method has its object; empty where it is none."""
    function = scope.node
    method = isinstance(function, ast.FunctionDef) and function in _classes(scope.tree)
    return _self_of(function) if method and isinstance(function, ast.FunctionDef) else ""


def maker(scope: S, name: str) -> tuple[ast.expr, S] | None:
    """The one call that makes the object which a method has by a name; None for no such name."""
    if not name or name != name_of_self(scope):
        return None
    called = calls_of(scope.tree).get(_classes(scope.tree)[scope.node].name, ())
    if len(called) != 1:
        raise UnfollowedError(name)
    around = function_of(scope.tree, called[0])
    return called[0], scope.within(around, {})


def _scope_of(scope: S, method: ast.FunctionDef) -> S:
    """A method of the object that another one works for, which may say how it is made."""
    if scope.depth >= _DEEPEST:
        raise UnfollowedError(method.name)
    own = name_of_self(scope)
    made = scope.given.get(own) or _maybe(scope, own)
    given: _Given[S] = {_self_of(method): made} if made is not None else {}
    if made is not None and method.name == _FIRST and isinstance(made[0], ast.Call):
        given = {**given, **made[1].bound(method.args, made[0], scope.module(), 1)}
    return scope.within(method, given)


def _maybe(scope: S, own: str) -> tuple[ast.expr, S] | None:
    with suppress(UnfollowedError):
        return maker(scope, own)
    return None


def field_of(scope: S, node: ast.Attribute, before: int) -> Known[S] | None:
    """What `Config.MODEL`, or `config.model` of `config = Config()`, is in a class.

    None for what is no such field, or is set elsewhere.
    """
    own = of_self(scope, node, before)
    if own is not None:
        return own
    holder, around = scope.step(node.value, before)
    given: _Given[S] = {}
    if isinstance(holder, ast.Call) and not holder.args:
        given = fields_given(around, holder)
        holder, around = around.value(holder.func)
    found = around.definition(holder.id) if isinstance(holder, ast.Name) else None
    if found is None or not isinstance(found[0], ast.ClassDef):
        return None
    made, there = found
    changed = [changes(tree) for tree in (scope.tree, there.tree)]
    if any(node.attr in one.attributes | one.of_self for one in changed):
        return None
    if node.attr in given:
        return (*given[node.attr], END)
    fields = there.within(made, {}).assigned(node.attr)
    return (field_default(fields[0].value), there, END) if len(fields) == 1 else None


def fields_given(scope: S, call: ast.Call) -> _Given[S]:
    """The fields that a call makes an object with: by name, or of a mapping."""
    found: dict[str, tuple[ast.expr, S]] = {}
    for keyword in call.keywords:
        if keyword.arg:
            found[keyword.arg] = keyword.value, scope
            continue
        mapping, there = scope.value(keyword.value)
        keys = mapping.keys if isinstance(mapping, ast.Dict) else [None]
        if not isinstance(mapping, ast.Dict) or not all(map(is_text, keys)):
            raise UnfollowedError(written(keyword.value))
        names = (str(key.value) for key in keys if isinstance(key, ast.Constant))
        found |= {name: (value, there) for name, value in zip(names, mapping.values, strict=True)}
    return found
