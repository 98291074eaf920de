"""`re.compile` for the patterns of a module, compiled when one is first used.

A command imports three hundred patterns and uses eighty: compiling all of them took a tenth of a
cold `rlbot lint`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_PARTS = (
    *("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn", "scanner"),
    *("pattern", "flags", "groups", "groupindex"),
)

if TYPE_CHECKING:
    regex = re.compile
else:

    class regex:  # noqa: N801  (stands where the function `re.compile` did)
        """As the compiled pattern in all that it has; raises `re.error` at its first use."""

        def __init__(self, pattern: str, flags: int = 0) -> None:
            self._given = (pattern, flags)

        def __getattr__(self, name: str) -> Any:
            if name not in _PARTS:
                raise AttributeError(name)
            compiled = re.compile(*self._given)
            # Found without this method from now on, and as quickly as on the pattern itself.
            self.__dict__.update((part, getattr(compiled, part)) for part in _PARTS)
            return self.__dict__[name]
