"""What the Python of a copy of verl says: the checks that it makes, and the names that it knows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from bot.frameworks.python_source import parsed, written

_FILES: Final = (
    "trainer/ppo/ray_trainer.py",  # Refuses settings at the start until 0.5, the next four since.
    "utils/config.py",
    "workers/config/actor.py",
    "workers/config/critic.py",
    "workers/config/rollout.py",
    "trainer/ppo/core_algos.py",  # Look up the names that settings give.
    "trainer/main_ppo.py",
)
"""Files below verl's package."""


class VerlSource:
    """The files of a copy of verl, parsed when they are asked about."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes the texts of the files that count."""
        self._texts = texts

    def refuses(self, *names: str) -> bool:
        """Whether it still refuses settings by a condition with all of these names.

        A name is the end of one with dots, as `actor.ppo_mini_batch_size`. Also true of a copy in
        which no file can be read: what verl's releases do then counts.
        """
        return not self._trees or any(
            all(any(_ends(dotted, name) for dotted in found) for name in names)
            for tree in self._trees
            for found in _conditions(tree)
        )

    def has(self, name: str) -> bool:
        """Whether it writes a name as a text, as where it registers or compares it."""
        return name in self._constants

    @cached_property
    def _trees(self) -> list[ast.Module]:
        return [tree for text in self._texts if (tree := parsed(text)) is not None]

    @cached_property
    def _constants(self) -> frozenset[str]:
        return frozenset(
            node.value
            for tree in self._trees
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )


def startable(configs: dict[str, list[str]], paths: Collection[str]) -> dict[str, list[str]]:
    """Of copies of verl's configuration those with a program beside, where any has one.

    One without is a copy of the settings alone: what a script starts lies elsewhere.
    """
    if len(configs) < 2:
        return configs
    folders = {path.rpartition("/")[0] for path in paths if path.endswith(".py")}
    found = {one: names for one, names in configs.items() if one.rpartition("/")[0] in folders}
    return found or configs


class VerlSources:
    """The copies of verl in a repository."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` are all that count, by path; contents are read on use."""
        self._files = files
        self._read: dict[str, VerlSource] = {}

    def of(self, config: str) -> VerlSource:
        """The copy whose configuration is in this folder."""
        if config not in self._read:
            texts = [self._files[path].decode("utf-8", "replace") for path in self.paths(config)]
            self._read[config] = VerlSource(texts)
        return self._read[config]

    def paths(self, config: str) -> tuple[str, ...]:
        """The files of that copy which count."""
        package = config.removesuffix("trainer/config")
        return tuple(path for name in _FILES if (path := f"{package}{name}") in self._files)


def _conditions(tree: ast.Module) -> Iterator[frozenset[str]]:
    """The names in each condition that stops the program, with their dots."""
    for node in ast.walk(tree):
        stops = isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body)
        if stops or isinstance(node, ast.Assert):
            assert isinstance(node, (ast.If, ast.Assert))  # noqa: S101 - for the type checker
            inner = ast.walk(node.test)
            yield frozenset(written(n) for n in inner if isinstance(n, (ast.Attribute, ast.Name)))


def _ends(dotted: str, name: str) -> bool:
    return f".{dotted}".endswith(f".{name}")
