"""A run's configuration as its framework held it, whatever W&B and the logger made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.evidence.literals import literal
from bot.report import JsonValue

_MAX_NAMESPACE: Final = 200_000
"""Characters of namespaces' texts that are parsed, of one run."""
_MAX_DEPTH: Final = 60
_DEEPER: Final = "(nested too deeply)"
_NAMESPACE: Final = ("Namespace(", "namespace(")
"""`argparse`'s, and `types.SimpleNamespace`'s, which is the one of OpenRLHF since 0.10."""


def plain(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A configuration without what was wrapped around it.

    W&B's own `_wandb` entry is left out, its {"desc": …, "value": …} around every entry is opened,
    and namespaces that arrived as text (OpenRLHF since 0.10 logs `Namespace(batch_size=128)`)
    become mappings. They are parsed as data, never evaluated; other text stays text.
    """
    entries = {k: v for k, v in config.items() if k not in ("_wandb", "wandb_version")}
    if entries and all(
        isinstance(value, dict) and "value" in value and value.keys() <= {"desc", "value"}
        for value in entries.values()
    ):
        entries = {key: value["value"] for key, value in entries.items() if isinstance(value, dict)}
    left = _MAX_NAMESPACE
    found: dict[str, JsonValue] = {}
    for key, value in entries.items():
        if isinstance(value, str) and value.startswith(_NAMESPACE):
            found[key] = _parsed(value, left)
            left -= len(value)
        else:
            found[key] = _shallow(value)
    return found


def _parsed(text: str, limit: int) -> JsonValue:
    try:
        return literal(text, limit)
    except ValueError:
        return text


def _shallow(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value; what lies deeper than any framework's settings becomes a text that says so."""
    if isinstance(value, dict):
        if depth >= _MAX_DEPTH:
            return _DEEPER
        return {key: _shallow(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return _DEEPER if depth >= _MAX_DEPTH else [_shallow(item, depth + 1) for item in value]
    return value
