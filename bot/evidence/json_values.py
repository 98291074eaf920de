"""Values of a run's JSON, which anybody may have written, by the type that is wanted."""

from __future__ import annotations

import json
from typing import Any


def parsed(data: str | bytes) -> dict[str, Any] | None:
    """The object that a JSON text is; None for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def mapping(value: object) -> dict[str, Any]:
    """The entries of a mapping; none of anything else."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def whole(value: object, *, least: int | None = None) -> int | None:
    """An integer, no truth value, of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if least is None or value >= least else None


def number(value: object) -> float | None:
    """A number; None for truth values, texts, and what is not finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if -float("inf") < found < float("inf") else None


def dicts(value: object) -> list[dict[str, Any]]:
    """The mappings of a list; none of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
