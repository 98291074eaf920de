"""The generator of the tables, which is a script and no part of the package."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from types import ModuleType

from bot.base.resources import schemas


@cache
def generator() -> ModuleType:
    """The module `schemas/frameworks/generate.py`; those beside it become importable."""
    folder = schemas() / "frameworks"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location("generate", folder / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def beside_generator(name: str) -> ModuleType:
    """A module that the generator uses, such as `argparse_options`."""
    generator()
    return sys.modules[name]
