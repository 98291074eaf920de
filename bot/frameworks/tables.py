"""The settings of a released version, by the kind of its table."""

from __future__ import annotations

from functools import cache

from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.settings.key_table import KeyTable
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import release


@cache
def table(framework: str, version: str, root: str) -> KeyTable | None:
    """The settings of `root` in a release; None when the release does not have that root.

    Raises `FileNotFoundError` when the release is not known.
    """
    data = release(framework, version)
    if root not in data["roots"]:
        return None
    return HydraTable(data, root) if data["kind"] == "hydra" else OptionTable(data, root)
