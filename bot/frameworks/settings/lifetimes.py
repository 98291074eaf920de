"""Which releases have a setting, and its deprecations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from bot.frameworks.settings.releases import (
    beside_tables,
    release,
    release_key,
    releases,
    spans_of_releases,
)

SHARED = "="
"""The entry of a mapping that stands for one of the file's pool, with what differs beside it."""


@cache
def _entries(framework: str) -> tuple[Mapping[str, Any], ...]:
    found = beside_tables(framework, "deprecated")
    return tuple(found["deprecated"]) if found else ()


def deprecations(framework: str, version: str) -> tuple[Mapping[str, Any], ...]:
    """The entries of `deprecated.json` that count in a release; that file says what they hold."""
    return tuple(
        entry
        for entry in _entries(framework)
        if release_key(version) >= release_key(entry["since"])
    )


def family(root: str) -> str:
    """What the roots of one trainer share: the name before `_trainer`, without its variants."""
    return root.split("_trainer")[0].removesuffix("_megatron")


@cache
def history(framework: str, root: str, key: str) -> str | None:
    """The releases that have a key in `root` or a root of its family, in words; None if none."""
    wanted = family(root)
    present = [v for v in releases(framework) if _has(release(framework, v), wanted, key)]
    return spans_of_releases(framework, present)


def _has(data: Mapping[str, Any], wanted: str, key: str) -> bool:
    """Whether a release has the key; read off the packed file, since few keys are looked up."""
    for root, found in data["roots"].items():
        if family(root) != wanted:
            continue
        starts = [found["tree"]]
        for options in found["alternatives"].values():
            starts += [option["tree"] for option in options.values() if option is not None]
        for node in starts:
            for part in key.split("."):
                while isinstance(node, dict) and part not in node and SHARED in node:
                    node = data["pool"][node[SHARED]]
                node = node.get(part, ...) if isinstance(node, dict) else ...
            if node is not ...:
                return True
    return False
