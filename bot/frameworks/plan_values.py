"""The value that a plan gives to a setting: the last override, else the release's default.

What cannot be known is None and never a guess: a hole, a default that only a run decides. A
`PlanValue` that holds None is the framework's own null.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from bot.base.digits import whole_number
from bot.base.fast_dataclass import dataclass
from bot.frameworks.fields import whole
from bot.frameworks.hydra import rules
from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.environment import with_environment
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.settings.key_table import era
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.setting import Setting, UnknownValue
from bot.report import JsonValue
from bot.shell.source import Span


@dataclass(frozen=True, slots=True)
class PlanValue:
    """A value that is known."""

    value: JsonValue
    setting: Setting | None = None
    """The override that gives it; None for a default."""

    @property
    def number(self) -> int | None:
        """The value when it is a whole number (True and False are none)."""
        return whole(self.value)


class PlanValues:
    """The settings of one plan as the launched program will see them.

    References to other settings (`${oc.select:…}`) are followed, and a choice of a configuration
    group is taken into account.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.open_ended = _open_ended(plan)
        """Whether settings may hide in what is not known of the launch."""
        self._tree = _composed(plan)
        self._options = _options(plan)
        self._known: dict[str, PlanValue | None] = {}
        self._last = {setting.key: setting for setting in plan.settings}

    def get(self, key: str) -> PlanValue | None:
        """The value of `key`; None when it cannot be known."""
        if key not in self._known:
            self._known[key] = self._get(key)
        return self._known[key]

    def _get(self, key: str) -> PlanValue | None:
        setting = self._last.get(key)
        if setting is None and self.open_ended:
            return None
        if self._tree is None:
            if setting is None:
                options = self._options
                known = options.get(key) if options is not None and options.spells(key) else None
                return PlanValue(known.default) if known and _plain(known.default) else None
            value = setting.value
            if setting.operator == "~" or isinstance(value, UnknownValue) or not _plain(value):
                return None
            return PlanValue(value, setting)
        found: Any = trees.select(self._tree, key)
        if found is trees.ABSENT or found == trees.MISSING or not _plain(found):
            return None
        return PlanValue(found, setting)

    def has(self, key: str) -> bool | None:
        """Whether there is a setting or a section `key`; None when that is not known."""
        return None if self._tree is None else trees.select(self._tree, key) is not trees.ABSENT

    def first(self, *keys: str) -> PlanValue | None:
        """The value of the first of these keys that the script sets, else that the release has.

        For options that were renamed: `first("ds.zero_stage", "zero_stage")`.
        """
        key = next((key for key in keys if self.plan.last(key) is not None), None)
        if key is None and self.plan.table is not None:
            key = next(filter(self.plan.table.spells, keys), None)
        return self.get(key) if key is not None else None

    def whole(self, *keys: str) -> int | None:
        """As `first`, when it is a whole number."""
        found = self.first(*keys)
        return found.number if found else None

    def on(self, *keys: str) -> bool | None:
        """As `first`: whether it is true, or anything that is not empty; None when not known."""
        found = self.first(*keys)
        return bool(found.value) if found else None

    def number(self, key: str) -> int | None:
        """The whole number that `key` has; None when it is not known, null, or something else."""
        found = self.get(key)
        return found.number if found else None

    def flag(self, key: str) -> bool | None:
        """The boolean that `key` has; None when it is not known or something else."""
        found = self.get(key)
        return found.value if found is not None and isinstance(found.value, bool) else None

    def text(self, key: str) -> str | None:
        """The text that `key` has; None when it is not known or something else."""
        found = self.get(key)
        return found.value if found is not None and isinstance(found.value, str) else None

    def place(self, *keys: str) -> Span:
        """Where the first of these keys that the script sets has its value; else the launch."""
        for key in keys:
            setting = self.plan.last(key)
            if setting is not None:
                return setting.value_span
        return self.plan.launch.command.argv[0].span


def version_at_least(plan: Plan, *wanted: int) -> bool:
    """True when the release that the plan is checked against is this one or later.

    A configuration of its own (a checkout, a branch) has no release: its settings say which one it
    is like.
    """
    read_by = plan.configuration
    found = re.match(r"v?(\d+(?:\.\d+)*)\Z", read_by.release)
    if found:
        return tuple(whole_number(part) or 0 for part in found[1].split(".")) >= wanted
    return read_by.table is not None and era(read_by.table) >= wanted


def _plain(value: object) -> bool:
    if isinstance(value, str) and "${" in value:
        return False
    if isinstance(value, dict):
        return all(_plain(item) for item in value.values())
    if isinstance(value, list):
        return all(_plain(item) for item in value)
    return value is None or isinstance(value, (str, int, float, bool))


def _open_ended(plan: Plan) -> bool:
    """True when a whole argument of the launch is unknown, so that any setting may hide in it.

    The caller's own arguments (`$@`) do not count: the script is judged as it would run without,
    but for one that leaves the model to its caller.
    """
    if plan.launch.command.written:
        return False  # Each word is a key, or the value of one.
    if plan.launch.command.hands_on and plan.model.span is None:
        return True
    return any(kind != "argument" for _, kind in plan.launch.unknown_arguments)


def _options(plan: Plan) -> OptionTable | None:
    """The table of command-line options, when a default in it is what the launch gets."""
    read = plan.launch.command.settings
    elsewhere = plan.framework == "trl" and plan.last("config") is not None and not read
    table = plan.table
    return table if isinstance(table, OptionTable) and not elsewhere else None


@lru_cache(maxsize=32)
def values_of(plan: Plan) -> PlanValues:
    """The values of a plan; cached, since several rules need them."""
    return PlanValues(plan)


def _composed(plan: Plan) -> dict[str, Any] | None:
    """The whole configuration under the plan's overrides; None when it cannot be composed.

    An override that Hydra refuses is left out here, since other rules report it.
    """
    table = plan.table
    if not isinstance(table, HydraTable):
        return None
    known = table.groups
    groups = [s for s in plan.settings if s.key.partition("@")[0] in known]
    searched = any(s.key == "hydra.searchpath" for s in plan.settings)
    if searched or (groups and table.doubt(plan.settings)) or not all(s.known for s in groups):
        return None
    if plan.applied is not None and not any(s.key.startswith("hydra") for s in plan.settings):
        return plan.applied
    start = table.tree_for(plan.settings)
    others = (s for s in plan.settings if s not in groups and not s.key.startswith("hydra"))
    tree = rules.carried_out(start, others, refused=False)[0]
    environment = plan.launch.environment
    return tree if environment is None else with_environment(tree, environment)
