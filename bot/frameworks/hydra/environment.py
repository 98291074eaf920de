"""Variables of the environment that a configuration names: `${oc.env:MODEL,Qwen/Qwen3-8B}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from bot.base.regex import regex
from bot.frameworks.hydra.tree import primitive
from bot.shell.words import Word

_VARIABLE: Final = regex(
    r"\$\{\s*(?P<typed>oc\.decode:\s*\$\{\s*)?oc\.env:\s*(?P<name>[A-Za-z_]\w{0,200})\s*"
    r"(?:,(?P<default>[^,{}$]{0,500}))?\}(?(typed)\s*\})"
)
"""What it holds is a text, but for `oc.decode`."""


def with_environment(tree: Any, environment: Mapping[str, Word]) -> Any:
    """A configuration with what the script exports to it, else with the defaults.

    A variable without either stays as it is: the caller may export it.
    """
    return _filled(tree, environment) if _names_any(tree) else tree


def _names_any(tree: Any) -> bool:
    """Whether there is anything to fill in, as in few configurations."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            nodes += node.values()
        elif isinstance(node, list):
            nodes += node
        elif isinstance(node, str) and "oc.env:" in node:
            return True
    return False


def _filled(node: Any, environment: Mapping[str, Word]) -> Any:
    if isinstance(node, dict):
        return {name: _filled(below, environment) for name, below in node.items()}
    if isinstance(node, list):
        return [_filled(below, environment) for below in node]
    if not isinstance(node, str) or "oc.env:" not in node:
        return node
    if (whole := _VARIABLE.fullmatch(node)) is not None:
        found = _text(whole, environment)
        if found is None:
            return node
        given = whole["name"] in environment
        return primitive(found) if whole["typed"] or (not given and found == "null") else found
    return _VARIABLE.sub(lambda part: _text(part, environment) or part[0], node)


def _text(variable: re.Match[str], environment: Mapping[str, Word]) -> str | None:
    word, default = environment.get(variable["name"]), variable["default"]
    if word is not None:
        return word.text if word.complete else None
    return None if default is None else default.strip().strip("'\"")
