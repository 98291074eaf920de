"""Options that transformers' `HfArgumentParser` makes of dataclasses, read off sources with `ast`.

Follows `HfArgumentParser._parse_dataclass_field` (transformers 4 and 5, and the copy in TRL 1):
each field is an option; `bool` takes an optional value, and one that is True by default has a
`--no_…` twin; `Literal` and enumerations are choices; `list[T]` takes one value or more. Nothing is
imported: classes are found by name among the files given, whose earlier ones come first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

UNREADABLE = "${computed}"
"""A default that only running the program gives."""
_PARSERS = ("TrlParser", "HfArgumentParser", "ArgumentParserPlus")
_KINDS = {"int": "int", "float": "float", "str": "str", "bool": "bool"}
_ENUMS = ("Enum", "StrEnum", "ExplicitEnum", "IntEnum")


@dataclass(frozen=True)
class Sources:
    """Modules read as syntax trees: path → tree."""

    trees: Mapping[str, ast.Module]
    none_is_a_word: bool = False
    """Whether the parser takes `none` for an optional number."""
    classes: dict[str, list[tuple[str, ast.ClassDef]]] = field(default_factory=dict)
    aliases: dict[str, ast.expr] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, str]) -> Sources:
        """The sources of some files; those whose text cannot hold a dataclass are left out."""
        trees = {path: ast.parse(text) for path, text in files.items()}
        found = cls(trees, any("def _accept_none" in text for text in files.values()))
        for path, tree in trees.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    found.classes.setdefault(node.name, []).append((path, node))
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    found.aliases.setdefault(node.targets[0].id, node.value)
        return found

    def find(self, name: str, path: str) -> tuple[str, ast.ClassDef] | None:
        """A class by the name that a file knows it under: its own, an imported one, else any."""
        *owner, last = name.split(".")
        imported = list(self._imported(path, owner[-1] if owner else last))
        # `from .ppo import PPOConfig as _PPOConfig`, as TRL 0.26 to 0.28 has of what it moved.
        own = last if owner else next((real for real, _ in imported), last)
        known = self.classes.get(own, [])
        here = [path.removesuffix(".py")] if own == last else []
        places = [*here, *(place for _, place in imported)]
        # A module, or else one of a package's, which hands its names on.
        for part in ("{}.py", "{}/"):
            for place in places:
                for item in known:
                    if f"/{part.format(place)}" in f"/{item[0]}":
                        return item
        return known[0] if known else None

    def _imported(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """What a name is where the imports of a file take it from, and the files it may be in."""
        if path not in self.trees:
            return
        for node in ast.walk(self.trees[path]):
            if not (isinstance(node, ast.ImportFrom) and node.module):
                continue
            for alias in node.names:
                if name in (alias.name, alias.asname):
                    for module in (node.module.lstrip("."), f"{node.module}.{alias.name}"):
                        yield alias.name, module.replace(".", "/")


def parsed_classes(tree: ast.Module) -> list[str] | None:
    """The names of the classes that a script hands to its parser; None when it makes no parser."""
    named: dict[str, ast.expr] = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _last(node.func) in _PARSERS and node.args):
            continue
        given: ast.expr | None = node.args[0]
        if isinstance(given, ast.Name) and given.id in named:
            given = named[given.id]
        if isinstance(given, ast.Tuple | ast.List):
            return [ast.unparse(item) for item in given.elts]
        if isinstance(given, ast.Name | ast.Attribute):
            return [ast.unparse(given)]
    return None


def options_of_classes(sources: Sources, path: str, names: Iterable[str]) -> dict[str, list[Any]]:
    """Option → `[dest, type, arity, default, choices]`; raises `KeyError` for an unknown class."""
    options: dict[str, list[Any]] = {}
    for name in names:
        found = sources.find(name, path)
        if found is None:
            raise KeyError(name)
        for where, item in _fields(sources, *found).values():
            for option, row in _options(sources, where, item):
                options[option] = row
    return options


def _fields(
    sources: Sources, path: str, node: ast.ClassDef
) -> dict[str, tuple[str, ast.AnnAssign]]:
    """The fields of a dataclass and its bases; a base outside the sources has none."""
    fields: dict[str, tuple[str, ast.AnnAssign]] = {}
    for base in reversed(node.bases):
        found = sources.find(ast.unparse(base), path)
        if found is not None and found[1] is not node:
            fields |= _fields(sources, *found)
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            annotation = ast.unparse(item.annotation)
            if "ClassVar" not in annotation and "InitVar" not in annotation:
                fields[item.target.id] = (path, item)
    return fields


def _options(sources: Sources, path: str, item: ast.AnnAssign) -> Iterator[tuple[str, list[Any]]]:
    name = ast.unparse(item.target)
    given: dict[str, ast.expr] = {}
    if isinstance(item.value, ast.Call) and _last(item.value.func) in ("field", "HfArg"):
        given = {word.arg: word.value for word in item.value.keywords if word.arg}
        default = _default(given)
    else:
        default = _value(item.value) if item.value is not None else None
    if _value(given.get("init")) is False:
        return
    if isinstance(default, str) and default.startswith("${enum:"):
        default = _member(sources, path, default)
    kind, arity, choices = _type(sources, path, item.annotation)
    if kind == "bool" and (not _optional(item.annotation) or isinstance(default, bool)):
        arity, default = "?", False if item.value is None else default
    metadata = _metadata(given.get("metadata"))
    if isinstance(metadata.get("choices"), list):
        choices = metadata["choices"]
    if metadata.get("nargs") == "?":  # The parser takes the rest of the metadata as it is.
        arity = "?true" if metadata.get("const") is True and kind != "bool" else "?"
    row = [name, kind, arity, default, choices]
    yield name, row
    aliases = metadata.get("aliases", _value(given.get("aliases")))
    for alias in [aliases] if isinstance(aliases, str) else aliases or []:
        if isinstance(alias, str) and alias.startswith("--"):
            yield alias[2:], row
    if kind == "bool" and default is True:
        yield f"no_{name}", [name, "off", "0", True, None]


def _metadata(node: ast.expr | None) -> dict[Any, Any]:
    """What `field(metadata={…})` holds, as far as it is written out."""
    if not isinstance(node, ast.Dict):
        return {}
    return {_value(key): _value(value) for key, value in zip(node.keys, node.values, strict=True)}


def _default(given: Mapping[str, ast.expr]) -> Any:
    if "default" in given:
        return _value(given["default"])
    factory = given.get("default_factory")
    if isinstance(factory, ast.Lambda):
        return _value(factory.body)
    return {"list": [], "dict": {}}.get(_last(factory), UNREADABLE) if factory else None


def _member(sources: Sources, path: str, text: str) -> Any:
    """The value of `IntervalStrategy.NO`, written as "${enum:IntervalStrategy.NO}"."""
    name, _, member = text[7:-1].rpartition(".")
    return dict(_members(sources, path, name)).get(member, UNREADABLE)


def _members(sources: Sources, path: str, name: str) -> list[tuple[str, Any]]:
    found = sources.find(name, path)
    if found is None or not any(_last(base) in _ENUMS for base in found[1].bases):
        return []
    return [
        (item.targets[0].id, _value(item.value))
        for item in found[1].body
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)
    ]


def _value(node: ast.expr | None) -> Any:
    if node is None:
        return None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
        owner = _last(node.value)
        # `IntervalStrategy.NO`, and `.value` of it.
        if node.attr == "value":
            return _value(node.value)
        return f"${{enum:{owner}.{node.attr}}}" if owner[:1].isupper() else UNREADABLE
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return UNREADABLE
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _last(node: ast.expr | None) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _last(node.func)
    return node.id if isinstance(node, ast.Name) else ""


def _parts(node: ast.expr) -> list[ast.expr]:
    """The members of a union, nested ones opened, in the order of `typing.get_type_hints`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _parts(ast.parse(node.value, mode="eval").body)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_parts(node.left), *_parts(node.right)]
    if isinstance(node, ast.Subscript) and _last(node.value) == "Optional":
        return [*_parts(node.slice), ast.Constant(None)]
    if isinstance(node, ast.Subscript) and _last(node.value) == "Union":
        members = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return [part for member in members for part in _parts(member)]
    return [node]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _optional(node: ast.expr) -> bool:
    return any(_is_none(part) for part in _parts(node))


def _type(sources: Sources, path: str, node: ast.expr) -> tuple[str, str, list[Any] | None]:
    """Type, arity and choices as the parser makes them of an annotation."""
    parts = _parts(node)
    chosen = parts[0]
    if len(parts) > 1 and not _optional(node):
        chosen = next((part for part in parts if _last(part) != "str"), parts[0])
    elif len(parts) > 1:
        chosen = parts[0] if _is_none(parts[1]) else parts[1]
    kind, arity, choices = _plain(sources, path, chosen)
    if _optional(node) and kind in ("int", "float") and not arity and sources.none_is_a_word:
        kind += "?"
    return kind, arity, choices


def _plain(sources: Sources, path: str, node: ast.expr) -> tuple[str, str, list[Any] | None]:
    if isinstance(node, ast.Subscript):
        owner = _last(node.value)
        members = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if owner == "Literal":
            values = [_value(member) for member in members]
            whole = all(isinstance(value, int) for value in values)
            return ("int" if whole else "str"), "", values
        if owner in ("list", "List"):
            return _plain(sources, path, members[0])[0], "+", None
        return "any", "", None
    name = _last(node)
    if name in _KINDS:
        return _KINDS[name], "", None
    if name in ("list", "List"):
        return "any", "+", None
    if members_ := _members(sources, path, name):
        values = [value for _, value in members_]
        return "str", "", None if UNREADABLE in values else values
    if name in sources.aliases and name not in sources.classes:
        return _plain(sources, path, sources.aliases[name])
    return "any", "", None
