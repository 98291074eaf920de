"""What a program takes from mappings, files of settings, its command line and its environment."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar

from bot.frameworks.argparse_options import UNREADABLE
from bot.frameworks.program_run import ProgramRun, constant_of
from bot.frameworks.python_changes import changes, root_of
from bot.frameworks.python_source import UnfollowedError, written
from bot.frameworks.trl_arguments import ProgramOptions, parsing_call, program_options
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
_OPENS: Final = ("open", "io.open", "codecs.open", "Path", "pathlib.Path")
_SAME_FILE: Final = ("absolute", "expanduser", "open", "read", "read_text", "resolve")
"""Methods that give the same file, or what it holds."""
_OF_PATHS: Final = "os.path."
_SAME_PATH: Final = ("abspath", "expanduser", "normpath", "realpath")
_FOLDERS: Final = ("os.getcwd", "Path.cwd")
"""Where a program runs, which is taken for the repository's root."""
_MOST: Final = 20
"""Calls around the path of a file."""
_END: Final = 1 << 30


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

    def step(self, node: ast.expr, before: int) -> tuple[ast.expr, Self]:
        """What an expression stands for above a line."""

    def constant(self, node: ast.expr) -> ast.expr:
        """An expression as a constant, or what it stands for."""

    def module(self) -> Self:
        """The module itself."""

    def imported_module(self, name: str) -> Self | None:
        """The module that a name is."""

    def field_of(self, node: ast.Attribute, before: int) -> tuple[ast.expr, Self, int] | None:
        """A field of a class of the program's."""


S = TypeVar("S", bound=Around)
Known: TypeAlias = tuple[ast.expr, S, int]
"""An expression, where it stands, and the line above which its names count."""


def part(scope: S, node: ast.Attribute | ast.Subscript, before: int) -> Known[S] | None:
    """What an attribute or an item is; None where the program does not say.

    Raises UnfollowedError where it may be changed.
    """
    if isinstance(node, ast.Subscript):
        of = written(node.value)
        if of in _ENVIRONMENT:
            return _variable(scope, node.slice, None)
        if of == "sys.argv":
            number = _number(node.slice)
            return _known(scope, scope.run.word(number)) if number is not None else None
        return _item(scope, node.value, node.slice, before)
    if isinstance(node.value, ast.Name):
        module = scope.imported_module(node.value.id)
        if module is not None:
            return ast.Name(node.attr), module, _END
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
    if name in _HOLDS:
        return ast.Constant(True), scope, _END
    if not given:
        return _text_of(scope, call.func)
    if name.startswith(_OF_PATHS):
        return _of_path(scope, call)
    if name in _READS_VARIABLE:
        return _variable(scope, given[0], given[1] if len(given) > 1 else ast.Constant(None))
    if name in _READS_FILE:
        data = _data(scope, given[0], before)
        return None if data is None else (data, scope, _END)
    if name in _COPIES or (name in _SAME and len(given) == 1):
        return given[0], scope, before
    if isinstance(call.func, ast.Attribute) and call.func.attr == "get" and len(given) < 3:
        default = given[1] if len(given) > 1 else ast.Constant(None)
        return _item(scope, call.func.value, given[0], before, default)
    return _number_of(scope, name, given[0]) if name in _NUMBERS and len(given) == 1 else None


def _number_of(scope: S, kind: str, node: ast.expr) -> Known[S] | None:
    known = scope.constant(node)
    if isinstance(known, ast.Constant):
        with suppress(ValueError, TypeError, OverflowError):
            return ast.Constant(_NUMBERS[kind](known.value)), scope, _END
    return None


def _of_path(scope: S, call: ast.Call) -> Known[S] | None:
    """What a function of `os.path` gives back that asks for no file."""
    with suppress(UnfollowedError):
        if written(call.func) == "os.path.isabs":
            return ast.Constant(_path(scope, call.args[0], _END).startswith("/")), scope, _END
        return ast.Constant(_called_path(scope, call)), scope, _END
    return None


def divided(scope: S, node: ast.BinOp) -> Known[S] | None:
    """A path of `pathlib` as its text: `ROOT / "models"`; None for numbers."""
    try:
        path = posixpath.join(_path(scope, node.left, _END), _path(scope, node.right, _END))
    except UnfollowedError:
        return None
    return ast.Constant(path), scope, _END


def _text_of(scope: S, method: ast.expr) -> Known[S] | None:
    """What a method without arguments makes of a text."""
    if not isinstance(method, ast.Attribute) or method.attr not in _TEXTS:
        return None
    known = scope.constant(method.value)
    if not isinstance(known, ast.Constant) or not isinstance(known.value, str):
        return None
    return ast.Constant(_TEXTS[method.attr](known.value)), scope, _END


# Mappings


def _item(
    scope: S, holder: ast.expr, key: ast.expr, before: int, default: ast.expr | None = None
) -> Known[S] | None:
    """An item of a mapping or a list; None for what is neither."""
    try:
        found, there = scope.step(holder, before)
    except UnfollowedError:
        return None
    known = scope.constant(key) if isinstance(found, (ast.Dict, ast.List, ast.Tuple)) else None
    if not isinstance(known, ast.Constant):
        return None
    root, name = root_of(holder), str(known.value)
    if any(changes(tree).may_change(root, name) for tree in (scope.tree, there.tree)):
        raise UnfollowedError(written(holder))
    if not isinstance(found, ast.Dict):
        return _numbered(found.elts, known.value, there) if hasattr(found, "elts") else None
    if not all(isinstance(one, ast.Constant) for one in found.keys):
        raise UnfollowedError(written(holder))
    items = zip(found.keys, found.values, strict=True)
    same = [value for one, value in items if getattr(one, "value", None) == known.value]
    if same:
        return same[-1], there, _END
    return (default, scope, before) if default is not None else None


def _numbered(items: Sequence[ast.expr], number: Any, there: S) -> Known[S] | None:
    inside = isinstance(number, int) and -len(items) <= number < len(items)
    return (items[number], there, _END) if inside else None


AS_IT_IS: Final = (ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
"""What no constant is folded of, once it stands for nothing else."""


class Folded(ast.NodeTransformer):
    """An expression with the constants that its parts are; raises UnfollowedError."""

    def __init__(self, scope: Around) -> None:
        self._scope = scope

    def visit(self, node: ast.AST) -> ast.AST:
        """A part as a constant where it is one."""
        if not isinstance(node, AS_IT_IS[1:]):
            return self.generic_visit(node)
        known = self._scope.constant(node)
        return known if isinstance(known, ast.Constant) else node


def _number(node: ast.expr) -> int | None:
    number = node.value if isinstance(node, ast.Constant) else None
    return number if isinstance(number, int) else None


# The command line and the environment


def option_of(scope: S, node: ast.expr, before: int = _END) -> tuple[ProgramOptions, str, S] | None:
    """The option of the program's that an expression is (`args.lr`), and the module that has it."""
    if not isinstance(node, ast.Attribute):
        return None
    options = program_options(scope.tree, scope.node)
    name = options.attribute(node) if options is not None else None
    there = scope
    if name is None:
        try:
            made, there = scope.step(node.value, before)
        except UnfollowedError:
            return None
        if not isinstance(made, ast.Call) or made is not parsing_call(there.tree):
            return None
        options = program_options(there.tree, there.node)
        name = node.attr if options is not None and node.attr in options.options else None
    if options is None or name is None:
        return None
    return options, name, there


def given_word(scope: S, node: ast.expr) -> Word | None:
    """The word of the command line that an expression is, with what is not known of it."""
    option = option_of(scope, node)
    if option is None or option[1] in changes(scope.tree).attributes:
        return None
    answer = scope.run.option(*option[:2])
    return answer if isinstance(answer, Word) else None


def _option(scope: S, options: ProgramOptions, name: str, there: S) -> Known[S] | None:
    option = options.options[name]
    if name in changes(scope.tree).attributes:
        return None
    answer = scope.run.option(options, name)
    if answer == UNREADABLE and option.written is not None and not scope.run.gives(options, name):
        return option.written, there.module(), _END
    return _known(scope, answer, option.kind)


def _known(scope: S, answer: Any, kind: str = "str") -> Known[S] | None:
    value = constant_of(answer, kind)
    return None if value == UNREADABLE else (ast.Constant(value), scope, _END)


def _variable(scope: S, name: ast.expr, default: ast.expr | None) -> Known[S] | None:
    """What a variable of the environment holds, which the program does not set itself."""
    known = scope.constant(name)
    if not isinstance(known, ast.Constant) or str(known.value) in changes(scope.tree).keys:
        return None
    answer = scope.run.variable(str(known.value))
    if answer is None:
        return (default, scope, _END) if default is not None else None
    return _known(scope, answer)


# Files


def _data(scope: S, node: ast.expr, before: int) -> ast.expr | None:
    """What a file of settings holds: by its path, opened, or read as text."""
    for _ in range(_MOST):
        node, scope = scope.step(node, before)
        before = _END
        if not isinstance(node, ast.Call):
            break
        if written(node.func) in _OPENS and node.args:
            node = node.args[0]
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_FILE:
            node = node.func.value
        else:
            break
    try:
        return scope.run.files.settings(_path(scope, node, _END), scope.run.path)
    except UnfollowedError:
        return None


def _path(scope: S, node: ast.expr, before: int) -> str:
    """A path, from the repository's root where it begins with a file of its own."""
    node, scope = scope.step(node, before)
    if isinstance(node, ast.Name) and node.id == "__file__":
        return scope.path
    if isinstance(node, ast.Attribute) and node.attr == "parent":
        return _above(_path(scope, node.value, _END))
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        path, number = _path(scope, node.value.value, _END), _number(node.slice)
        if node.value.attr != "parents" or number is None or number not in range(_MOST):
            raise UnfollowedError(written(node))
        return posixpath.normpath(posixpath.join(path, *[".."] * (number + 1)))
    if isinstance(node, ast.Call) and not written(node.func).startswith(_OF_PATHS):
        return _called_path(scope, node)
    known = scope.constant(node)
    if not isinstance(known, ast.Constant) or not isinstance(known.value, str):
        raise UnfollowedError(written(node))
    return known.value


def _called_path(scope: S, call: ast.Call) -> str:
    name = written(call.func)
    last = name.rpartition(".")[2]
    if name in _FOLDERS:
        return ""
    given = [_path(scope, one, _END) for one in call.args]
    if last == "join" and given:
        return posixpath.join(*given)
    if last == "dirname" and len(given) == 1:
        return _above(given[0])
    if last in _SAME_PATH and len(given) == 1:
        return given[0]
    if isinstance(call.func, ast.Attribute) and last in (*_SAME_FILE, "joinpath"):
        return posixpath.join(_path(scope, call.func.value, _END), *given)
    raise UnfollowedError(name)


def _above(path: str) -> str:
    """The folder that a path stands in; of the root the one above it."""
    return posixpath.normpath(posixpath.join(path, ".."))
