"""A composed Hydra configuration as a tree, and what single overrides do to it.

Mappings are dicts, lists are lists, `???` is a mandatory value, `${…}` refers to another setting.
The rules are those of `OmegaConf.select`, `OmegaConf.update` and Hydra's
`ConfigLoaderImpl._apply_overrides_to_config` (hydra-core 1.3, omegaconf 2.3), for configurations in
struct mode without typed nodes, as all of verl's are. Trees are never changed in place: they are
shared between tables.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from bot.base.digits import whole_number
from bot.base.regex import regex
from bot.frameworks.settings.key_table import Status
from bot.frameworks.settings.setting import UNKNOWN

YamlTree: TypeAlias = dict[str, Any]
"""A configuration, or a part of it."""

MISSING: Final = "???"
_DEPTH = 12
"""References that refer to references: as many as any release needs, and no loop."""

_REFERENCE = regex(r"\$\{(\.*[A-Za-z_][A-Za-z0-9_.@/-]*)\}\Z")
_SELECT = regex(r"\$\{oc\.select:\s*([A-Za-z_][\w.]*)\s*(?:,([^{}]*))?\}\Z")
_NUMBER = regex(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?\Z")


class _Absent:
    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""No node stands there."""


class CannotPutError(Exception):
    """The configuration refuses an override."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


def is_reference(value: object) -> bool:
    """True for a value that refers to others, such as `${trainer.nnodes}`."""
    return isinstance(value, str) and "${" in value


def child(node: Any, part: str) -> Any:
    """The node below a mapping or list, ABSENT when there is none; a list takes indices alone."""
    if isinstance(node, dict):
        return node.get(part, ABSENT)
    if isinstance(node, list):
        if not re.fullmatch(r"[+-]?[0-9]+", part):
            raise CannotPutError("invalid")
        index = whole_number(part)
        return node[index] if index is not None and 0 <= index < len(node) else ABSENT
    return ABSENT


def lookup(tree: YamlTree, key: str) -> Any:
    """The node as written, references left as they are; ABSENT when there is none."""
    node: Any = tree
    for part in key.split("."):
        if not isinstance(node, dict):
            return ABSENT
        node = node.get(part, ABSENT)
    return node


def resolve(tree: YamlTree, value: Any, path: tuple[str, ...], depth: int = 0) -> Any:
    """What a reference stands for: UNKNOWN when only a run decides it, ABSENT for nothing.

    `path` is where the value stands, for relative references.
    """
    if not is_reference(value):
        return value
    if depth > _DEPTH:
        return ABSENT
    if found := _REFERENCE.match(value):
        inner = found[1]
        dots = len(inner) - len(inner.lstrip("."))
        if dots:
            base = path[: len(path) - dots] if dots <= len(path) else ()
            inner = ".".join((*base, inner[dots:]))
        return select(tree, inner, depth + 1)
    if found := _SELECT.match(value):
        selected = select(tree, found[1], depth + 1)
        if selected is ABSENT or selected == MISSING:
            return primitive(found[2].strip()) if found[2] is not None else None
        return selected
    return UNKNOWN if _is_one_reference(value) else value


def _is_one_reference(text: str) -> bool:
    """Whether a `${…}` fills the whole text; references inside a text always give a string."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if depth == 0 and char == "}":
            return text.startswith("${") and at == len(text) - 1
    return False


def select(tree: YamlTree, key: str, depth: int = 0) -> Any:
    """The value that `key` has with references followed; ABSENT when there is none."""
    node: Any = tree
    parts = key.split(".")
    for at, part in enumerate(parts):
        if isinstance(node, dict):
            node = node.get(part, ABSENT)
        elif isinstance(node, list):
            node = child(node, part)
        else:
            return UNKNOWN if node is UNKNOWN else ABSENT
        if isinstance(node, str) and "${" in node:
            node = resolve(tree, node, tuple(parts[: at + 1]), depth)
    return node


def primitive(text: str) -> Any:
    """What OmegaConf makes of a text that is no reference."""
    lowered = text.lower()
    if lowered in ("null", ""):
        return None if lowered else ""
    if lowered in ("true", "false"):
        return lowered == "true"
    if _NUMBER.match(text):
        number = float(text) if re.search(r"[.eE]", text) else whole_number(text)
        return UNKNOWN if number is None else number
    return UNKNOWN if text[:1] in "[{" else text.strip("'\"")


def put(tree: YamlTree, key: str, value: Any, *, force: bool) -> YamlTree:
    """The tree with `key` set, as `OmegaConf.update(merge=True, force_add=force)` does.

    Without `force` the key must be there (struct mode). Dicts are merged into mappings; a setting
    on the way that is no mapping is replaced by an empty one, which without `force` then refuses
    the rest of the key. Raises `CannotPutError`.
    """
    result = _put(tree, key.split("."), value, force)
    if not isinstance(result, dict):
        raise TypeError("the root of a configuration is a mapping")
    return result


class Draft:
    """A tree of one's own to set many keys in: what of it is shared is copied once, then changed.

    `tree` is what `put` and `drop` would have given.
    """

    def __init__(self, tree: YamlTree) -> None:
        self.tree = dict(tree)
        self._own: dict[str, YamlTree] = {}
        """The mappings below it that are not shared, by their keys."""

    def put(self, key: str, value: Any, *, force: bool) -> None:
        """As the function does; raises `CannotPutError` before anything is changed."""
        above, dot, last = key.rpartition(".")
        node = self._own.get(above) if dot else self.tree
        if node is None:
            node = self._mapping(above)
        mapping = isinstance(value, dict) or node is None or isinstance(node.get(last), dict)
        if node is not None and not mapping and (force or last in node):
            node[last] = value
        else:
            self._become(put(self.tree, key, value, force=force))

    def drop(self, key: str) -> None:
        """As the function does."""
        self._become(drop(self.tree, key))

    def _become(self, tree: YamlTree) -> None:
        self.tree, self._own = tree, {}

    def _mapping(self, key: str) -> YamlTree | None:
        """The mapping at a key, of one's own from now on; None where none stands there."""
        if (known := self._own.get(key)) is not None:
            return known
        above, dot, last = key.rpartition(".")
        node = self._mapping(above) if dot else self.tree
        shared = node.get(last) if node is not None else None
        if node is None or not isinstance(shared, dict):
            return None
        node[last] = own = self._own[key] = dict(shared)
        return own


def _put(node: Any, parts: list[str], value: Any, force: bool) -> Any:
    part, rest = parts[0], parts[1:]
    old = child(node, part)
    if old is ABSENT and (not force or isinstance(node, list)):
        raise CannotPutError("unknown" if isinstance(node, dict) else "invalid")
    if not rest:
        new = _merge(old, value, force) if isinstance(value, (dict, list)) else value
    elif isinstance(old, (dict, list)):
        new = _put(old, rest, value, force)
    elif force:
        new = _put({}, rest, value, force)
    else:
        raise CannotPutError("unknown" if old is ABSENT else "below-leaf")
    if isinstance(node, list):
        index = int(part)
        return [*node[:index], new, *node[index + 1 :]]
    return {**node, part: new}


def _merge(old: Any, value: Any, force: bool) -> Any:
    """`DictConfig.merge_with`: new keys below a mapping need `force`; lists are replaced."""
    if isinstance(old, dict) and isinstance(value, dict):
        merged = dict(old)
        for name, item in value.items():
            there = old.get(name, ABSENT)
            if there is ABSENT and not force:
                raise CannotPutError("unknown")
            merged[name] = _merge(there, item, force) if isinstance(item, (dict, list)) else item
        return merged
    if isinstance(old, (dict, list)) and type(old) is not type(value):
        raise CannotPutError("invalid")
    return value


def drop(tree: YamlTree, key: str) -> YamlTree:
    """The tree without `key`; raises `CannotPutError` when it goes through a list."""
    part, _, rest = key.partition(".")
    if not rest:
        return {name: node for name, node in tree.items() if name != part}
    below = tree.get(part)
    if isinstance(below, list):
        # Hydra hands the index to the list as text, which the list refuses.
        raise CannotPutError("invalid")
    return {**tree, part: drop(below, rest)} if isinstance(below, dict) else tree


def overlay(base: Any, first: Any, second: Any) -> tuple[Any, bool]:
    """Both changes that `first` and `second` are of `base`, and whether they stay apart.

    Where they do not, the second wins.
    """
    if first in (base, second):
        return second, True
    if second == base:
        return first, True
    if not (isinstance(base, dict) and isinstance(first, dict) and isinstance(second, dict)):
        return second, False
    merged: YamlTree = {}
    apart = True
    for name in (*first, *(name for name in second if name not in first)):
        node, ok = overlay(
            base.get(name, ABSENT), first.get(name, ABSENT), second.get(name, ABSENT)
        )
        apart = apart and ok
        if node is not ABSENT:
            merged[name] = node
    return merged, apart
