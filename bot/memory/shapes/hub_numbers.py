"""Numbers of a `config.json`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from bot.base.errors import SentenceError

HubConfig: TypeAlias = Mapping[str, Any]

_MOST = (1 << 24) - 1
_MOST_LAYERS = 10_000
"""The deepest model that is known has 128."""


class NotReadError(SentenceError):
    """The configuration is of a family, or has an option, whose parameters are not counted."""


def given(config: HubConfig, key: str, otherwise: object) -> Any:
    """The value of a key, or another where it is missing or null."""
    value = config.get(key)
    return otherwise if value is None else value


def layer_count(config: HubConfig) -> int:
    """The number of layers; raises NotReadError beyond what lists of them are made for."""
    return whole(config, "num_hidden_layers", least=1, most=_MOST_LAYERS)


def count(config: HubConfig, key: str, otherwise: int | None = None) -> int:
    """A whole number that is not 0."""
    return whole(config, key, otherwise, least=1)


def whole(
    config: HubConfig,
    key: str,
    otherwise: int | None = None,
    *,
    least: int = 0,
    most: int = _MOST,
) -> int:
    """A whole number; raises NotReadError, which names the key, for anything else."""
    value = given(config, key, otherwise)
    if value is None:
        raise NotReadError("it lacks {key}", key=key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise NotReadError(
            "its {key} is {value}, where a whole number from {least} to {most} belongs",
            key=key,
            value=f"{value!r:.60}",
            least=least,
            most=most,
        )
    return value
