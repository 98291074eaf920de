"""Finds the modules of a package that each hold one rule or check: a `META` and a `check`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType


def entries(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a package in the order of their ids.

    Modules whose name starts with an underscore are helpers. Raises TypeError when a module is not
    named after its slug, and ValueError when two share an id: both are faults of the program.
    """
    found: dict[str, ModuleType] = {}
    files = (path for folder in package.__path__ for path in Path(folder).iterdir())
    for name in sorted(path.stem for path in files if path.suffix == ".py"):
        if name.startswith("_"):
            continue
        module = import_module(f"{package.__name__}.{name}")
        meta = module.META
        if meta.slug.replace("-", "_") != name:
            raise TypeError(f"{module.__name__} holds {meta.slug}")
        if meta.id in found:
            raise ValueError(f"{meta.slug} and {found[meta.id].META.slug} share an id")
        found[meta.id] = module
    for id_ in sorted(found):
        yield found[id_]
