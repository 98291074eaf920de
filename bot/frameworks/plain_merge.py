"""Merging of configurations for the cases in which OmegaConf's rules are those of plain mappings.

OmegaConf makes an object of each value, which takes most of the time of a composition. Nearly every
file holds names and plain values alone; for the others the answer here is that OmegaConf decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bot.base.regex import regex
from bot.frameworks.hydra_tree import MISSING

_REFERENCES: Final = regex(r"(?:[^$\\]|\$(?!\{)|\$\{\.*\w+(?:\.\w+)*\})*")
"""Texts whose references OmegaConf takes as they are."""

PACKAGE: Final = regex(r"(?:[\w-]++\.?)*")
"""Where a file is put, when the parts between the dots are the names of mappings."""


def is_plain(data: Any) -> bool:
    """Whether OmegaConf keeps the data as it is: names for keys, references of the usual form."""
    if isinstance(data, dict):
        return all(isinstance(key, str) and is_plain(value) for key, value in data.items())
    if isinstance(data, list):
        return all(map(is_plain, data))
    return not isinstance(data, str) or "${" not in data or bool(_REFERENCES.fullmatch(data))


def overlaid(into: dict[str, Any], data: Mapping[str, Any]) -> bool:
    """Lays plain data over a configuration as `OmegaConf.merge` does; the data stays as it is.

    False where OmegaConf may do otherwise, or refuses; `into` is then of no use.
    """
    for key, value in data.items():
        old = into.get(key)
        if value == MISSING and key in into:
            continue
        if isinstance(value, (dict, list)) and (
            (isinstance(old, (dict, list)) and type(value) is not type(old))
            or (isinstance(old, str) and "${" in old)
        ):
            return False
        if not isinstance(value, dict):
            into[key] = value
            continue
        inner = into[key] = old if isinstance(old, dict) else {}
        if not overlaid(inner, value):
            return False
    return True
