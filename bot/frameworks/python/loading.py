"""Calls of transformers, PEFT and torch that load a model, keep it as it is, or freeze parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, Literal, TypeAlias, TypeGuard

from bot.base.regex import regex
from bot.frameworks.python.functions import function_called
from bot.frameworks.python.known import option_of
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import UnfollowedError, calls, nodes, written
from bot.frameworks.python.statements import (
    assignment,
    carried_out,
    function_of,
    left_before,
    stores,
    tests_around,
)
from bot.shell.words import Placed

_KINDS: Final = ("ForCausalLM", "ForConditionalGeneration", "ForImageTextToText", "AutoModel")
"""How the names of transformers' classes of models end, or are."""
_BESIDE: Final = ("ref_model", "teacher_model")
"""Models that TRL's trainers hold beside the one that is trained."""
_ON_HOST: Final = ("None", "'cpu'")
_WHOLE: Final = ("'cuda'", "'cuda:0'", "0", "get_kbit_device_map()")
"""What `device_map` is where it leaves a model on the host, or puts it whole on one GPU, beside
`{"": …}`; anything else spreads its layers over GPUs."""
_BALANCED: Final = ("'auto'", "'balanced'")
"""What it is where each GPU gets about as much of them."""
REQUIRES: Final = "requires_grad"
_DEEPEST: Final = 2
"""Expressions that are followed to what another one may be."""
_MOST: Final = 20
"""Calls of one function, of which it is asked whether they are carried out."""


Gradients: TypeAlias = Literal["frozen", "tower", "adapter", "some"]
"""Which parameters a program says to train: not all, all but a vision tower's, an adapter's, or
some others."""
_TOWERS: Final = ("visual", "vision_tower", "vision_model")
"""What transformers' models call their vision tower, with what merges its patches or without."""
_OF_TOWER: Final = regex(r"'(?:visual|vision_tower|vision_model)' in \w{1,50}\Z")


def gradients_set(
    scope: Scope, loads: Sequence[ast.Call], adapts: ast.Call | None
) -> Iterator[Gradients]:
    """Which parameters of the model a program itself says to train, where it may come to that.

    `scope` is that of the trainer, and `loads` are what loads the model: another one, such as a
    judge's or a reference, may be frozen. So may the model before `adapts` puts an adapter on it,
    which freezes it anyway.
    """
    tree = scope.tree
    for node in _about_gradients(tree):
        if adapts is not None and _is_before(node, adapts, tree):
            continue
        method = node.func if isinstance(node, ast.Call) else None
        if isinstance(method, ast.Attribute) and method.attr == f"{REQUIRES}_":
            given = [*node.args, *node.keywords] if isinstance(node, ast.Call) else []
            trained = all(isinstance(one, ast.expr) and is_value(one, True) for one in given)
            if _of_the_model(scope, method.value, loads):
                frozen = [isinstance(one, ast.expr) and is_value(one, False) for one in given]
                yield (
                    "some"
                    if trained
                    else _frozen(tree, node, method.value, surely=frozen == [True])
                )
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if not isinstance(target, ast.Attribute) or target.attr != REQUIRES:
                continue
            if not isinstance(node, ast.Assign) or not is_value(node.value, True):
                if _of_the_model(scope, target.value, loads):
                    surely = isinstance(node, ast.Assign) and is_value(node.value, False)
                    yield _frozen(tree, node, target.value, surely=surely)
                continue
            around = tests_around(function_of(tree, node), node)
            named = (written(test).lower() for test, _ in around if test is not None)
            yield "adapter" if any("lora" in test for test in named) else "some"


def _frozen(tree: ast.Module, node: ast.AST, held: ast.expr, *, surely: bool) -> Gradients:
    """What is frozen of a model: its vision tower, where that and nothing else surely is."""
    within = function_of(tree, node)
    tests = [(written(test), so) for test, so in tests_around(within, node) if test is not None]
    looped = _looped_over(within, held)
    if isinstance(looped, ast.Call) and isinstance(looped.func, ast.Attribute):
        looped = looped.func.value  # `model.visual` of `model.visual.parameters()`
    owned = isinstance(looped, ast.Attribute) and looped.attr in _TOWERS and not tests
    named = [so for test, so in tests if _OF_TOWER.match(test)] == [True] and len(tests) == 1
    return "tower" if surely and (owned or named) else "frozen"


@lru_cache(maxsize=16)
def _about_gradients(tree: ast.Module) -> Sequence[ast.AST]:
    """What may say which parameters train: each launch of a program asks for it."""

    def names(node: ast.AST) -> bool:
        parts = node.targets if isinstance(node, ast.Assign) else [getattr(node, "func", None)]
        return any(isinstance(one, ast.Attribute) and REQUIRES in one.attr for one in parts)

    return [
        node for node in nodes(tree) if isinstance(node, (ast.Assign, ast.Call)) and names(node)
    ]


def _is_before(node: ast.AST, call: ast.Call, tree: ast.Module) -> bool:
    """Whether a statement stands above a call in the same function."""
    above = isinstance(node, (ast.Assign, ast.Call)) and node.lineno < call.lineno
    return above and function_of(tree, node) is function_of(tree, call)


def _of_the_model(scope: Scope, node: ast.expr, loads: Sequence[ast.Call]) -> bool:
    """Whether parameters may be the trained model's, and the program may come to them."""
    within = function_of(scope.tree, node)
    around = scope if within is scope.node else Scope.around(scope.tree, node, scope.run)
    if not may_reach(around, node):
        return False
    looped = _looped_over(within, node)
    if any(isinstance(one, ast.Attribute) and one.attr in _BESIDE for one in ast.walk(looped)):
        return False
    holder = _root(looped)
    if isinstance(holder, ast.Attribute):  # self.judge = AutoModel.from_pretrained(…)
        made = [one.value for one in nodes(scope.tree) if _gives(one, written(holder))]
        return not made or not all(_another(one, loads) for one in made)
    try:
        found = around.step(holder, node.lineno)[0]
    except UnfollowedError:
        return True
    return not _another(found, loads)


def _looped_over(within: ast.AST, node: ast.expr) -> ast.expr:
    """What a loop goes over for a name: `model.parameters()` of `for p in model.parameters()`."""
    name = written(node)
    loops = (one for one in ast.walk(within) if isinstance(one, (ast.For, ast.comprehension)))
    return next(
        (
            one.iter
            for one in loops
            if name in (written(part) for part in getattr(one.target, "elts", [one.target]))
            and (isinstance(one, ast.comprehension) or one.lineno <= node.lineno)
        ),
        node,
    )


def _root(node: ast.expr) -> ast.expr:
    """The name that an expression begins with, or an attribute of `self`."""
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute) and written(node.value) != "self":
            node = node.value
        else:
            return node


def _gives(node: ast.AST, name: str) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and name in map(written, node.targets)


def _another(node: ast.expr, loads: Sequence[ast.Call]) -> bool:
    """Whether an expression loads a model that is not the one which is trained."""
    loaded = isinstance(node, ast.Call) and written(node.func).endswith(".from_pretrained")
    return loaded and node not in loads


def is_value(node: ast.expr, value: object) -> bool:
    """Whether an expression is that constant: None, True or False."""
    return isinstance(node, ast.Constant) and node.value is value


def placed(node: ast.expr, scope: Scope) -> Placed:
    """Where a `device_map` puts a model; of two that a condition chooses from, where most is."""
    node, scope = scope.value(node)
    if isinstance(node, ast.IfExp):
        either = placed(node.body, scope), placed(node.orelse, scope)
        return max(either, key=(None, "whole", "balanced", "spread").index)
    if isinstance(node, ast.Dict):
        one = [written(key) for key in node.keys if key is not None] == ["''"]
        held = written(node.values[0]) not in _ON_HOST if one else False
        return "whole" if held else None if one else "spread"
    if written(node) in _ON_HOST:
        return None
    if written(node) in _WHOLE:
        return "whole"
    return "balanced" if written(node) in _BALANCED else "spread"


def is_model(call: ast.Call) -> bool:
    """Whether a class of transformers' models loads; PEFT's (`AutoPeftModel…`) are refused."""
    name = written(call.func).rpartition(".")[0].rpartition(".")[2]
    return name.endswith(_KINDS) or name.startswith(("AutoModel", "AutoPeft", "PeftModel"))


def may_reach(scope: Scope, node: ast.AST) -> bool:
    """Whether a part of a function may be carried out, by the conditions around it and above."""
    try:
        if not scope.reached(tests_around(scope.node, node), ""):
            return False
    except UnfollowedError:
        return True
    for test, holds in left_before(scope.node, node):
        try:
            if scope.reached(((test, holds),), ""):
                return False  # The function has been left.
        except UnfollowedError:
            continue
    return True


def calls_before(trainer: ast.Call, scope: Scope, *names: str) -> list[ast.Call]:
    """The calls of functions that may be carried out before a call that stands in a scope.

    Raises UnfollowedError where they are more than programs have.
    """
    named = [one for one, called in calls(scope.tree) if called in names]
    if len(named) > _MOST:
        raise UnfollowedError(names[0])
    return [
        one
        for one in named
        if any(
            may_reach(scope, part) and not _passed_by(scope, part)
            for part in carried_out(scope.tree, scope.node, one, trainer)
        )
    ]


def _passed_by(scope: Scope, name: ast.AST) -> bool:
    """Whether a function stands in a table of which only others are taken: `LOADERS[way](name)`."""
    tables = [one for one in scope.tree.body if isinstance(one, ast.Assign)]
    held = [
        written(one.targets[0])
        for one in tables
        if isinstance(one.value, ast.Dict) and name in one.value.values
    ]
    uses = [
        one
        for one in nodes(scope.tree)
        if isinstance(one, (ast.Subscript, ast.Attribute)) and written(one.value) in held
    ]
    return bool(held) and not any(_may_be(scope, one, getattr(name, "id", "")) for one in uses)


def _may_be(scope: Scope, use: ast.Subscript | ast.Attribute, name: str) -> bool:
    """Whether what is taken of a table may be what has a name there."""
    if isinstance(use, ast.Attribute):
        return True
    around = Scope.around(scope.tree, use, scope.run)
    try:
        return written(around.step(use, use.lineno)[0]) in (name, written(use))
    except UnfollowedError:
        return True


def is_name(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is a text, or an option of the program, which may be one."""
    known = scope.constant(node)
    if isinstance(known, ast.Constant):
        return isinstance(known.value, str)
    return option_of(scope, node) is not None


def given_to(call: ast.Call, scope: Scope) -> tuple[str, ...]:
    """What a call of a scope is given, as text to compare by: constants where they are known."""
    named = sorted((str(one.arg), _text_of(one.value, scope)) for one in call.keywords)
    return (
        *(_text_of(one, scope) for one in call.args),
        *(f"{name}={text}" for name, text in named),
    )


def _text_of(node: ast.expr, scope: Scope) -> str:
    try:
        return written(scope.constant(node))
    except (UnfollowedError, RecursionError):
        return written(node)


def kernel_of(node: ast.expr, scope: Scope) -> ast.expr:
    """The attention of a model; of several that take as much memory the first.

    Which of them is taken may hang on what is installed: all but `eager` keep no scores.
    """
    names = [*_texts(node, scope, 0)]
    return ast.Constant(names[0]) if names and not {"eager", ""}.intersection(names) else node


def _texts(node: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    """The texts that an expression may be; an empty one for any that is not known."""
    known, given = node, None
    with suppress(UnfollowedError):
        given = function_called(scope, node.func) if isinstance(node, ast.Call) else None
        known = scope.constant(node)
    several = list[ast.expr]()
    if isinstance(known, ast.Constant):
        yield str(known.value)
    elif isinstance(node, ast.IfExp):
        several = [node.body, node.orelse]
    elif isinstance(node, ast.Name):
        made = (assignment(one, node.id) for one, _ in stores(scope.node).get(node.id, ()))
        several = [one.value if one is not None else ast.Name("") for one in made]
    elif given is not None:
        ways = (one for one in ast.walk(given[0]) if isinstance(one, ast.Return))
        several, scope = [one.value or ast.Constant("") for one in ways], given[1]
    if depth < _DEEPEST:
        for one in several:
            yield from _texts(one, scope, depth + 1)
    if not several and not isinstance(known, ast.Constant):
        yield ""
