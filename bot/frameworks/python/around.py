"""What an expression of a program stands in, as it is asked by what reads expressions."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from typing import Final, Protocol, Self, TypeAlias, TypeVar

from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.statements import Tests

END: Final = 1 << 30
"""The line behind all of a program."""


class Around(Protocol):
    """What an expression of a program stands in, which is a `Scope`."""

    @property
    def tree(self) -> ast.Module:
        """The module."""

    @property
    def node(self) -> ast.AST:
        """The function, or the module."""

    @property
    def path(self) -> str:
        """The module's file, from the root of its repository."""

    @property
    def run(self) -> ProgramRun:
        """The run that it is a part of."""

    @property
    def given(self) -> Mapping[str, tuple[ast.expr, Self]]:
        """What the call gives for the function's parameters, and where that stands."""

    def step(self, node: ast.expr, before: int) -> tuple[ast.expr, Self]:
        """What an expression stands for above a line."""

    def constant(self, node: ast.expr) -> ast.expr:
        """An expression as a constant, or what it stands for."""

    def module(self) -> Self:
        """The module itself."""

    def definition(self, name: str) -> tuple[ast.stmt, Self] | None:
        """The one function or class of that name, of this module or one that it imports."""

    def imported_module(self, name: str) -> Self | None:
        """The module that a name is."""

    @property
    def depth(self) -> int:
        """Functions and modules that were followed from one into the next."""

    def value(self, node: ast.expr) -> tuple[ast.expr, Self]:
        """What an expression stands for."""

    def field_of(self, node: ast.Attribute, before: int) -> tuple[ast.expr, Self, int] | None:
        """A field of a class of the program's."""

    def within(self, node: ast.AST, given: Mapping[str, tuple[ast.expr, Self]]) -> Self:
        """A function or class of this module, a step deeper."""

    def assigned(self, name: str) -> list[ast.Assign]:
        """The statements of this place that assign a name."""

    def reached(self, tests: Tests, name: str) -> bool:
        """Whether a statement is carried out."""

    def target(self, one: ast.Assign, name: str) -> tuple[ast.expr, Self, int] | None:
        """What an assignment gives a name or an attribute."""

    def bound(
        self, takes: ast.arguments, call: ast.Call, there: Self, first: int
    ) -> Mapping[str, tuple[ast.expr, Self]]:
        """What a call gives for the parameters of a function."""


S = TypeVar("S", bound=Around)
Known: TypeAlias = tuple[ast.expr, S, int]
"""An expression, where it stands, and the line above which its names count."""
AS_IT_IS: Final = (ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
"""What no constant is folded of, once it stands for nothing else."""


class Folded(ast.NodeTransformer):
    """An expression with the constants that its parts are; raises UnfollowedError."""

    def __init__(self, scope: Around) -> None:
        self._scope = scope

    def visit(self, node: ast.AST) -> ast.AST:
        """A part as a constant where it is one."""
        if not isinstance(node, AS_IT_IS[1:]):
            node = copy.copy(node)  # Its parts keep their places in the program.
            for field, value in ast.iter_fields(node):
                setattr(node, field, [*value] if isinstance(value, list) else value)
            return self.generic_visit(node)
        known = self._scope.constant(node)
        return known if isinstance(known, ast.Constant) else node


def number_of(node: ast.expr) -> int | None:
    """A whole number that is written out; None for anything else."""
    number = node.value if isinstance(node, ast.Constant) else None
    return number if isinstance(number, int) else None
