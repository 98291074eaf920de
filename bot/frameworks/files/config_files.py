"""Untrusted configuration files: their largest size, and the error for what is refused."""

from __future__ import annotations

from typing import Final

from bot.base.errors import SentenceError
from bot.base.fast_dataclass import dataclass

SUFFIX: Final = ".yaml"


class ComposeError(SentenceError):
    """Files that are no configuration; the message is a sentence without its full stop."""


class HydraRefusalError(ComposeError):
    """Files that Hydra refuses as well: nothing starts with them."""


@dataclass(frozen=True, slots=True)
class ConfigLimits:
    """What a configuration may be at most; the largest of verl's releases needs half."""

    files: int = 600
    file_bytes: int = 512 * 1024
    all_bytes: int = 6 * 1024 * 1024
    depth: int = 60
    """Mappings and lists in each other."""
    package: int = 20
    """Mappings in each other at whose end a defaults list puts a file."""
    nodes: int = 20_000
    """Values of one file, aliases written out; and of all files that one composition loads."""
    loads: int = 1_500
    """Files that one composition loads, each time it loads one counts."""
    all_nodes: int = 60_000
    """Values that all compositions of one set of files load: seconds of work."""


LIMITS: Final = ConfigLimits()
