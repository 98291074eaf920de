"""Calls of transformers, PEFT and torch that load a model, keep it as it is, or freeze parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, Literal

from bot.frameworks.python_known import option_of
from bot.frameworks.python_scope import Scope
from bot.frameworks.python_source import UnfollowedError, calls, written
from bot.frameworks.python_statements import carried_out, function_of, tests_around

_KINDS: Final = ("ForCausalLM", "ForConditionalGeneration", "ForImageTextToText", "AutoModel")
"""How the names of transformers' classes of models end, or are."""
_WHOLE: Final = ("None", "'cuda'", "'cuda:0'", "0", "'cpu'", "get_kbit_device_map()")
"""What `device_map` is where it spreads no layers over GPUs, beside `{"": …}`."""
_KEEPS: Final = frozenset(("to", "cuda", "train", "eval"))
"""Methods that give back the model as it is."""
REQUIRES: Final = "requires_grad"
_MOST: Final = 20
"""Calls of one function, of which it is asked whether they are carried out."""


def gradients_set(tree: ast.Module) -> Iterator[Literal["frozen", "adapter", "some"]]:
    """Which parameters a program itself says to train: not all, an adapter's, or some others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == f"{REQUIRES}_":
            yield "frozen"
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if not isinstance(target, ast.Attribute) or target.attr != REQUIRES:
                continue
            if not isinstance(node, ast.Assign) or not is_value(node.value, True):
                yield "frozen"
                continue
            around = tests_around(function_of(tree, node), node)
            named = (written(test).lower() for test, _ in around if test is not None)
            yield "adapter" if any("lora" in test for test in named) else "some"


def is_value(node: ast.expr, value: object) -> bool:
    """Whether an expression is that constant: None, True or False."""
    return isinstance(node, ast.Constant) and node.value is value


def is_whole(node: ast.expr, scope: Scope) -> bool:
    """Whether a `device_map` leaves a model whole on one device."""
    node, scope = scope.value(node)
    if isinstance(node, ast.IfExp):
        return is_whole(node.body, scope) and is_whole(node.orelse, scope)
    if isinstance(node, ast.Dict):
        return [written(key) for key in node.keys if key is not None] == ["''"]
    return written(node) in _WHOLE


def keeps(call: ast.Call) -> bool:
    """Whether a method gives back the model as it is: `.to("cuda")`, not `.to(torch.float16)`."""
    given = (*call.args, *(one.value for one in call.keywords))
    named = written(call.func).rpartition(".")[2] in _KEEPS
    return named and not any("float" in written(one) or "dtype" in written(one) for one in given)


def is_model(call: ast.Call) -> bool:
    """Whether a class of transformers' models loads; PEFT's (`AutoPeftModel…`) are refused."""
    name = written(call.func).rpartition(".")[0].rpartition(".")[2]
    return name.endswith(_KINDS) or name.startswith(("AutoModel", "AutoPeft", "PeftModel"))


def may_reach(scope: Scope, node: ast.AST) -> bool:
    """Whether a part of a function may be carried out, by the conditions around it."""
    try:
        return scope.reached(tests_around(scope.node, node), "")
    except UnfollowedError:
        return True


def calls_before(trainer: ast.Call, scope: Scope, name: str) -> list[ast.Call]:
    """The calls of a function that may be carried out before a call that stands in a scope.

    Raises UnfollowedError where they are more than programs have.
    """
    named = [one for one, called in calls(scope.tree) if called == name]
    if len(named) > _MOST:
        raise UnfollowedError(name)
    return [
        one
        for one in named
        if any(may_reach(scope, part) for part in carried_out(scope.tree, scope.node, one, trainer))
    ]


def is_name(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is a text, or an option of the program, which may be one."""
    known = scope.constant(node)
    if isinstance(known, ast.Constant):
        return isinstance(known.value, str)
    return option_of(scope, node) is not None
