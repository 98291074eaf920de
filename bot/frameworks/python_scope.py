"""What names stand for in a function or a module of a program, read as a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any, Final, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.argparse_options import UNREADABLE, constant
from bot.frameworks.python_source import written

_DEEPEST: Final = 8
"""Functions that are followed from one into the next."""
_MOST: Final = 50
"""Statements that give one name something."""
_STEPS: Final = 1_000
"""Names and calls that are followed for one program."""
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_UNSURE: Final = (ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)
"""Statements in which another is carried out or not, as only a run knows."""
_SAME: Final = ("Path", "str")
"""What makes of a path no other one."""
_ASKED: Final = {ast.Eq: True, ast.Is: True, ast.NotEq: False, ast.IsNot: False}
_END: Final = 1 << 30
"""The line behind all of them."""


class UnfollowedError(LookupError):
    """What only running the program tells."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A module, or a function of it as one call runs it."""

    tree: ast.Module
    node: ast.AST
    given: Mapping[str, tuple[ast.expr, Scope]] = field(default_factory=dict)
    """What the call gives for the function's parameters, and where that stands."""
    depth: int = 0
    left: Iterator[int] = field(default_factory=lambda: iter(range(_STEPS)))
    """The steps that are left for all scopes of a program."""

    @classmethod
    def around(cls, tree: ast.Module, node: ast.AST) -> Scope:
        """The innermost function that a node stands in; the module where none is."""
        return cls(tree, function_of(tree, node))

    def value(self, node: ast.expr) -> tuple[ast.expr, Scope]:
        """What an expression stands for; raises UnfollowedError for a name that changes."""
        return self.step(node, _END)

    def step(self, node: ast.expr, before: int) -> tuple[ast.expr, Scope]:
        """What a name, or a call of a function of the file, stands for above a line.

        As it is where it is neither, and where the file does not say. Raises UnfollowedError where
        that depends on what only a run knows.
        """
        scope: Scope = self
        for _ in self.left:
            found = None
            if isinstance(node, ast.IfExp):
                truth = scope._truth(node.test)
                found = (node.body if truth else node.orelse), scope, before
                if truth is None:
                    return node, scope
            elif isinstance(node, ast.Name):
                found = scope._named(node, before)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                same = node.func.id in _SAME and len(node.args) == 1 and not node.keywords
                found = (node.args[0], scope, before) if same else scope._returned(node, None)
            if found is None:
                return node, scope
            node, scope, before = found
        raise UnfollowedError(written(node))

    def constant(self, node: ast.expr) -> ast.expr:
        """An expression as a constant; what it stands for where it is none."""
        node, scope = self.value(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            node = scope.field_of(node) or node
        names: dict[str, Any] = {}
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and part.id not in names:
                    known = scope.constant(part)
                    names[part.id] = known.value if isinstance(known, ast.Constant) else UNREADABLE
        value = constant(node, names)
        return node if value == UNREADABLE else ast.Constant(value)

    def runs_before(self, node: ast.AST, call: ast.Call) -> bool:
        """Whether another call may be carried out before one that stands in this scope.

        One that stands below it is not, nor is one of a function that is not named above it.
        """
        around = function_of(self.tree, node)
        if around is self.node:
            return getattr(node, "lineno", 0) <= call.lineno
        if around not in self.tree.body or not isinstance(around, ast.FunctionDef):
            return True
        nodes = (*_own_nodes(self.node), *_own_nodes(self.tree))
        names = (one for one in nodes if isinstance(one, ast.Name) and one.lineno <= call.lineno)
        return any(one.id == around.name for one in names)

    def _named(self, node: ast.Name, before: int) -> tuple[ast.expr, Scope, int] | None:
        """What a name was given last above a line, where that stands, and in which line."""
        name = node.id
        made = self.assigned(name)
        above = [one for one in made if one.lineno < before]
        if made and (not above or (before == _END and len(made) > 1)):
            raise UnfollowedError(name)
        if above:
            return self._target(above[-1], name)
        if name in self.given:
            return (*self.given[name], _END)
        if self.node is self.tree:
            return None  # A builtin, or what is imported.
        return node, self._module(), _END

    def _module(self) -> Scope:
        return replace(self, node=self.tree, given={})

    def _target(self, one: ast.Assign, name: str) -> tuple[ast.expr, Scope, int] | None:
        """What an assignment gives a name, alone or in a row of names."""
        target, value = one.targets[0], one.value
        if isinstance(target, ast.Name):
            return value, self, one.lineno
        row = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        at = next((n for n, part in enumerate(row) if written(part) == name), None)
        if at is None or any(isinstance(part, ast.Starred) for part in row):
            raise UnfollowedError(name)
        if isinstance(value, ast.Tuple) and len(value.elts) == len(row):
            return value.elts[at], self, one.lineno
        found = self._returned(value, at) if isinstance(value, ast.Call) else None
        if found is None:
            raise UnfollowedError(name)
        return found

    def assigned(self, name: str) -> list[ast.Assign]:
        """The statements of this place that assign a name, in their order.

        One below a condition counts where the condition is known to hold.
        """
        found = list[ast.Assign]()
        stored = _stores(self.node).get(name, [])
        if all(isinstance(one, (*_INNER, *_IMPORTS)) for one, _ in stored):
            return found  # A function stands for itself, and so does what is imported.
        if len(stored) > _MOST:
            raise UnfollowedError(name)
        for one, tests in stored:
            known = [(self._truth(test), holds) for test, holds in tests]
            if any(truth is not None and truth is not holds for truth, holds in known):
                continue
            unsure = any(truth is None for truth, _ in known)
            if isinstance(one, ast.AnnAssign):
                if one.value is None:
                    continue
                one = ast.copy_location(ast.Assign([one.target], one.value), one)
            if unsure or not isinstance(one, ast.Assign) or len(one.targets) != 1:
                raise UnfollowedError(name)
            found.append(one)
        return sorted(found, key=lambda one: one.lineno)

    def _truth(self, test: ast.expr | None) -> bool | None:
        """Whether a condition holds: a constant, `not` one, or two that are compared; else None."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            truth = self._truth(test.operand)
            return None if truth is None else not truth
        sides = [test]
        if isinstance(test, ast.Compare):
            sides = [test.left, *test.comparators]
        try:
            known = [self.constant(side) for side in sides if side is not None]
        except UnfollowedError:
            return None
        values = [one.value for one in known if isinstance(one, ast.Constant)]
        if len(values) < len(sides):
            return None
        if not isinstance(test, ast.Compare):
            return bool(values[0])
        asked = _ASKED.get(type(test.ops[0])) if len(values) == 2 else None
        return None if asked is None else (values[0] == values[1]) is asked

    def _returned(self, call: ast.Call, at: int | None) -> tuple[ast.expr, Scope, int] | None:
        """What a function of the file gives back, or which part of it; None for other functions."""
        named = [
            one
            for one in self.tree.body
            if isinstance(one, ast.FunctionDef) and one.name == written(call.func)
        ]
        if len(named) != 1:
            return None
        returned = [one for one in _own_nodes(named[0]) if isinstance(one, ast.Return)]
        value = returned[0].value if len(returned) == 1 else None
        if value is None or named[0].decorator_list or self.depth >= _DEEPEST:
            raise UnfollowedError(named[0].name)
        bound = self._bound(named[0].args, call)
        inner = replace(self, node=named[0], given=bound, depth=self.depth + 1)
        if at is not None:
            if not isinstance(value, ast.Tuple) or at >= len(value.elts):
                raise UnfollowedError(named[0].name)
            value = value.elts[at]
        return value, inner, returned[0].lineno

    def _bound(
        self, parameters: ast.arguments, call: ast.Call
    ) -> Mapping[str, tuple[ast.expr, Scope]]:
        """The parameters of a function to what a call gives for them."""
        names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
        keywords = {str(one.arg): (one.value, self) for one in call.keywords}
        if any(isinstance(one, ast.Starred) for one in call.args) or "None" in keywords:
            raise UnfollowedError(written(call.func))
        module = self._module()
        least = len(names) - len(parameters.defaults)
        defaults = dict(zip(names[least:], parameters.defaults, strict=True))
        for only, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
            defaults |= {only.arg: default} if default is not None else {}
        found = {name: (default, module) for name, default in defaults.items()}
        found |= {name: (one, self) for name, one in zip(names, call.args, strict=False)}
        return found | keywords

    def field_of(self, node: ast.Attribute) -> ast.expr | None:
        """What `Config.MODEL`, or `config.model` of `config = Config()`, is in a class of the file.

        None for what is no such field, or is set elsewhere.
        """
        holder, _ = self.value(node.value)
        given: Mapping[str, ast.expr] = {}
        if isinstance(holder, ast.Call) and not holder.args:
            given = {str(one.arg): one.value for one in holder.keywords}
            holder = holder.func
        classes = [
            one
            for one in self.tree.body
            if isinstance(one, ast.ClassDef)
            and isinstance(holder, ast.Name)
            and one.name == holder.id
        ]
        stored = (one for one in ast.walk(self.tree) if isinstance(one, ast.Attribute))
        if len(classes) != 1 or any(
            one.attr == node.attr and isinstance(one.ctx, ast.Store) for one in stored
        ):
            return None
        if node.attr in given:
            return given[node.attr]
        made = replace(self, node=classes[0], given={}).assigned(node.attr)
        return made[0].value if len(made) == 1 else None


def function_of(tree: ast.Module, node: ast.AST) -> ast.AST:
    """The innermost function that a node stands in; the module where none is."""
    functions = (one for one in ast.walk(tree) if isinstance(one, _INNER[:2]))
    around = [one for one in functions if any(inner is node for inner in ast.walk(one))]
    return around[-1] if around else tree  # `ast.walk` has the outer ones first.


_Tests: TypeAlias = tuple[tuple[ast.expr | None, bool], ...]
"""The conditions around a statement, and whether each has to hold; None: what only a run knows."""


@lru_cache(maxsize=16)
def _stores(node: ast.AST) -> Mapping[str, list[tuple[ast.AST, _Tests]]]:
    """For each name the statements of a function, class or module that give it something."""
    found: dict[str, list[tuple[ast.AST, _Tests]]] = {}
    for statement, tests in _statements(node):
        for name in dict.fromkeys(
            name for part in _own_parts(statement) for name in _given_by(part)
        ):
            found.setdefault(name, []).append((statement, tests))
    for one in ast.walk(node) if isinstance(node, ast.Module) else ():
        for name in one.names if isinstance(one, ast.Global) else ():
            found.setdefault(name, []).append((one, ((None, True),)))
    return found


def _statements(node: ast.AST) -> Iterator[tuple[ast.AST, _Tests]]:
    """The statements of a function, class or module, each with the conditions around it."""
    waiting: list[tuple[ast.AST, _Tests]] = [(one, ()) for one in getattr(node, "body", [])]
    while waiting:
        one, tests = waiting.pop()
        yield one, tests
        if isinstance(one, _INNER):
            continue
        if isinstance(one, ast.If):
            main = "__name__" in written(one.test)
            waiting += [
                (inner, tests if main else (*tests, (one.test, True))) for inner in one.body
            ]
            waiting += [(inner, (*tests, (one.test, False))) for inner in one.orelse]
            continue
        within = (*tests, (None, True)) if isinstance(one, _UNSURE) else tests
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting += [(inner, within) for inner in getattr(one, part, [])]


def _own_parts(statement: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are no statements themselves."""
    waiting = [statement]
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, _INNER):
            inner = ast.iter_child_nodes(one)
            waiting += [
                part for part in inner if not isinstance(part, (ast.stmt, ast.excepthandler))
            ]


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All that stands in a function or module, without that of functions and classes in it."""
    for statement, _ in _statements(node):
        if not isinstance(statement, _INNER):
            yield from _own_parts(statement)


def _given_by(node: ast.AST) -> Sequence[str]:
    """The names that a part of a statement gives something."""
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
        return [node.name] if node.name else []
    return []
