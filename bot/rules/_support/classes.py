"""Sections of verl's configuration that become objects of a class."""

from __future__ import annotations

from collections.abc import Collection

from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.hydra.tree import YamlTree
from bot.frameworks.plan import Plan
from bot.frameworks.settings.releases import release, releases
from bot.frameworks.settings.setting import Setting


def place_in_class(tree: YamlTree, key: str) -> tuple[str, str, str, Collection[str]] | None:
    """The section that a new setting is added to, its class, what is added, and what is there.

    None for settings that are not new, and for sections that become no object.
    """
    at, parts = tree, key.split(".")
    for end, part in enumerate(parts):
        below = at.get(part)
        if isinstance(below, dict):
            at = below
            continue
        # A section without a class, or a mapping that takes anything, takes what is below it.
        name = None if part in at else at.get("_target_")
        return (".".join(parts[:end]), name, part, list(at)) if isinstance(name, str) else None
    return None


def class_with(plan: Plan, setting: Setting) -> str | None:
    """The class of verl's that takes a setting which its configuration does not name, or None."""
    named = plan.configuration.release
    if setting.operator or not isinstance(plan.table, HydraTable) or named not in releases("verl"):
        return None
    place = place_in_class(plan.table.tree_for(plan.settings), setting.key)
    if place is None or setting.key != f"{place[0]}.{place[2]}":
        return None
    name = place[1].rpartition(".")[2]
    return name if place[2] in release("verl", named).get("classes", {}).get(name, ()) else None
