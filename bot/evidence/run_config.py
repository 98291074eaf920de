"""A run's configuration as its framework held it, without what W&B and the logger changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bot.base.messages import message, plural_message
from bot.evidence.literals import literal
from bot.report import JsonValue

_ENTRY: Final = 40
"""What a name of an entry takes, in characters."""
_MAX_NAMESPACE: Final = 200_000
"""Characters of namespaces' texts that are parsed, of one run."""
MAX_VALUES: Final = 100_000
"""Values of a configuration, at any depth; verl's has less than a thousand."""
_MAX_DEPTH: Final = 60
_DEEPER: Final = "(nested too deeply)"
_NAMESPACE: Final = ("Namespace(", "namespace(")
"""`argparse`'s, and `types.SimpleNamespace`'s, which is the one of OpenRLHF since 0.10."""


class LoggedConfig:
    """The configuration that a transaction log gives entry by entry."""

    def __init__(self, most: int) -> None:
        """`most` bounds the characters, those of entries that are replaced included."""
        self._left = most
        self.entries: dict[str, JsonValue] = {}
        self._unparsed = 0

    def take(self, record: Any) -> None:
        """Apply a `ConfigRecord`."""
        for item in record.update:
            path, text = list(item.nested_key) or [item.key], item.value_json
            if self._is_over(len(text) + _ENTRY * len(path)):
                return
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                self._unparsed += 1
                continue
            self._below(path, create=True)[path[-1]] = value
        for item in record.remove:
            path = list(item.nested_key) or [item.key]
            if self._is_over(_ENTRY * len(path)):
                return
            self._below(path, create=False).pop(path[-1], None)

    def gaps(self) -> list[str]:
        """Sentences on what was left out."""
        found = [_too_large()] if self._left < 0 else []
        if self._unparsed:
            found.append(
                plural_message(
                    "{count} entry of the configuration is not valid JSON.",
                    "{count} entries of the configuration are not valid JSON.",
                    self._unparsed,
                )
            )
        return found

    def _is_over(self, cost: int) -> bool:
        self._left -= cost
        if self._left < 0:
            self.entries = {}
        return self._left < 0

    def _below(self, path: list[str], *, create: bool) -> dict[str, JsonValue]:
        """The mapping that holds an entry; a scalar on the way to a new one gives place to one."""
        entries = self.entries
        for key in path[:-1]:
            below = entries.get(key)
            if not isinstance(below, dict):
                below = {}
                if create:
                    entries[key] = below
            entries = below
        return entries


def plain(
    config: Mapping[str, JsonValue], gaps: list[str], most: int = MAX_VALUES
) -> dict[str, JsonValue]:
    """A configuration without what was wrapped around it.

    W&B's own `_wandb` entry is left out, the {"desc": …, "value": …} around every entry, to which
    SwanLab adds "sort", is opened, and namespaces that arrived as text (OpenRLHF since 0.10 logs
    `Namespace(batch_size=128)`) become mappings. They are parsed as data, never evaluated; other
    text stays text. One of more
    than `most` values is empty, with a sentence in `gaps`.
    """
    if _values(config, most) > most:
        gaps.append(_too_large(most))
        return {}
    entries = {k: v for k, v in config.items() if k not in ("_wandb", "wandb_version")}
    if entries and all(
        isinstance(value, dict) and "value" in value and value.keys() <= {"desc", "value", "sort"}
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


def _too_large(count: int = MAX_VALUES) -> str:
    """What the gaps say of a configuration that is left out for its size."""
    return message(
        "The configuration of a run has more than {count} values, or megabytes of text: it was "
        "left out.",
        count=count,
    )


def _values(config: Mapping[str, JsonValue], most: int) -> int:
    """The values of a configuration, counted until they are more than `most`."""
    count = len(config)
    waiting: list[JsonValue] = [*config.values()] if count <= most else []
    while waiting and count <= most:
        value = waiting.pop()
        if isinstance(value, (dict, list)):
            count += len(value)
            if count <= most:
                waiting.extend(value.values() if isinstance(value, dict) else value)
    return count


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
