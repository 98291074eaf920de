"""A name means one thing in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.parsed import modules, nodes, parsed

DIALECT = {"door", "doors", "obey", "obeys", "obeyed", "wish", "wishes", "asking", "told", "said"}
DIALECT |= {"bisecting", "recommending"}
"""Words that once stood for entry point, handle, request, message and estimate."""


def _classes(tree: ast.Module) -> Iterator[str]:
    """Classes at any depth, and the aliases of types that a module defines."""
    for node in nodes(tree, ast.ClassDef):
        yield node.name
    for statement in tree.body:
        names: list[ast.expr] = []
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            names = [statement.target]
        elif isinstance(statement, ast.Assign):
            names = statement.targets
        for name in names:
            if isinstance(name, ast.Name) and name.id[0].isupper() and not name.id.isupper():
                yield name.id


@cache
def _public() -> dict[str, list[str]]:
    """Name of a public class to the modules that define it."""
    places = defaultdict(list)
    for path, tree in modules().items():
        for name in _classes(tree):
            if not name.startswith("_"):
                places[name].append(path.as_posix())
    return dict(places)


def test_no_public_class_name_stands_twice() -> None:
    assert {name: paths for name, paths in _public().items() if len(paths) > 1} == {}


@pytest.mark.parametrize(
    "text",
    [
        "class Finding: pass",
        "Finding = dict[str, int]",
        "Finding: TypeAlias = int",
        "def f():\n    class Finding: pass",
        "class A:\n    class Finding: pass",
    ],
)
def test_a_second_class_or_alias_of_a_name_is_found(text: str) -> None:
    assert set(_classes(ast.parse(text))) & _public().keys() == {"Finding"}


def _names(tree: ast.Module) -> Iterator[str]:
    """What a module's users see: its functions, classes, parameters and fields."""
    for function in nodes(tree, ast.FunctionDef, ast.AsyncFunctionDef):
        yield function.name
    for node in nodes(tree, ast.ClassDef):
        yield node.name
    for argument in nodes(tree, ast.arg):
        yield argument.arg
    for field in nodes(tree, ast.AnnAssign):
        if isinstance(field.target, ast.Name):
            yield field.target.id


def _words(name: str) -> set[str]:
    return set(name.lower().strip("_").split("_"))


@pytest.mark.parametrize("folder", ["bot", "tests", "tools", "examples", "benchmarks"])
def test_names_are_the_words_of_the_field(folder: str) -> None:
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        if "runs" in path.parts or "node_modules" in path.parts:
            continue
        names = [path.stem, *_names(parsed(path.read_text(encoding="utf-8")))]
        found |= {
            (path.relative_to(ROOT).as_posix(), name)
            for name in names
            if not name.startswith("test_") and _words(name) & DIALECT
        }
    assert found == set()


def test_the_words_are_looked_for_in_signatures() -> None:
    tree = ast.parse("def obey(told: str, wished: int = 0) -> None: ...\nclass A:\n    said: str")
    assert {name for name in _names(tree) if _words(name) & DIALECT} == {"obey", "told", "said"}


def test_files_of_one_name_stand_in_packages_that_tell_them_apart() -> None:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in (ROOT / "bot").rglob("*.py"):
        room = path.relative_to(ROOT / "bot").parts[0]
        if path.stem != "__init__":
            places[room, path.stem].append(str(Path(path).relative_to(ROOT)))
    assert {key: paths for key, paths in places.items() if len(paths) > 1} == {}
