"""`config.json` of the models that a change's scripts name, from its head: data alone, bounded."""

from __future__ import annotations

import posixpath
from typing import Final

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.github.change import ChangeLookup
from bot.report import Unchecked

MAX_CONFIGS: Final = 20
"""Different models of one change that are looked up; each may cost a request."""
MAX_CONFIG: Final = 1 << 20
"""Bytes; a larger file is no model's configuration, as for `--root`."""
_LONGEST: Final = 1000
_MAKERS: Final = (
    *("HuggingFaceTB", "Qwen", "allenai", "deepseek-ai", "facebook", "google", "meta-llama"),
    *("microsoft", "mistralai", "moonshotai", "openai"),
)
"""Makers of the known models on the hub. No repository keeps models in a folder of that name, so
that `Qwen/Qwen2.5-7B` costs no request."""


class ChangeModels:
    """Gives the content of a `config.json` at a change's head, as `--root` does of a folder."""

    def __init__(self, source: ChangeLookup) -> None:
        self._source = source
        self._known: dict[str, bytes | None] = {}
        self._failed: dict[str, str] = {}

    def __call__(self, path: str) -> bytes | None:
        """The content; None when there is none, or it could not be read, which `unchecked` says."""
        place = posixpath.normpath(path)
        if not _is_config(place):
            return None
        if place not in self._known:
            self._known[place] = self._read_config(place)
        return self._known[place]

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """What could not be looked up, with the reasons."""
        return tuple(Unchecked(check=path, reason=why) for path, why in self._failed.items())

    def _read_config(self, path: str) -> bytes | None:
        if len(self._known) >= MAX_CONFIGS:
            self._failed[path] = message(
                "{path} is beyond the {most} models that are looked up for one change; split it.",
                path=path,
                most=MAX_CONFIGS,
            )
            return None
        try:
            return self._source.head_file(path, MAX_CONFIG)
        except UserError as error:
            self._failed[path] = sentence_of(error)
            return None


def _is_config(path: str) -> bool:
    """Whether it is a relative path of a `config.json` that a repository could hold."""
    first, _, rest = path.partition("/")
    if first in ("", "..", *_MAKERS) or ":" in path or posixpath.basename(rest) != "config.json":
        return False
    return len(path) <= _LONGEST and path.isprintable()
