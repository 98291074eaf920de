"""Which function of a program a call carries out, read as a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TypeAlias

from bot.frameworks.python.around import END, S
from bot.frameworks.python.source import UnfollowedError, written
from bot.frameworks.python.statements import assigned_once

Called: TypeAlias = tuple[ast.FunctionDef, S, Mapping[str, tuple[ast.expr, S]]]
"""A function, its module, and what it has as its class (`cls`) or its object (`self`)."""


def function_called(scope: S, func: ast.expr) -> Called[S] | None:
    """The function or method of the program's that is called by an expression."""
    func, scope = scope.step(func, END) if isinstance(func, ast.Subscript) else (func, scope)
    found = _defined(scope, func)
    if found is None:
        return _method(scope, func) if isinstance(func, ast.Attribute) else None
    node, there = found
    if not isinstance(node, ast.FunctionDef):
        return None
    if node.decorator_list:
        raise UnfollowedError(node.name)
    return node, there, {}


def initializer(scope: S, call: ast.Call) -> Called[S] | None:
    """What a call of a class of the program's carries out first."""
    return _with(_declared(scope, call.func, "__init__"), call, scope)


def _method(scope: S, func: ast.Attribute) -> Called[S] | None:
    """A method of an object, `Run(config).train()`, or of a class itself: `Run.of(config)`."""
    made = func.value
    if isinstance(made, ast.Name):
        made, scope = scope.given.get(made.id) or (assigned_once(made, scope.node) or made, scope)
    if isinstance(made, ast.Call):
        return _with(_declared(scope, made.func, func.attr), made, scope)
    return _with(_declared(scope, made, func.attr, "classmethod"), made, scope)


def _with(found: tuple[ast.FunctionDef, S] | None, made: ast.expr, scope: S) -> Called[S] | None:
    """A method with what its first parameter is."""
    if found is None or not found[0].args.args:
        return None
    return (*found, {found[0].args.args[0].arg: (made, scope)})


def _declared(
    scope: S, of: ast.expr, name: str, *decorators: str
) -> tuple[ast.FunctionDef, S] | None:
    """The method of that name that a class of the program's has, so decorated and no further."""
    found = _defined(scope, of)
    if found is None or not isinstance(found[0], ast.ClassDef):
        return None
    own = [one for one in found[0].body if isinstance(one, ast.FunctionDef) and one.name == name]
    marks = [written(mark) for one in own for mark in one.decorator_list]
    return (own[0], found[1]) if own and marks == [*decorators] else None


def _defined(scope: S, named: ast.expr) -> tuple[ast.stmt, S] | None:
    """The function or class of the program's of a name, `run`, or of a module's: `training.run`."""
    if isinstance(named, ast.Name):
        return scope.definition(named.id)
    if not isinstance(named, ast.Attribute) or not isinstance(named.value, ast.Name):
        return None
    module = scope.imported_module(named.value.id)
    return module.definition(named.attr) if module is not None else None
