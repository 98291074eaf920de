"""Finds the modules of a package that each hold one rule or check: a `META` and a `check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType


def entries(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a package in the order of their ids.

    Modules whose name starts with an underscore are helpers. Raises TypeError when a module is not
    named after its slug, and ValueError when two share an id: both are faults of the program.
    """
    found: dict[str, ModuleType] = {}
    for folder in package.__path__:
        with os.scandir(folder) as listed:
            files = {item.name.removesuffix(".py"): item for item in listed}
        for name, file in sorted(files.items()):
            if name == file.name or name.startswith("_"):
                continue
            module = _module(package, name, file.path)
            meta = module.META
            if meta.slug.replace("-", "_") != name:
                raise TypeError(f"{module.__name__} holds {meta.slug}")
            if meta.id in found:
                raise ValueError(f"{meta.slug} and {found[meta.id].META.slug} share an id")
            found[meta.id] = module
    for id_ in sorted(found):
        yield found[id_]


def _module(package: ModuleType, name: str, path: str) -> ModuleType:
    """As `import_module`, which would look again for the file that was just listed."""
    full = f"{package.__name__}.{name}"
    if full in sys.modules:
        return import_module(full)
    spec = spec_from_file_location(full, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Not before: another thread would find it half made.
    module = sys.modules.setdefault(full, module)
    setattr(package, name, module)
    return module
