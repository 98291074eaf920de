"""Copies of TRL in a repository, and which of its programs may import one."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Final

from bot.base.regex import regex
from bot.frameworks.files.named_files import above, bytes_of, text_of
from bot.frameworks.python.source import field_names
from bot.frameworks.repository.pins import pinned_folder, read_pin

_SETTINGS: Final = "trl/trainer/"
_DEFINING: Final = ("_config.py", "utils.py")
_COPY: Final = regex(r"(?:^|/)trl/trainer/\w+_config\.py\Z")


class TrlCopies:
    """The folders of a repository that hold a package called trl."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are all that count, by path."""
        self._files = files
        copies = (path for path in files if _SETTINGS in path and _COPY.search(path))
        self._folders = {path.rpartition(_SETTINGS)[0].rstrip("/") for path in copies}
        self._known: dict[str, bool] = {}
        self._fields: dict[str, frozenset[str]] = {}

    def serving(self, program: str) -> str | None:
        """The folder with the copy that a program may import; None where it imports none.

        It does not where a folder nearer to it than any copy above it asks for a release: one of
        another part of the repository, as LLaVA-NeXT's, stands apart.
        """
        if not self._folders:
            return None
        for folder in above(program):
            if folder in self._folders:
                return folder
            if self._asks(folder):
                return None
        return min(self._folders)

    def fields(self, copy: str) -> frozenset[str]:
        """The fields of the classes of settings of a copy, by the folder that it lies in."""
        if copy not in self._fields:
            inside = posixpath.join(copy, "trl")
            classes = (f"{inside}/trainer/", f"{inside}/scripts/utils.py", f"{inside}/commands/")
            paths = [path for path in self._files if path.startswith(classes)]
            texts = (text_of(self._files, path) for path in paths if path.endswith(_DEFINING))
            self._fields[copy] = frozenset(name for text in texts for name in field_names(text))
        return self._fields[copy]

    def _asks(self, folder: str) -> bool:
        """Whether the requirements of a folder name releases."""
        if folder not in self._known:
            pins = [path for path in self._files if pinned_folder(path) == folder]
            pinned = read_pin("trl", {path: bytes_of(self._files, path) for path in pins})
            self._known[folder] = pinned is not None
        return self._known[folder]
