"""The value that a plan gives to a setting; see `bot.frameworks.plan_values`."""

from __future__ import annotations

from bot.frameworks.plan_values import Value, Values, values_of, version_at_least

__all__ = ["Value", "Values", "values_of", "version_at_least"]
