"""What weakens a definition: found through the syntax tree, so that neither its lines nor its
formatting matter.

A definition is named "FILE::NAME": a function, a method ("Class.method") or a name that a module
assigns. A file that is no Python is named alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign
Edit: TypeAlias = Callable[[Definition], int]
"""Weakens a definition in place; the number of places where it found what it looks for."""


@dataclass(frozen=True, slots=True)
class Text:
    """In a file that is no Python: `code`, with any spaces between its words, becomes `weaker`."""

    code: str
    weaker: str


Change: TypeAlias = Text | Edit


def weakened(text: str, place: str, change: Change) -> str:
    """The file's text without the defence.

    Raises ValueError when the definition, or what the change looks for in it, is not there once.
    """
    if isinstance(change, Text):
        pattern = r"\s+".join(re.escape(word) for word in change.code.split())
        weaker, count = re.subn(pattern, lambda _: change.weaker, text)
    else:
        module = ast.parse(text)
        found = list(_definitions(module.body, place.partition("::")[2].split(".")))
        if len(found) != 1:
            raise ValueError(f"{place} is defined {len(found)} times: mend the list")
        count = change(found[0])
        weaker = ast.unparse(ast.fix_missing_locations(module))
    if count != 1:
        raise ValueError(f"the code stands {count} times in {place}: mend the list")
    return weaker


def returns(value: str) -> Edit:
    """The function does nothing but return this value."""

    def edit(definition: Definition) -> int:
        if isinstance(definition, ast.Assign | ast.AnnAssign):
            return 0
        definition.body = [ast.Return(_expression(value))]
        return 1

    return edit


def begins(code: str) -> Edit:
    """The function begins with these statements."""

    def edit(definition: Definition) -> int:
        if isinstance(definition, ast.Assign | ast.AnnAssign):
            return 0
        definition.body = [*ast.parse(code).body, *definition.body]
        return 1

    return edit


def is_assigned(value: str) -> Edit:
    """The name gets this value."""

    def edit(definition: Definition) -> int:
        if not isinstance(definition, ast.Assign | ast.AnnAssign):
            return 0
        definition.value = _expression(value)
        return 1

    return edit


def never(condition: str) -> Edit:
    """The condition of an `if` never holds."""

    def edit(definition: Definition) -> int:
        wanted = ast.dump(_expression(condition))
        found = [
            node
            for node in ast.walk(definition)
            if isinstance(node, ast.If | ast.IfExp) and ast.dump(node.test) == wanted
        ]
        for node in found:
            node.test = ast.Constant(value=False)
        return len(found)

    return edit


def becomes(code: str, weaker: str) -> Edit:
    """An expression, or a statement, becomes another one."""

    def edit(definition: Definition) -> int:
        (wanted,), (instead,) = ast.parse(code).body, ast.parse(weaker).body
        pair: tuple[ast.AST, ast.AST] = wanted, instead
        if isinstance(wanted, ast.Expr) and isinstance(instead, ast.Expr):
            pair = wanted.value, instead.value
        return sum(_exchange(node, ast.dump(pair[0]), pair[1]) for node in ast.walk(definition))

    return edit


def passes(name: str, value: str) -> Edit:
    """The keyword argument `name` of a call gets this value."""

    def edit(definition: Definition) -> int:
        found = [
            node
            for node in ast.walk(definition)
            if isinstance(node, ast.keyword) and node.arg == name
        ]
        for node in found:
            node.value = _expression(value)
        return len(found)

    return edit


def says(text: str, other: str) -> Edit:
    """A part of a string becomes another one."""

    def edit(definition: Definition) -> int:
        count = 0
        for node in ast.walk(definition):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                count += node.value.count(text)
                node.value = node.value.replace(text, other)
        return count

    return edit


def _definitions(body: list[ast.stmt], names: list[str]) -> Iterator[Definition]:
    name, *inner = names
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == name and inner:
            yield from _definitions(node.body, inner)
        elif inner:
            continue
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name == name:
                yield node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                yield node


def _exchange(node: ast.AST, wanted: str, instead: ast.AST) -> int:
    count = 0
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST) and ast.dump(item) == wanted:
                    value[index] = instead
                    count += 1
        elif isinstance(value, ast.AST) and ast.dump(value) == wanted:
            setattr(node, field, instead)
            count += 1
    return count


def _expression(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body
