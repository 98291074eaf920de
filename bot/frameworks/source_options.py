"""Command-line options of a vendored copy of a framework, read off its sources as syntax trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.frameworks.argparse_options import options_of
from bot.frameworks.option_table import OptionTable


class SourceOptions:
    """The options of the modules in one folder, each read when a launch needs it."""

    def __init__(self, framework: str, name: str, texts: Mapping[str, str]) -> None:
        """`texts` are the sources by the modules' names; `name` says in words whose they are."""
        self.framework = framework
        self.name = name
        self._texts = texts
        self._tables: dict[str, OptionTable | None] = {}

    def table(self, entry: str) -> OptionTable | None:
        """The options of a module such as openrlhf.cli.train_sft.

        None when the copy does not have the module, or adds options by code of other files.
        """
        if entry not in self._tables:
            text = self._texts.get(entry.rsplit(".", 1)[-1])
            options = _read(text) if text is not None else None
            data: dict[str, Any] = {
                "framework": self.framework,
                "version": self.name,
                "roots": {entry: options},
            }
            self._tables[entry] = OptionTable(data, entry) if options else None
        return self._tables[entry]


def _read(text: str) -> dict[str, list[Any]] | None:
    try:
        return options_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
