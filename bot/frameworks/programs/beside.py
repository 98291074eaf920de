"""What stands beside the model that a program trains: a reference, a teacher, a judge, a tower."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from bot.base.regex import regex
from bot.frameworks.python.loading import (
    calls_before,
    given_to,
    is_model,
    is_name,
    is_value,
    placed,
)
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import UnfollowedError, makes, nodes, written
from bot.frameworks.python.statements import keeps
from bot.frameworks.python.torch_types import known_type

_TOWER = regex(r"vis(?:ual|ion)")
_STORED = "PeftModel.from_pretrained"
_TEACHER = "teacher_model_name_or_path"
_SPREAD = ("balanced", "spread")
_REWARD = "reward_model_path"
_LOADED = "pretrained_model_name_or_path"
_SHARE = "gpu_memory_utilization"
_USUAL = 0.9
"""What vLLM takes where it is given no share (`EngineArgs`)."""
_OTHERWISE = frozenset(("config", "load_in_4bit", "load_in_8bit", "quantization_config"))
"""What makes another model of a teacher, or a smaller one."""
Arguments: TypeAlias = Callable[[ast.Call, Scope, str], Mapping[str, ast.expr]]


def reward_models(node: ast.expr | None, scope: Scope) -> list[ast.expr]:
    """A reward model that the trainer loads by its name; functions take nothing.

    Raises UnfollowedError where there are several.
    """
    if node is None:
        return []
    try:
        functions = scope.value(node)[0]
    except UnfollowedError:
        return []  # Which of its functions a program takes; a model would be loaded by name.
    each = functions.elts if isinstance(functions, (ast.List, ast.Tuple)) else [functions]
    named = [one for one in each if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if len(named) > 1:
        raise UnfollowedError("reward_funcs")
    return list(named)


def reference_of(
    node: ast.expr | None, scope: Scope, trained: Sequence[ast.Call]
) -> tuple[list[ast.Call], bool]:
    """What loads a reference like the model that is `trained`, and whether there is one.

    It may have the adapter of an earlier training. Raises UnfollowedError where it is another.
    """
    if node is None:
        return [], False
    node, scope = scope.value(node)
    if is_value(node, None):
        return [], False
    loads: list[ast.Call] = []
    if isinstance(node, ast.Call) and written(node.func) == _STORED:
        loads.append(node)
        named = {one.arg: one.value for one in node.keywords}
        model = node.args[0] if node.args else named.get("model")
        if model is None:
            raise UnfollowedError("ref_model")
        node, scope = scope.step(model, node.lineno)
    if not isinstance(node, ast.Call) or not trained:
        raise UnfollowedError("ref_model")
    same = written(node.func) == written(trained[0].func)
    if not same or given_to(node, scope) != given_to(trained[0], scope):
        raise UnfollowedError("ref_model")
    return [*loads, node], True


def teacher_of(
    node: ast.expr | None, scope: Scope, arguments: Arguments
) -> tuple[list[ast.Call], dict[str, tuple[ast.expr, Scope]]]:
    """What loads the teacher of a distillation, and the options of GKD's that would have it so.

    `arguments` are those of a call by name, where the first is the one that is named. Raises
    UnfollowedError where that is not known, or where it is quantized.
    """
    if node is None:
        return [], {}
    node, scope = scope.value(node)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and keeps(node):
        node, scope = scope.step(node.func.value, node.lineno)
    if not isinstance(node, ast.Call):
        if not is_name(node, scope):
            raise UnfollowedError("teacher_model")
        return [], {_TEACHER: (node, scope)}
    given = arguments(node, scope, _LOADED)
    if not _is_plain(node, given):
        raise UnfollowedError("teacher_model")
    told = {_TEACHER: (given[_LOADED], scope)}
    how: dict[str, ast.expr] = {}
    kind = next((given[name] for name in ("dtype", "torch_dtype") if name in given), None)
    if kind is not None:
        how["dtype"] = known_type(kind, scope)
    if "device_map" in given and placed(given["device_map"], scope) in _SPREAD:
        how["device_map"] = ast.Constant("auto")
    if how:
        loading = ast.Dict([*map(ast.Constant, how)], [*how.values()])
        told["teacher_model_init_kwargs"] = (ast.copy_location(loading, node), scope)
    return [node], told


def others_of(
    given: Mapping[str, ast.expr], scope: Scope, arguments: Arguments
) -> tuple[list[ast.Call], dict[str, tuple[ast.expr, Scope]]]:
    """A teacher, or PPO's judges: what loads them, and the options that would; as `teacher_of`.

    Its critic begins as the reward model, as in TRL's own program.
    """
    loads, told = teacher_of(given.get("teacher_model"), scope, arguments)
    for name in ("reward_model", "value_model"):
        if name not in given or is_value((found := scope.value(given[name]))[0], None):
            continue
        load, there = found
        words = arguments(load, there, _LOADED) if isinstance(load, ast.Call) else {}
        if not isinstance(load, ast.Call) or not _is_plain(load, words):
            raise UnfollowedError(name)
        first, at = told.setdefault(_REWARD, (words[_LOADED], there))
        if ast.dump(at.constant(first)) != ast.dump(there.constant(words[_LOADED])):
            raise UnfollowedError(name)
        loads.append(load)
    return loads, told


def _is_plain(load: ast.Call, given: Mapping[str, ast.expr]) -> bool:
    """Whether a call loads a model by a name, and in no other shape than it has."""
    stored = is_model(load) and written(load.func).endswith(".from_pretrained")
    return stored and _LOADED in given and not _OTHERWISE.intersection(given)


def engines_of(trainer: ast.Call, scope: Scope) -> float:
    """The share of a card that vLLM's engines hold which a program makes before the trainer.

    Judges that a reward asks, as a rule. One whose share is not known has vLLM's default; of more
    than programs have nothing is known.
    """
    if not makes(scope.tree, "LLM", "vllm"):
        return 0.0
    try:
        made = calls_before(trainer, scope, "LLM")
    except (LookupError, RecursionError):
        return 0.0
    return sum(_share(one, scope) for one in made if not let_go(one, trainer, scope.tree))


def _share(engine: ast.Call, scope: Scope) -> float:
    given = (one.value for one in engine.keywords if one.arg == _SHARE)
    try:
        share = scope.constant(next(given, ast.Constant(_USUAL)))
    except (LookupError, RecursionError):
        return _USUAL
    known = isinstance(share, ast.Constant) and share.value
    return known if isinstance(known, float) else _USUAL


def let_go(load: ast.Call, trainer: ast.Call, tree: ast.Module) -> bool:
    """Whether what a call loads is deleted (`del base`) before the trainer is made beside it."""
    for node in nodes(tree):
        held = getattr(node, "body", None)
        body: list[ast.stmt] = held if isinstance(held, list) else []
        for at, one in enumerate(body):
            if isinstance(one, ast.Assign) and one.value is load:
                return _deleted(written(one.targets[0]), body[at + 1 :], trainer)
    return False


def _deleted(name: str, later: Sequence[ast.stmt], trainer: ast.Call) -> bool:
    for one in later:
        if isinstance(one, ast.Delete) and name in map(written, one.targets):
            return True
        if any(part is trainer for part in ast.walk(one)):
            return False
    return False


def is_tower(node: ast.expr | None, scope: Scope) -> bool:
    """Whether what an adapter leaves out is a tower of images alone, or nothing."""
    if node is None:
        return True
    left_out, _ = scope.value(node)
    each = left_out.elts if isinstance(left_out, (ast.List, ast.Tuple)) else [left_out]
    return is_value(left_out, None) or all(_TOWER.search(ast.unparse(one)) for one in each)
