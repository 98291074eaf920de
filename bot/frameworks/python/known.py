"""What a program takes from mappings, files of settings, its command line and its environment."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from bot.frameworks.python.argparse_options import UNREADABLE
from bot.frameworks.python.arguments import ProgramOptions, parsing_call, program_options
from bot.frameworks.python.around import END, Known, S, number_of
from bot.frameworks.python.changes import changes, root_of
from bot.frameworks.python.paths import OF_PATHS, data_of, of_path
from bot.frameworks.python.run import constant_of
from bot.frameworks.python.source import UnfollowedError, written
from bot.frameworks.python.statements import items_of
from bot.shell.words import Word

_SAME: Final = frozenset(("Path", "pathlib.Path", "str"))
"""What makes of a path no other one."""
_COPIES: Final = frozenset(
    (
        "AttrDict",
        "Box",
        "DictConfig",
        "DotMap",
        "EasyDict",
        "Munch",
        "OmegaConf.create",
        "OmegaConf.to_container",
        "copy.copy",
        "copy.deepcopy",
        "deepcopy",
        "dict",
        "edict",
    )
)
"""What makes a mapping with the same items."""
_READS_FILE: Final = frozenset(
    (
        "OmegaConf.load",
        "json.load",
        "json.loads",
        "yaml.full_load",
        "yaml.load",
        "yaml.safe_load",
        "yaml.unsafe_load",
    )
)
_ENVIRONMENT: Final = ("os.environ", "environ")
_READS_VARIABLE: Final = ("os.environ.get", "os.getenv", "environ.get", "getenv")
_NUMBERS: Final = {"bool": bool, "float": float, "int": int}
_TEXTS: Final[Mapping[str, Callable[[str], str]]] = {
    "lower": str.lower,
    "strip": str.strip,
    "upper": str.upper,
}
_HOLDS: Final = (
    "torch.cuda.is_available",
    "torch.cuda.is_bf16_supported",
    "is_torch_bf16_gpu_available",
)
"""What holds on each card that trains; older ones than bf16 torch emulates."""
_HOLDS_OF_TORCH: Final = ("cuda.is_available", "cuda.is_bf16_supported")
"""Of these the ones that a program calls by another name of the module, too."""
_FAILS: Final = (
    "torch.xpu.is_available",
    "torch.backends.mps.is_available",
    "is_torch_xpu_available",
)
"""What holds on none of the cards that are known here."""
_ASKED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], object]]] = {
    ast.Eq: operator.eq,
    ast.Is: operator.eq,
    ast.NotEq: operator.ne,
    ast.IsNot: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def part(scope: S, node: ast.Attribute | ast.Subscript, before: int) -> Known[S] | None:
    """What an attribute or an item is; None where the program does not say.

    Raises UnfollowedError where it may be changed.
    """
    if isinstance(node, ast.Subscript):
        of = written(node.value)
        if of in _ENVIRONMENT:
            return _variable(scope, node.slice, None)
        if of == "sys.argv":
            number = number_of(node.slice)
            return _known(scope, scope.run.word(number)) if number is not None else None
        return _item(scope, node.value, node.slice, before)
    if isinstance(node.value, ast.Name):
        module = scope.imported_module(node.value.id)
        if module is not None:
            return ast.Name(node.attr), module, END
    option = option_of(scope, node, before)
    if option is not None:
        return _option(scope, *option)
    try:
        field = scope.field_of(node, before)
    except UnfollowedError:
        return None
    return field or _item(scope, node.value, ast.Constant(node.attr), before)


def called(scope: S, call: ast.Call, before: int) -> Known[S] | None:
    """What a call gives back that is none of the program's functions; None for most.

    Known are what reads a file of settings or a variable of the environment, copies a mapping or
    makes a number of a text.
    """
    name, given = written(call.func), call.args
    if name in _FAILS or name in _HOLDS or name.partition(".")[2] in _HOLDS_OF_TORCH:
        return ast.Constant(name not in _FAILS), scope, END
    if not given:
        return _mapping(scope, call, before) if name == "dict" else _text_of(scope, call.func)
    if name.startswith(OF_PATHS):
        return of_path(scope, call)
    if name == "len" and written(given[0]) == "sys.argv":
        return _known(scope, scope.run.words())
    if name in _READS_VARIABLE:
        return _variable(scope, given[0], given[1] if len(given) > 1 else ast.Constant(None))
    if name in _READS_FILE:
        data = data_of(scope, given[0], before, resolved=name.startswith("OmegaConf"))
        return None if data is None else (data, scope, END)
    if name in _COPIES or (name in _SAME and len(given) == 1):
        return given[0], scope, before
    if isinstance(call.func, ast.Attribute) and call.func.attr == "get" and len(given) < 3:
        default = given[1] if len(given) > 1 else ast.Constant(None)
        return _item(scope, call.func.value, given[0], before, default)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "split":
        return _split(scope, call.func.value, given[0])
    return _number_of(scope, name, given[0]) if name in _NUMBERS and len(given) == 1 else None


def _number_of(scope: S, kind: str, node: ast.expr) -> Known[S] | None:
    known = scope.constant(node)
    if isinstance(known, ast.Constant):
        with suppress(ValueError, TypeError, OverflowError):
            return ast.Constant(_NUMBERS[kind](known.value)), scope, END
    return None


def compared(one: ast.expr, how: ast.cmpop, other: ast.expr) -> bool | None:
    """Whether two constants compare so, or one is in a list or mapping; None for anything else."""
    if isinstance(how, (ast.Is, ast.IsNot)) and is_object(one):
        return isinstance(how, ast.IsNot)  # A new object is no other one, and not None.
    if not isinstance(one, ast.Constant):
        return None
    if isinstance(how, (ast.In, ast.NotIn)):
        if isinstance(other, ast.Constant) and isinstance(other.value, list):
            return (one.value in other.value) is isinstance(how, ast.In)
        known = other.keys if isinstance(other, ast.Dict) else [None]
        keys = [key.value for key in known if isinstance(key, ast.Constant)]
        there = (one.value in keys) is isinstance(how, ast.In)
        return there if len(keys) == len(known) else None
    asked = _ASKED.get(type(how))
    if asked is None or not isinstance(other, ast.Constant):
        return None
    try:
        return bool(asked(one.value, other.value))
    except TypeError:
        return None


def is_object(node: ast.expr) -> bool:
    """Whether an expression makes an object of a class: `BitsAndBytesConfig(load_in_4bit=True)`."""
    name = written(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    return name[:1].isupper()


def stripped(scope: S, node: ast.ListComp, before: int) -> Known[S] | None:
    """The items of a list of texts without blanks: `[x.strip() for x in names.split(",")]`."""
    one = node.generators[0]
    name = written(one.target)
    ways = {name, f"{name}.strip()"}
    if len(node.generators) > 1 or not ways.issuperset(map(written, (node.elt, *one.ifs))):
        return None
    items, there = scope.step(one.iter, before)
    known = [there.constant(item) for item in getattr(items, "elts", ())]
    texts = [item.value for item in known if isinstance(item, ast.Constant)]
    if not isinstance(items, (ast.List, ast.Tuple)) or not all(isinstance(t, str) for t in texts):
        return None
    if len(texts) < len(items.elts):
        return None
    bare = written(node.elt) == name
    kept = [str(text) if bare else str(text).strip() for text in texts]
    return ast.List([ast.Constant(t) for t in kept if t or not one.ifs], ast.Load()), scope, END


def _split(scope: S, text: ast.expr, at: ast.expr) -> Known[S] | None:
    """The parts of a text: `names.split(",")`."""
    known, by = scope.constant(text), scope.constant(at)
    if not isinstance(known, ast.Constant) or not isinstance(by, ast.Constant):
        return None
    if not isinstance(known.value, str) or not isinstance(by.value, str) or not by.value:
        return None
    parts = known.value.split(by.value)
    return ast.List([ast.Constant(one) for one in parts], ast.Load()), scope, END


def _text_of(scope: S, method: ast.expr) -> Known[S] | None:
    """What a method without arguments makes of a text."""
    if not isinstance(method, ast.Attribute) or method.attr not in _TEXTS:
        return None
    known = scope.constant(method.value)
    if not isinstance(known, ast.Constant) or not isinstance(known.value, str):
        return None
    return ast.Constant(_TEXTS[method.attr](known.value)), scope, END


# Mappings


def _mapping(scope: S, call: ast.Call, before: int) -> Known[S] | None:
    """The mapping that `dict(name="…", size=8)` is."""
    if not all(one.arg for one in call.keywords):
        return None
    keys: list[ast.expr | None] = [ast.Constant(one.arg) for one in call.keywords]
    return ast.Dict(keys, [one.value for one in call.keywords]), scope, before


def _item(
    scope: S, holder: ast.expr, key: ast.expr, before: int, default: ast.expr | None = None
) -> Known[S] | None:
    """An item of a mapping or a list; None for what is neither."""
    try:
        found, there = scope.step(holder, before)
    except UnfollowedError:
        return None
    known = scope.constant(key) if isinstance(found, (ast.Dict, ast.List, ast.Tuple)) else None
    if not isinstance(known, ast.Constant) or not isinstance(known.value, Hashable):
        return None
    root, name = root_of(holder), str(known.value)
    if any(changes(tree).may_change(root, name) for tree in (scope.tree, there.tree)):
        merged = _merged(scope, holder, known.value, there)
        if merged is not None:
            return merged
    if not isinstance(found, ast.Dict):
        return _numbered(found.elts, known.value, there) if hasattr(found, "elts") else None
    items = items_of(found)
    if items is None:
        raise UnfollowedError(written(holder))
    if known.value in items:
        return items[known.value], there, END
    return (default, scope, before) if default is not None else None


def _merged(scope: S, holder: ast.expr, key: Any, there: S) -> Known[S] | None:
    """The item of a mapping that the module has put into the holder; None where none has the key.

    Raises UnfollowedError where something else may have changed it.
    """
    root, module, made = root_of(holder), scope.module(), changes(scope.tree)
    if there.node is not module.node or not made.only_merges(root, str(key)):
        raise UnfollowedError(written(holder))
    for node in reversed(made.merged[root] if isinstance(holder, ast.Name) else ()):
        if getattr(holder, "lineno", 0) <= node.lineno:
            raise UnfollowedError(written(holder))
        found, where = module.step(node, END)
        items = items_of(found) if isinstance(found, ast.Dict) else None
        if items is None:
            raise UnfollowedError(written(holder))
        if key in items:
            return items[key], where, END
    return None


def _numbered(items: Sequence[ast.expr], number: Any, there: S) -> Known[S] | None:
    inside = isinstance(number, int) and -len(items) <= number < len(items)
    return (items[number], there, END) if inside else None


# The command line and the environment


def option_of(scope: S, node: ast.expr, before: int = END) -> tuple[ProgramOptions, str, S] | None:
    """The option of the program's that an expression is (`args.lr`), and the module that has it."""
    if not isinstance(node, ast.Attribute):
        return None
    try:
        made, there = scope.step(node.value, before)
    except UnfollowedError:
        return None
    if isinstance(made, ast.Subscript):  # parser.parse_args_into_dataclasses()[0]
        made = made.value
    parsed = scope.run.parsed
    if parsed is not None and made is parsed[0]:
        options: ProgramOptions | None = parsed[1]
    elif isinstance(made, ast.Call) and made is parsing_call(there.tree):
        options = program_options(there.tree)
    else:
        return None
    known = options is not None and node.attr in options.options
    return (options, node.attr, there) if known and options is not None else None


def given_word(scope: S, node: ast.expr) -> Word | None:
    """The word of the command line that an expression is, with what is not known of it."""
    option = option_of(scope, node)
    if option is None or option[1] in changes(scope.tree).attributes:
        return None
    answer = scope.run.option(*option[:2])
    return answer if isinstance(answer, Word) else None


def _option(scope: S, options: ProgramOptions, name: str, there: S) -> Known[S] | None:
    option = options.options[name]
    if any(name in changes(tree).attributes for tree in (scope.tree, there.tree)):
        return None
    answer = scope.run.option(options, name)
    if answer == UNREADABLE and option.written is not None and not scope.run.gives(options, name):
        return option.written, there.module(), END
    return _known(scope, answer, option.kind)


def _known(scope: S, answer: Any, kind: str = "str") -> Known[S] | None:
    value = constant_of(answer, kind)
    return None if value == UNREADABLE else (ast.Constant(value), scope, END)


def _variable(scope: S, name: ast.expr, default: ast.expr | None) -> Known[S] | None:
    """What a variable of the environment holds, which the program does not set itself."""
    known = scope.constant(name)
    if not isinstance(known, ast.Constant) or str(known.value) in changes(scope.tree).keys:
        return None
    answer = scope.run.variable(str(known.value))
    if answer is None:
        return (default, scope, END) if default is not None else None
    return _known(scope, answer)
