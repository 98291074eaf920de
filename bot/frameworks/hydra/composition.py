"""A root configuration with a choice of groups, and which overrides clearly fit it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from bot.base.fast_dataclass import dataclass
from bot.frameworks.hydra.tree import ABSENT, YamlTree, is_reference, lookup
from bot.frameworks.settings.key_table import KeyVerdict
from bot.frameworks.settings.setting import Setting


@dataclass(slots=True, eq=False)
class Composition:
    """A composed tree with the keys that are known to be single settings of it.

    Nearly all overrides of a script give such a key another value. Hydra takes each of them
    whatever the others are, so that they need not be carried out to be judged.
    """

    tree: YamlTree
    choices: dict[str, str]
    doubt: str
    """Why the tree may be inexact, "" when it is exact."""
    groups: Collection[str]
    leaves: set[str] = field(default_factory=set)
    """Keys for which `is_leaf` was true: those of the tree alone, so that there is an end."""

    def is_leaf(self, key: str) -> bool:
        """Whether a single setting stands at a key that means no group and nothing of Hydra's."""
        if key in self.leaves:
            return True
        node = lookup(self.tree, key)
        if node is ABSENT or isinstance(node, (dict, list)) or key in self.groups:
            return False
        if "@" in key or "/" in key or key.startswith("hydra"):
            return False
        self.leaves.add(key)
        return True

    def plain(self, settings: Sequence[tuple[int, Setting]]) -> frozenset[int]:
        """The numbers of the overrides that are taken, and on which no other's verdict depends.

        None where that is not sure at once.
        """
        leaves, is_leaf = self.leaves, self.is_leaf
        plain = {
            at: setting.key
            for at, setting in settings
            if setting.operator in ("", "++")
            and (setting.key in leaves or is_leaf(setting.key))
            and not isinstance(setting.value, (dict, list))
        }
        if len(plain) < len(settings):
            keys = set(plain.values())
            if any(self._depends(one, keys) for at, one in settings if at not in plain):
                return frozenset()
        return frozenset(plain)

    def _depends(self, setting: Setting, keys: set[str]) -> bool:
        """Whether an override may touch any of these keys, or ask what they are."""
        if setting.operator == "~" or "${" in setting.text:
            return True
        node: Any = self.tree
        for part in setting.key.split("."):
            if not isinstance(node, dict):
                return True
            node = node.get(part, ABSENT)
            if is_reference(node):
                return True
            if node is ABSENT:
                return False
        if isinstance(node, dict):
            return any(key.startswith(f"{setting.key}.") for key in keys)
        return setting.key in keys


@dataclass(slots=True)
class ChosenGroups:
    """The configuration that a launch's choices of groups give, before its other overrides."""

    start: Composition
    doubt: str
    """Why it may be inexact, "" when it is exact."""
    decided: Mapping[int, KeyVerdict]
    """The verdicts on the choices, and on what needs no tree, by the override's number."""
    plain: frozenset[int]
    """See `Composition.plain`."""
    taken: tuple[KeyVerdict, ...] = ()
    """The verdicts on all overrides, once it is known that none is refused."""
