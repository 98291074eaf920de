"""pydantic's readers and writers of our types: each is made once, and by one thread at a time.

Making one parses the type's own source for its docstrings, and Python before 3.11.8 and 3.12.2
counts the depth of a syntax tree for all threads together: two that parse at once may fail with
"AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter

PARSING = threading.Lock()
"""Held while Python parses source text into a tree."""


def adapter_of(kind: type) -> TypeAdapter[Any]:
    """Validates and dumps values of a type."""
    with PARSING:
        return _adapter(kind)


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
