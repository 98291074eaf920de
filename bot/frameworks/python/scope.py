"""What names stand for in a function or a module of a program, read as a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.argparse_options import UNREADABLE, constant
from bot.frameworks.python.arguments import parsing_call
from bot.frameworks.python.around import AS_IT_IS, END, Folded
from bot.frameworks.python.functions import function_called
from bot.frameworks.python.hydra_main import decorated, is_hydra
from bot.frameworks.python.known import called, compared, is_object, part, stripped
from bot.frameworks.python.objects import calls_to, field_of, maker, name_of_self
from bot.frameworks.python.paths import divided
from bot.frameworks.python.run import ProgramRun
from bot.frameworks.python.source import (
    INSTALLED,
    UnfollowedError,
    modules_imported,
    origins,
    renewed,
    written,
)
from bot.frameworks.python.statements import (
    INNER,
    Tests,
    as_it_was,
    assigned_above,
    assignment,
    definitions,
    function_of,
    parameters,
    statements,
    stores,
)
from bot.frameworks.python.unsloth import method_of

_DEEPEST: Final = 8
"""Functions and modules that are followed from one into the next."""
_MOST: Final = 50
"""Statements that give one name something."""
_STARS: Final = 8
"""Modules that are imported whole (`from config import *`) and looked into."""
_IMPORTS: Final = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class Scope:
    """A module, or a function of it as one call runs it."""

    tree: ast.Module
    node: ast.AST
    path: str
    """The module's file, from the root of its repository."""
    run: ProgramRun
    given: Mapping[str, tuple[ast.expr, Scope]] = field(default_factory=dict)
    """What the call gives for the function's parameters, and where that stands."""
    depth: int = 0

    @classmethod
    def around(cls, tree: ast.Module, node: ast.AST, run: ProgramRun) -> Scope:
        """The innermost function of a program that a node stands in; the module where none is."""
        return cls(tree, function_of(tree, node), run.path, run)

    def value(self, node: ast.expr) -> tuple[ast.expr, Scope]:
        """What an expression stands for; raises UnfollowedError for a name that changes."""
        return self.step(node, END)

    def step(self, node: ast.expr, before: int) -> tuple[ast.expr, Scope]:
        """What a name, a part of a mapping or a call stands for above a line.

        As it is where it is none of them, and where the program does not say. Raises
        UnfollowedError where that depends on what only a run knows.
        """
        scope: Scope = self
        for _ in self.run.left:
            found = scope._next(node, before)
            if found is None:
                return node, scope
            node, scope, before = found
        raise UnfollowedError(written(node))

    def constant(self, node: ast.expr) -> ast.expr:
        """An expression as a constant; what it stands for where it is none."""
        node, scope = self.value(node)
        if isinstance(node, AS_IT_IS):
            return node
        folded = Folded(scope).visit(node)
        value = constant(folded, {}) if isinstance(folded, ast.expr) else UNREADABLE
        return node if value == UNREADABLE else ast.Constant(value)

    def _next(self, node: ast.expr, before: int) -> _Place | None:
        if isinstance(node, ast.Name):
            return self._named(node, before)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return part(self, node, before)
        if isinstance(node, ast.Call):
            return self.returned(node) or called(self, node, before)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return divided(self, node)
        if isinstance(node, ast.ListComp):
            return stripped(self, node, before)
        return self._chosen(node, before)

    def _chosen(self, node: ast.expr, before: int) -> _Place | None:
        """What a condition is, or which of two expressions it chooses."""
        if isinstance(node, ast.IfExp):
            truth = self._truth(node.test)
            return None if truth is None else (node.body if truth else node.orelse, self, before)
        if isinstance(node, ast.BoolOp) and len(node.values) == 2:
            truth = self._truth(node.values[0])
            first = truth is isinstance(node.op, ast.Or)
            return None if truth is None else (node.values[not first], self, before)
        denies = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        truth = self._truth(node) if denies or isinstance(node, ast.Compare) else None
        return None if truth is None else (ast.Constant(truth), self, before)

    # Names

    def _named(self, node: ast.Name, before: int) -> _Place | None:
        """What a name was given last above a line, where that stands, and in which line."""
        name = node.id
        # Statements are carried out in their order, up to the one that the name stands in.
        here = hasattr(node, "lineno") and function_of(self.tree, node) is self.node
        try:
            made = self.assigned(name, node.lineno if here and before == END else before)
        except UnfollowedError:
            above = self._assigned_above(node) if here else None
            if above is None:
                raise
            made = [above]
        taken = isinstance(self.node, ast.FunctionDef) and name in parameters(self.node)
        if len(made) > 1 and before == END and not here:
            raise UnfollowedError(name)
        if made:
            return self.target(made[-1], name)
        if not taken and not self._defined(name):
            raise UnfollowedError(name)
        if name in self.given:
            return (*self.given[name], END)
        if taken:
            return (*self._handed(name), END)
        if self.node is not self.tree:
            return node, self.module(), END
        elsewhere = self._imported(name)
        return (ast.Name(elsewhere[1]), elsewhere[0], END) if elsewhere is not None else None

    def module(self) -> Scope:
        """The module itself."""
        return replace(self, node=self.tree, given={})

    def within(self, node: ast.AST, given: _Given) -> Scope:
        """A function or class of this module, a step deeper; `given` are its parameters."""
        return replace(self, node=node, given=given, depth=self.depth + 1)

    def _handed(self, name: str) -> tuple[ast.expr, Scope]:
        """What the calls of this function in its own module give for a parameter, all the same."""
        function = self.node
        if not isinstance(function, ast.FunctionDef):
            raise UnfollowedError(name)
        hydra = [one for one in function.decorator_list if is_hydra(one)]
        main = decorated(hydra[0]) if hydra and function.args.args[0].arg == name else None
        composed = self.run.composed(self.path, main) if main is not None else None
        if composed is not None:
            return composed, self.module()
        if (object_made := maker(self, name)) is not None:
            return object_made
        made, first = calls_to(self.tree, function)
        if (
            self.given.keys() - {name_of_self(self)}
            or not 0 < len(made) < _MOST
            or self.depth >= _DEEPEST
        ):
            raise UnfollowedError(name)
        found = list[tuple[ast.expr, Scope]]()
        for call in made:
            around = replace(self, node=function_of(self.tree, call), depth=self.depth + 1)
            bound = around.bound(function.args, call, self.module(), first)
            if name not in bound:
                raise UnfollowedError(name)
            node, there = bound[name]
            found.append(there.value(node) if len(made) > 1 else (node, there))
        if any(node is not found[0][0] for node, _ in found):
            raise UnfollowedError(name)
        return found[0]

    def _imported(self, name: str) -> tuple[Scope, str] | None:
        """The module of the repository's that a name comes from, and its name there."""
        named, stars = origins(self.tree)
        for one, alias in [*named.get(name, ()), *stars[:_STARS]]:
            there = self._module_at(one.level, one.module or "")
            if there is not None and (alias != "*" or name in stores(there.tree)):
                return there, name if alias == "*" else alias
        return None

    def _module_at(self, level: int, module: str) -> Scope | None:
        """A module of the repository's, which no package that is installed has the name of."""
        if self.depth >= _DEEPEST or (not level and module.split(".")[0] in INSTALLED):
            return None
        path = self.run.files.imported(self.path, level, module)
        tree = self.run.files.tree(path) if path is not None else None
        if path is None or tree is None or tree is self.tree:
            return None
        return Scope(tree, tree, path, self.run, {}, self.depth + 1)

    def definition(self, name: str) -> tuple[ast.stmt, Scope] | None:
        """The one function or class of that name, of this module or one that it imports."""
        found = definitions(self.tree).get(name)
        if found:
            return (found[0], self.module()) if len(found) == 1 else None
        elsewhere = self._imported(name)
        return elsewhere[0].definition(elsewhere[1]) if elsewhere is not None else None

    def target(self, one: ast.Assign, name: str) -> _Place | None:
        """What an assignment gives a name or an attribute, alone or in a row of them."""
        target, value = one.targets[0], one.value
        if isinstance(target, (ast.Name, ast.Attribute)):
            return value, self, one.lineno
        row = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        at = next((n for n, part in enumerate(row) if written(part) == name), None)
        if at is None or any(isinstance(part, ast.Starred) for part in row):
            raise UnfollowedError(name)
        if isinstance(value, ast.Tuple) and len(value.elts) == len(row):
            return value.elts[at], self, one.lineno
        parsed = self.run.parsed
        if parsed is not None and value is parsed[0]:
            return value, self, one.lineno  # Their names differ, whichever class has them.
        if at == 0 and (same := renewed(value)) is not None:
            return same, self, one.lineno
        pair = isinstance(value, ast.Call) and bool(method_of(value))  # A model and its tokenizer
        if at == 0 and (pair or value is parsing_call(self.tree)):
            return value, self, one.lineno  # args, rest = parser.parse_known_args()
        found = self.returned(value, at) if isinstance(value, ast.Call) else None
        if found is None:
            raise UnfollowedError(name)
        return found

    def assigned(self, name: str, before: int = END) -> list[ast.Assign]:
        """The statements of this place that assign a name above a line, in their order.

        One below a condition counts where the condition is known to hold.
        """
        stored = stores(self.node).get(name, [])
        if len(stored) > _MOST:
            raise UnfollowedError(name)
        found = list[ast.Assign]()
        for one, tests in [] if self._defined(name) else stored:
            last = "lineno" if isinstance(one, ast.With) else "end_lineno"
            below = getattr(one, last, END) >= before
            if below and any(test is None for test, _ in tests):
                raise UnfollowedError(name)  # A loop comes back above it.
            if below or as_it_was(one, name) or not self.reached(tests, name):
                continue
            made = assignment(one, name)
            if made is None:
                raise UnfollowedError(name)
            found.append(made)
        return sorted(found, key=lambda one: one.lineno)

    def _assigned_above(self, name: ast.Name) -> ast.Assign | None:
        """What gives a name something in the pass of a loop, or in the `try`, that it stands in.

        Raises UnfollowedError where conditions decide about that, of which one is not known.
        """
        stored = stores(self.node).get(name.id, [])
        unsure = any(test is None for _, tests in stored for test, _ in tests)
        made = assigned_above(name, self.node) if unsure and len(stored) <= _MOST else None
        # Below it a condition may ask for the name itself: `if x: try: … except: x = False`.
        above = [tests for one, tests in stored if getattr(one, "lineno", END) < name.lineno]
        for tests in above if made is not None else ():
            self.reached(tuple(one for one in tests if one[0] is not None), name.id)
        return made

    def _defined(self, name: str) -> bool:
        """Whether a name is given nothing here, or a function, or what is imported, which it is."""
        stored = stores(self.node).get(name, [])
        return all(isinstance(one, (*INNER, *_IMPORTS)) for one, _ in stored)

    # Conditions

    def reached(self, tests: Tests, name: str) -> bool:
        """Whether a statement is carried out; raises UnfollowedError where only a run knows."""
        known = [(self._truth(test), holds) for test, holds in tests]
        if any(truth is not None and truth is not holds for truth, holds in known):
            return False
        if any(truth is None for truth, _ in known):
            raise UnfollowedError(name)
        return True

    def _truth(self, test: ast.expr | None) -> bool | None:
        """Whether a condition holds: a constant, `not` one, or two that are compared; else None."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            truth = self._truth(test.operand)
            return None if truth is None else not truth
        try:
            if isinstance(test, ast.Compare) and len(test.comparators) == 1:
                one, other = self.constant(test.left), self.constant(test.comparators[0])
                return compared(one, test.ops[0], other)
            if isinstance(test, ast.Compare):
                return None
            known = self.constant(test) if test is not None else None
        except UnfollowedError:
            return None
        if isinstance(known, ast.Dict):
            return bool(known.keys)
        if known is not None and is_object(known):
            return True
        return bool(known.value) if isinstance(known, ast.Constant) else None

    # Functions and classes

    def returned(self, call: ast.Call, at: int | None = None) -> _Place | None:
        """What a function of the program gives back, or which part of it; None for any other."""
        found = function_called(self, call.func)
        if found is None:
            return None
        function, there, own = found
        if self.depth >= _DEEPEST:
            raise UnfollowedError(function.name)
        bound = {**own, **self.bound(function.args, call, there, len(own))}
        inner = replace(there, node=function, given=bound, depth=self.depth + 1)
        returned = [
            one
            for one, tests in statements(function)
            if isinstance(one, ast.Return) and inner.reached(tests, function.name)
        ]
        value = returned[0].value if len(returned) == 1 else None
        if value is None:
            raise UnfollowedError(function.name)
        if at is not None:
            if not isinstance(value, ast.Tuple) or at >= len(value.elts):
                raise UnfollowedError(function.name)
            value = value.elts[at]
        return value, inner, returned[0].lineno

    def imported_module(self, name: str) -> Scope | None:
        """The module of the repository's that a name is: `config` of `import config`."""
        level, module = modules_imported(self.tree).get(name, (0, ""))
        taken = isinstance(self.node, ast.FunctionDef) and name in parameters(self.node)
        if not module or taken or not self._defined(name):
            return None
        return self._module_at(level, module)

    def bound(self, takes: ast.arguments, call: ast.Call, there: Scope, first: int = 0) -> _Given:
        """The parameters of a function, from a number on, to what a call gives for them."""
        names = [one.arg for one in (*takes.posonlyargs, *takes.args)]
        keywords = {str(one.arg): (one.value, self) for one in call.keywords}
        if any(isinstance(one, ast.Starred) for one in call.args) or "None" in keywords:
            raise UnfollowedError(written(call.func))
        least = len(names) - len(takes.defaults)
        defaults = dict(zip(names[least:], takes.defaults, strict=True))
        for only, default in zip(takes.kwonlyargs, takes.kw_defaults, strict=True):
            defaults |= {only.arg: default} if default is not None else {}
        found = {name: (default, there) for name, default in defaults.items()}
        found |= {name: (one, self) for name, one in zip(names[first:], call.args, strict=False)}
        return found | keywords

    def field_of(self, node: ast.Attribute, before: int) -> _Place | None:
        """A field of a class, or of an object of it; None for what is none, or is set elsewhere."""
        return field_of(self, node, before)


_Given: TypeAlias = Mapping[str, tuple[ast.expr, Scope]]
"""Expressions by name, and where each stands."""
_Place: TypeAlias = tuple[ast.expr, Scope, int]
"""An expression, where it stands, and the line above which its names count."""
