"""The settings of a program that OmegaConf makes of dataclasses, as EasyR1's trainer.

`OmegaConf.merge(OmegaConf.structured(PPOConfig()), file, OmegaConf.from_cli())` takes the fields of
the class, and of the classes that those are of, and refuses every other key; `key=value` words are
YAML, so that Hydra's grammar does not count. The classes are read as syntax trees, never imported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from bot.base.messages import message
from bot.base.regex import regex
from bot.base.yaml_size import MISFITS
from bot.frameworks.python.source import parsed, written
from bot.frameworks.settings.key_table import OK, Key, KeyTable, KeyVerdict, refusal
from bot.frameworks.settings.setting import UNKNOWN, BadArgument, Setting
from bot.report import JsonValue

_FILE: Final = "config"
"""The key that names the YAML file, which the program takes out before it merges."""
_DEEPEST: Final = 12
_MOST: Final = 1_000
_TYPES: Final = ("int", "float", "bool", "str")
_BOOLEANS: Final = frozenset(("yes", "y", "on", "true", "no", "n", "off", "false"))
"""The texts that OmegaConf takes for a boolean, in any case."""
_LIST: Final = regex(r"[A-Za-z][\w.-]{0,80}(?:,[A-Za-z][\w.-]{0,80}){1,40}\Z")
"""Words that are a list to the program, and a text to YAML: `q_proj,k_proj`."""
_LONGEST: Final = 400
"""Characters of a value that is judged."""


class StructuredTable(KeyTable):
    """The fields of dataclasses."""

    def __init__(
        self, version: str, root: str, keys: dict[str, Key], optional: Collection[str] = ()
    ) -> None:
        """`version` says whose fields they are, `root` is the outermost class.

        `optional` are the fields that may be null.
        """
        self.version = version
        self.root = root
        self._optional = frozenset(optional)
        self._keys = {**keys, _FILE: Key(_FILE, "str", None)}

    def get(self, key: str) -> Key | None:
        """The field."""
        return self._keys.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def verdict(self, setting: Setting) -> KeyVerdict:
        """Whether OmegaConf takes the key, and the value at it."""
        if setting.operator:  # To OmegaConf it is a part of the key.
            return refusal("unknown", suggestion=setting.key)
        parts = setting.key.split(".")
        for end in range(1, len(parts) + 1):
            found = self._keys.get(".".join(parts[:end]))
            if found is None:
                return refusal("unknown", suggestion=self.nearest(setting.key))
            if found.free or (end < len(parts) and found.type != "dict"):
                return OK  # Below a mapping, or a value whose type is not read, anything may stand.
        wrong = self._wrong(setting)
        return OK if wrong is None else refusal("invalid", wrong, names_key=False)

    def _wrong(self, setting: Setting) -> str | None:
        """What OmegaConf's conversion to the field's type says to a value; None where it may do."""
        kind, text = self._keys[setting.key].type, setting.text
        if kind not in (*_TYPES, "dict") or "${" in text or len(text) > _LONGEST:
            return None
        value = _yaml_value(text)
        if value == "???":
            return None
        if value is None:
            if setting.key in self._optional:
                return None
            return message("it cannot be null") if text else message("it cannot be empty")
        shown = text if len(text) <= 60 else f"{text[:59]}…"
        if kind == "int" and not _is_whole(value):
            return message("a whole number belongs here, not {value}", value=shown)
        if kind == "float" and not _is_number(value):
            return message("a number belongs here, not {value}", value=shown)
        if kind == "bool" and not _is_boolean(value):
            return message("true or false belongs here, not {value}", value=shown)
        return None

    def verdicts(self, settings: Sequence[Setting]) -> tuple[KeyVerdict, ...]:
        """As `verdict`: one setting has no effect on another."""
        return tuple(map(self.verdict, settings))


def yaml_settings(words: Iterable[BadArgument]) -> Iterator[Setting]:
    """The settings in words that Hydra's grammar does not take; of their values lists are read."""
    for bad in words:
        key, equals, text = bad.word.text.partition("=")
        if equals and key:
            place = bad.word.span_of(0, len(key))
            value = bad.word.span_of(len(key) + 1, len(bad.word.text))
            known = text if _LIST.match(text) else UNKNOWN
            yield Setting(key, known, text, "", bad.word, place, value)


def _yaml_value(text: str) -> object:
    """A value as OmegaConf reads it off a command line; text that is no YAML is a text."""
    import yaml

    from bot.frameworks.files.quick_yaml import omegaconf_class

    try:
        found: object = yaml.load(text, Loader=omegaconf_class())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, *MISFITS):
        return text
    return found


def _is_whole(value: object) -> bool:
    """As `IntegerNode`: a fraction, also 1.0, and a boolean are refused."""
    return type(value) in (int, str) and _converts(int, value)


def _is_number(value: object) -> bool:
    return type(value) in (int, float, str) and _converts(float, value)


def _is_boolean(value: object) -> bool:
    if isinstance(value, str):
        return value.lower() in _BOOLEANS or _converts(int, value)
    return isinstance(value, int)


def _converts(kind: Callable[[Any], object], value: object) -> bool:
    try:
        kind(value)
    except (ValueError, OverflowError):
        return False
    return True


def structured_table(main: str, sources: Iterable[str], version: str) -> StructuredTable | None:
    """The fields of the class that a main module hands to `OmegaConf.structured`.

    `sources` are the files in which the classes may stand. None for a module without such a call,
    and where a class is defined twice or has a base that is not in the files.
    """
    root = _root(main)
    if root is None:
        return None
    classes: dict[str, ast.ClassDef] = {}
    for tree in filter(None, map(parsed, sources)):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                if node.name in classes:
                    return None
                classes[node.name] = node
    try:
        fields = list(_fields(root, classes, "", 0, iter(range(_MOST))))
    except KeyError:
        return None
    optional = {key.name for key, may_be_null in fields if may_be_null}
    return StructuredTable(version, root, {key.name: key for key, _ in fields}, optional)


def _root(main: str) -> str | None:
    tree = parsed(main) if "structured" in main else None
    for node in ast.walk(tree) if tree is not None else ():
        if (
            isinstance(node, ast.Call)
            and written(node.func) == "OmegaConf.structured"
            and len(node.args) == 1
        ):
            given = node.args[0].func if isinstance(node.args[0], ast.Call) else node.args[0]
            return given.id if isinstance(given, ast.Name) else None
    return None


def _fields(
    name: str, classes: dict[str, ast.ClassDef], above: str, depth: int, left: Iterator[int]
) -> Iterator[tuple[Key, bool]]:
    """The fields of a class and below, and whether each may be null.

    `left` has a number for each class that may still be read, as often as another one names it.

    Raises KeyError for a class that is not known.
    """
    if depth > _DEEPEST or next(left, None) is None:
        raise KeyError(name)
    node = classes[name]
    for base in node.bases:
        yield from _fields(written(base), classes, above, depth + 1, left)
    for one in node.body:
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        key = above + one.target.id
        kind, optional = _annotation(one.annotation)
        if kind in classes:
            yield Key(key, "dict", None), optional
            yield from _fields(kind, classes, f"{key}.", depth + 1, left)
        elif kind.lower().startswith(("dict", "any")):
            yield Key(key, "dict", None, free=True), True
        else:
            yield Key(key, kind if kind in _TYPES else "any", _default(one.value)), optional


def _default(node: ast.expr | None) -> JsonValue:
    """A field's default where it is written as a number, a text or a truth; else None."""
    if isinstance(node, ast.Call):
        node = next((one.value for one in node.keywords if one.arg == "default"), None)
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    constant = node.operand if isinstance(node, ast.UnaryOp) and negative else node
    value = constant.value if isinstance(constant, ast.Constant) else None
    if isinstance(value, (int, float)) and negative:
        return -value
    return value if isinstance(value, (bool, int, float, str)) else None


def _annotation(node: ast.expr) -> tuple[str, bool]:
    """A field's type without `Optional`, and whether it may be null."""
    text = written(node)
    if text.startswith("Optional["):
        return text.removeprefix("Optional[").removesuffix("]"), True
    parts = [part.strip() for part in text.split("|")]
    if "None" in parts and len(parts) == 2:
        return next((part for part in parts if part != "None"), ""), True
    return text, False
