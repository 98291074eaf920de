"""The statements of a module or a function of Python, and the conditions around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from bot.frameworks.python.source import nodes, written

_MODULES: Final = 64
"""Modules, functions and mappings of which is kept what is asked of them again and again."""
INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
"""What has statements, or names, of its own."""
_EXITS: Final = ("sys.exit", "exit", "quit", "os._exit")
_KEEPS: Final = frozenset(("to", "cuda", "train", "eval"))
"""Methods that give back the model as it is."""
_FOUND: Final = {
    "peft": ("LoraConfig", "TaskType", "get_peft_model", "prepare_model_for_kbit_training"),
    "torch": (),
    "transformers": ("AutoModelForCausalLM", "AutoTokenizer", "BitsAndBytesConfig"),
    "trl": ("DPOConfig", "DPOTrainer", "SFTConfig", "SFTTrainer"),
}
"""Names that a package has in all releases that are read here, beside the package itself."""
_UNSURE: Final = (ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)
"""Statements in which another is carried out or not, as only a run knows."""


def function_of(tree: ast.Module, node: ast.AST) -> ast.AST:
    """The innermost function that a node stands in; the module where none is."""
    return _functions(tree).get(node, tree)


@lru_cache(maxsize=_MODULES)
def _functions(tree: ast.Module) -> Mapping[ast.AST, ast.AST]:
    """For each node that stands in a function the innermost one."""
    found: dict[ast.AST, ast.AST] = {}
    for one in nodes(tree):  # The outer ones come first.
        if isinstance(one, INNER[:2]):
            found |= dict.fromkeys(ast.walk(one), one)
    return found


def keeps(call: ast.Call) -> bool:
    """Whether a method gives back the model as it is: `.to("cuda")`, not `.to(torch.float16)`."""
    given = (*call.args, *(one.value for one in call.keywords))
    named = written(call.func).rpartition(".")[2] in _KEEPS
    return named and not any("float" in written(one) or "dtype" in written(one) for one in given)


Tests: TypeAlias = tuple[tuple[ast.expr | None, bool], ...]
"""The conditions around a statement, and whether each has to hold; None: what only a run knows."""


@lru_cache(maxsize=_MODULES)
def stores(node: ast.AST) -> Mapping[str, list[tuple[ast.AST, Tests]]]:
    """For each name the statements of a function, class or module that give it something."""
    found: dict[str, list[tuple[ast.AST, Tests]]] = {}
    for statement, tests in statements(node):
        for name in dict.fromkeys(
            name for part in own_parts(statement) for name in _given_by(part)
        ):
            found.setdefault(name, []).append((statement, tests))
    for one in ast.walk(node) if isinstance(node, ast.Module) else ():
        for name in one.names if isinstance(one, ast.Global) else ():
            found.setdefault(name, []).append((one, ((None, True),)))
    return found


def assigned_once(name: ast.Name, within: ast.AST) -> ast.expr | None:
    """What the one statement of a function or module that gives a name something gives it."""
    found = [one for one, _ in stores(within).get(name.id, [])]
    made = assignment(found[0], name.id) if len(found) == 1 else None
    return made.value if made is not None and isinstance(made.targets[0], ast.Name) else None


def assigned_above(name: ast.Name, within: ast.AST) -> ast.Assign | None:
    """The assignment of a name that is carried out whenever the name is come to, and just before.

    It stands above it in the same block, or in one around that. None where a statement between them
    may give the name something else.
    """
    stored = [one for one, _ in stores(within).get(name.id, []) if not as_it_was(one, name.id)]
    if any(isinstance(one, (ast.Global, ast.Nonlocal)) for one in stored):
        return None  # Any call between them may do so.
    found: ast.Assign | None = None
    block: Sequence[ast.AST] = getattr(within, "body", ())
    while (around := next((one for one in block if _spans(one, name)), None)) is not None:
        for one in block[: block.index(around)]:
            if any(_spans(one, other) for other in stored):
                found = assignment(one, name.id) if one in stored else None
        parts = [getattr(around, part, ()) for part in ("body", "orelse", "finalbody")]
        inner = any(_spans(around, other) for other in stored if other is not around)
        if (inner and not isinstance(around, ast.If)) or (any(parts) and around in stored):
            found = None  # A loop comes back to it; what fails may be carried out in part.
        block = next((part for part in parts if any(_spans(one, name) for one in part)), ())
    return found


def _spans(around: ast.AST, node: ast.AST) -> bool:
    """Whether a statement stands where another one is, or around it."""
    first, last = _place(around), _place(around, end=True)
    return first <= _place(node) and _place(node, end=True) <= last


def _place(node: ast.AST, *, end: bool = False) -> tuple[int, int]:
    names = ("end_lineno", "end_col_offset") if end else ("lineno", "col_offset")
    line, column = (getattr(node, name, 0) for name in names)
    return line, column


def statements(node: ast.AST) -> Iterator[tuple[ast.AST, Tests]]:
    """The statements of a function, class or module, each with the conditions around it."""
    waiting: list[tuple[ast.AST, Tests]] = [(one, ()) for one in getattr(node, "body", [])]
    while waiting:
        one, tests = waiting.pop()
        yield one, tests
        if isinstance(one, INNER):
            continue
        if isinstance(one, ast.If):
            main = "__name__" in written(one.test)
            waiting += [
                (inner, tests if main else (*tests, (one.test, True))) for inner in one.body
            ]
            waiting += [(inner, (*tests, (one.test, False))) for inner in one.orelse]
            continue
        if isinstance(one, ast.Try) and (
            _finds(one.body) or all(_fails(handler.body) for handler in one.handlers)
        ):
            waiting += [(inner, tests) for inner in (*one.body, *one.orelse, *one.finalbody)]
            continue
        within = (*tests, (None, True)) if isinstance(one, _UNSURE) else tests
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting += [(inner, within) for inner in getattr(one, part, [])]


def _finds(block: Sequence[ast.stmt]) -> bool:
    """Whether a block imports what is there wherever TRL trains, and does nothing else.

    Where it says so by a name beside, what is to be done without it is not carried out.
    """
    return all(
        (isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant))
        or (isinstance(one, ast.Import) and all(name.name in _FOUND for name in one.names))
        or (
            isinstance(one, ast.ImportFrom)
            and all(name.name in _FOUND.get(one.module or "", ()) for name in one.names)
        )
        for one in block
    )


def own_parts(statement: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are no statements themselves."""
    waiting = [statement]
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, INNER):
            inner = ast.iter_child_nodes(one)
            if isinstance(one, ast.comprehension):
                inner = iter((one.iter, *one.ifs))  # The names that it gives are its own.
            waiting += [
                part for part in inner if not isinstance(part, (ast.stmt, ast.excepthandler))
            ]


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All that stands in a function or module, without that of functions and classes in it."""
    for statement, _ in statements(node):
        if not isinstance(statement, INNER):
            yield from own_parts(statement)


def tests_around(within: ast.AST, node: ast.AST) -> Tests:
    """The conditions around a part of a function or of the module; none for one of another."""
    return _tests(within).get(node, ())


@lru_cache(maxsize=_MODULES)
def _tests(within: ast.AST) -> Mapping[ast.AST, Tests]:
    found: dict[ast.AST, Tests] = {}
    for one, tests in statements(within):
        for part in own_parts(one) if tests else ():
            found.setdefault(part, tests)
    return found


def left_before(within: ast.AST, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The conditions above a part of a function under which it is left: `if done: return`.

    Each with whether it is left where that holds.
    """
    block: Sequence[ast.stmt] = getattr(within, "body", ())
    while block:
        around = next((one for one in block if _holds(one, node)), None)
        for one in block[: block.index(around)] if around is not None else ():
            if isinstance(one, ast.If):
                ends = ((True, one.body), (False, one.orelse))
                yield from ((one.test, holds) for holds, branch in ends if _leaves(branch))
        parts = (getattr(around, name, ()) for name in ("body", "orelse", "finalbody"))
        block = next((one for one in parts if any(_holds(inner, node) for inner in one)), ())


def _holds(statement: ast.stmt, node: ast.AST) -> bool:
    return any(part is node for part in ast.walk(statement))


def carried_out(
    tree: ast.Module, within: ast.AST, node: ast.AST, call: ast.Call
) -> Sequence[ast.AST]:
    """What carries a node out before a call that stands in a function, or in the module.

    The node itself, or the names of its function above the call; nothing below the call.
    """
    around = function_of(tree, node)
    if around is within:
        return [node] if getattr(node, "lineno", 0) <= call.lineno else []
    if around not in tree.body or not isinstance(around, ast.FunctionDef):
        return [] if around in _uncalled(tree) else [node]
    nodes = (*own_nodes(within), *own_nodes(tree))
    names = (one for one in nodes if isinstance(one, ast.Name) and one.lineno <= call.lineno)
    return [one for one in names if one.id == around.name]


@lru_cache(maxsize=_MODULES)
def _uncalled(tree: ast.Module) -> frozenset[ast.AST]:
    """The methods that a module takes of no object: those that Python calls itself aside."""
    taken = {one.attr for one in nodes(tree) if isinstance(one, ast.Attribute)}
    return frozenset(
        one
        for of in nodes(tree)
        if isinstance(of, ast.ClassDef)
        for one in of.body
        if isinstance(one, ast.FunctionDef) and one.name not in taken and one.name[:2] != "__"
    )


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


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether the function or the program ends, or fails, with a block of statements."""
    last = block[-1] if block else None
    return isinstance(last, ast.Return) or _fails(block)


def _fails(block: Sequence[ast.stmt]) -> bool:
    """Whether the program ends, or fails, with a block of statements."""
    last = block[-1] if block else None
    call = last.value if isinstance(last, ast.Expr) else None
    ends = isinstance(call, ast.Call) and written(call.func) in _EXITS
    return ends or isinstance(last, ast.Raise)


def parameters(function: ast.FunctionDef) -> frozenset[str]:
    """The names of a function's parameters."""
    takes = function.args
    return frozenset(one.arg for one in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs))


@lru_cache(maxsize=_MODULES)
def calls_of(tree: ast.Module) -> Mapping[str, Sequence[ast.Call]]:
    """The calls of each name."""
    found: dict[str, list[ast.Call]] = {}
    for one in nodes(tree):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            found.setdefault(one.func.id, []).append(one)
    return found


@lru_cache(maxsize=_MODULES)
def definitions(tree: ast.Module) -> Mapping[str, Sequence[ast.FunctionDef | ast.ClassDef]]:
    """The functions and classes of a module itself."""
    found: dict[str, list[ast.FunctionDef | ast.ClassDef]] = {}
    for one in tree.body:
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(one.name, []).append(one)
    return found


@lru_cache(maxsize=_MODULES)
def items_of(node: ast.Dict) -> Mapping[Any, ast.expr] | None:
    """The items of a mapping by their keys, the last of several; None where one is computed."""
    if not all(isinstance(key, ast.Constant) for key in node.keys):
        return None
    keys = (key.value for key in node.keys if isinstance(key, ast.Constant))
    return dict(zip(keys, node.values, strict=True))


def is_text(node: ast.expr | None) -> bool:
    """Whether an expression is a text that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def field_default(node: ast.expr) -> ast.expr:
    """What a field of a dataclass is by default: of `field(default=8)` the 8."""
    if isinstance(node, ast.Call) and written(node.func) in ("field", "dataclasses.field"):
        given = {one.arg: one.value for one in node.keywords}
        made = given.get("default_factory")
        return given.get("default") or (made.body if isinstance(made, ast.Lambda) else node)
    return node


def as_it_was(statement: ast.AST, name: str) -> bool:
    """Whether a statement leaves a name as it is: `model: Model`, `model = model.to("cuda")`."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None
    call = statement.value if isinstance(statement, ast.Assign) else None
    method = call.func if isinstance(call, ast.Call) and keeps(call) else None
    return isinstance(method, ast.Attribute) and written(method.value) == name


def assignment(one: ast.AST, name: str) -> ast.Assign | None:
    """A statement that gives a name something as an assignment; None for any that is not known."""
    made: ast.Assign | None = None
    if isinstance(one, ast.AnnAssign) and one.value is not None:
        made = ast.Assign([one.target], one.value)
    for item in one.items if isinstance(one, ast.With) else ():
        call = item.context_expr
        opens = isinstance(call, ast.Call) and written(call.func).rpartition(".")[2] == "open"
        if opens and item.optional_vars is not None and written(item.optional_vars) == name:
            made = ast.Assign([item.optional_vars], call)
    if isinstance(one, ast.Assign) and len(one.targets) == 1:
        return one
    return ast.copy_location(made, one) if made is not None else None
