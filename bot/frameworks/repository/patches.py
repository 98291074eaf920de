"""Patches of a framework that a repository keeps, and the settings that they add to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from bot.base.regex import regex
from bot.frameworks.files.named_files import text_of

PATCHES: Final = (".patch", ".diff")
"""How the files end that `git diff` and `git format-patch` write."""
_MOST: Final = 8
"""Patches of one repository that are read."""
_ADDED: Final = regex(r"(?m)^\+[ \t]*([A-Za-z_]\w{0,200})[ \t]*:|^\+[^\n#]{0,200}?[\"']--([\w.-]+)")
"""An added line with a key of YAML or a field of a class, or with an option of a parser."""


class Patches:
    """The patches among a repository's files."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` by path from the root; they may be read late."""
        self._files = files
        found = sorted(path for path in files if path.endswith(PATCHES))
        self.paths = tuple(sorted(found, key=lambda path: "verl" not in path)[:_MOST])
        """Those that are read: the ones that name verl first."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The last parts of the names of settings that a framework may have by a patch alone."""
        texts = (text_of(self._files, path) for path in self.paths)
        pairs = (pair for text in texts for pair in _ADDED.findall(text))
        return frozenset(key or option for key, option in pairs)
