"""A run's configuration as its framework held it, whatever W&B and the logger made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.evidence.literals import literal
from bot.report import JsonValue

_MAX_NAMESPACE: Final = 200_000
"""Characters of a namespace's text that are parsed."""
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
    return {key: _expanded(value) for key, value in entries.items()}


def _expanded(value: JsonValue) -> JsonValue:
    if not isinstance(value, str) or not value.startswith(_NAMESPACE):
        return value
    try:
        return literal(value, _MAX_NAMESPACE)
    except ValueError:
        return value
