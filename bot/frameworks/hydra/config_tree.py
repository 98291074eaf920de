"""The configuration of a checkout or a pull request as a table, beside the released ones.

`tree_table` takes the files of `verl/trainer/config` as they are in memory; `read_tree` reads them
from a folder. Roots are composed when a launch needs them, and a launch's own choices of
configuration groups are composed exactly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.files import read_regular_file
from bot.base.messages import message, sentence_of
from bot.frameworks.files.config_files import (
    LIMITS,
    SUFFIX,
    ComposeError,
    ConfigLimits,
    HydraRefusalError,
)
from bot.frameworks.hydra import rules
from bot.frameworks.hydra import tree as trees
from bot.frameworks.hydra.compose import Composer
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.hydra.tree import YamlTree
from bot.frameworks.settings.key_table import era
from bot.frameworks.settings.lifetimes import deprecations, history
from bot.frameworks.settings.releases import entry_root, release, releases

_INSIDE = ("verl", "trainer", "config")
"""Where a checkout of verl keeps its configuration."""
_LEVELS = 12
"""Folders in each other that are walked into."""
_LISTED = 5_000
"""Names that are looked at in all, files of other kinds included."""


@dataclass(frozen=True)
class ConfigTree:
    """A configuration folder of a framework; see `tree_table`."""

    name: str
    """Whose configuration it is, in words: "this pull request", "the checkout ../verl"."""
    composer: Composer
    framework: str = "verl"
    vendored: bool = False
    """Whether the name is that of a folder, which needs no "the configuration of" before it."""
    complete: bool = True
    """Whether every file of the folder could be read."""
    searched: bool = False
    """Whether the command line's search path is among its files."""
    _tables: dict[str, TreeTable | ComposeError] = field(default_factory=dict, compare=False)

    @property
    def title(self) -> str:
        """What reports call it."""
        return (
            self.name if self.vendored else message("the configuration of {name}", name=self.name)
        )

    def root_of(self, entry: str) -> str | None:
        """The root configuration that a module starts with; None when the tree does not have it.

        A tree has no sources, so the newest release whose root for the module is in the tree says.
        """
        for known in reversed(releases(self.framework)):
            root = entry_root(self.framework, known, entry)
            if root is not None and root in self.composer.names:
                return root
        return None

    @property
    def starts_something(self) -> bool:
        """Whether it has a root that a program of some release starts with."""
        return any(
            root in self.composer.names
            for known in reversed(releases(self.framework))
            for root in release(self.framework, known)["entries"].values()
        )

    def table(self, root: str) -> TreeTable | None:
        """The settings of a root, composed now; None when it can't be, as `problem` then says."""
        if root not in self._tables:
            try:
                self._tables[root] = TreeTable(self, root)
            except ComposeError as error:
                self._tables[root] = error
        found = self._tables[root]
        return found if isinstance(found, TreeTable) else None

    def problem(self, root: str) -> str | None:
        """Why a root has no table, as a sentence without its full stop; None when it has one."""
        if root not in self.composer.names:
            return f"it has no {root}{SUFFIX}"
        found = self._tables[root] if self.table(root) is None else None
        return sentence_of(found) if isinstance(found, ComposeError) else None

    def refuses(self, root: str) -> bool:
        """Whether Hydra cannot compose a root of the tree, so that nothing starts with it."""
        self.table(root)
        return self.complete and isinstance(self._tables[root], HydraRefusalError)

    @cached_property
    def groups(self) -> Mapping[str, list[str]]:
        """Configuration groups with their options."""
        return self.composer.groups()

    def __reduce__(self) -> tuple[object, ...]:
        """What is read of it anew where it is sent: composed tables stay where they are."""
        return ConfigTree, (
            self.name,
            self.composer,
            self.framework,
            self.vendored,
            self.complete,
            self.searched,
        )


class TreeTable(HydraTable):
    """A root of a `ConfigTree`."""

    composes = True

    def __init__(self, tree: ConfigTree, root: str) -> None:
        """Raises `ComposeError` when the root cannot be composed."""
        composed, choices = tree.composer.compose(root, {})
        self._source = tree
        self.searched = tree.searched
        data = {
            "framework": tree.framework,
            "version": tree.name,
            "title": tree.title,
            "groups": tree.groups,
            "pool": [],
            "roots": {root: {"tree": composed, "choices": choices, "alternatives": {}}},
        }
        super().__init__(data, root)

    def _expand(self, node: Any) -> Any:
        """As it is: nothing in it is shared."""
        return node

    @cached_property
    def _deprecations(self) -> Sequence[Mapping[str, Any]]:
        """Those of its time, which its settings tell; of 0.2 each has a replacement that tells."""
        return deprecations(self.framework, ".".join(map(str, max(era(self), (0, 2)))))

    @cached_property
    def alternatives(self) -> tuple[tuple[str, YamlTree], ...]:
        """Each option of a chosen group other than the default, with the keys that it brings.

        An option is composed alone, and put where the group stands: composing it beside all other
        choices takes half a second each on verl of 2026.
        """
        found = []
        for key, default in sorted(self.choices.items(), key=lambda item: ("@" in item[0], item)):
            group, _, package = key.partition("@")
            for option in self.groups.get(group, ()):
                if option != default:
                    brought = self._alone(group, option, package or group.replace("/", "."))
                    found.append((f"{key}={option}", brought))
        return tuple(found)

    def _alone(self, group: str, option: str, package: str) -> YamlTree:
        try:
            tree, _ = self._source.composer.compose(f"{group}/{option}", {})
            own = trees.select(tree, group.replace("/", "."))
            return trees.put({}, package, own, force=True) if isinstance(own, dict) else tree
        except (ComposeError, trees.CannotPutError):
            return {}

    def history(self, key: str) -> str | None:
        """As for a release; for a root that no release has, that of verl's own trainer."""
        known = history(self.framework, self.root, key)
        return known or history(self.framework, "ppo_trainer", key)

    def refers_to(self, name: str) -> bool:
        """As for a release; where no file has such a reference, without composing any choice."""
        return self._source.composer.refers_to(name) and super().refers_to(name)

    def _elsewhere(self, key: str) -> tuple[str, YamlTree] | None:
        # A name that no file mentions stands under no choice.
        if not self._source.composer.mentions(key.rsplit(".", 1)[-1]):
            return None
        return super()._elsewhere(key)

    def _choice_with(self, key: str) -> str | None:
        """As for a release; else the name of another root of the tree, as a fork adds its own."""
        choice = super()._choice_with(key)
        if choice or not self._source.composer.mentions(key.rsplit(".", 1)[-1]):
            return choice
        found = (n for n, t in self._relatives if trees.lookup(t, key) is not trees.ABSENT)
        return next((f"--config-name={name}" for name in found), None)

    @cached_property
    def _relatives(self) -> tuple[tuple[str, YamlTree], ...]:
        """Other roots that keep nearly all settings of this one, those that keep most first.

        One for another engine keeps fewer: who starts this one does not mean it.
        """
        own, found = set(self._default_names), list[tuple[int, str, YamlTree]]()
        for name in self._source.composer.names:
            # verl's own copies for reading begin with an underscore.
            table = None if name == self.root or name[0] == "_" else self._source.table(name)
            if table is not None:
                lost = len(own.difference(rules.names_of(table.tree)))
                found.append((lost, name, table.tree))
        return tuple(
            (n, t) for lost, n, t in sorted(found, key=lambda f: f[:2]) if lost * 20 <= len(own)
        )

    def under(self, wanted: Mapping[str, str]) -> tuple[YamlTree, dict[str, str], str]:
        """Exact, since these files are composed with all choices at once."""
        choices = dict(self.choices)
        composer = self._source.composer
        possible = {
            key: option
            for key, option in wanted.items()
            if rules.offered(key, option, self.groups, choices)
            and (key in choices or key[0] == "+" or f"+{key}" in wanted or composer.lists(key))
        }
        if all(choices.get(key) == option for key, option in possible.items()):
            return self.tree, choices, ""
        try:
            return (*composer.compose(self.root, possible), "")
        except ComposeError as error:
            return self.tree, choices, sentence_of(error)


def tree_table(
    files: Mapping[str, bytes],
    name: str,
    *,
    limits: ConfigLimits = LIMITS,
    vendored: bool = False,
    complete: bool = True,
) -> ConfigTree:
    """The table of a configuration folder: path relative to the folder → content.

    `name` says whose configuration it is, as the reports print it after "the configuration of";
    for a `vendored` one it is the name of the folder, printed as it is. `complete` is False where
    files of the folder are missing, so that nothing is said of what Hydra would refuse.
    Files other than `.yaml` are left out. Raises `UserError` when there is no configuration in
    them or they are over the limits; a root that cannot be composed has a `ConfigTree.problem`.
    """
    try:
        composer = Composer(files, limits=limits)
        tree = ConfigTree(name, composer, vendored=vendored, complete=complete)
    except ComposeError as error:
        raise UserError(
            "The configuration of {name} was not read: {error}.",
            name=name,
            error=sentence_of(error),
        ) from None
    if not tree.composer.names:
        raise UserError(
            "The configuration of {name} was not read: there is no {suffix} file directly in it.",
            name=name,
            suffix=SUFFIX,
        )
    return tree


def read_tree(folder: Path, *, limits: ConfigLimits = LIMITS) -> ConfigTree:
    """`tree_table` of a folder on disk: a configuration folder, or a checkout of verl.

    Reads regular `.yaml` files alone, follows no symbolic link below the folder, and stops at the
    limits. Raises `UserError` when the folder cannot be read or holds a link in a file's place.
    """
    inside = folder.joinpath(*_INSIDE)
    try:
        base = inside.resolve(strict=True) if inside.is_dir() else folder.resolve(strict=True)
        if base != folder.resolve() and not base.is_relative_to(folder.resolve()):
            raise UserError(
                "The configuration in {folder} is a link to a place outside it.", folder=folder
            )
        files = dict(_files(base, limits))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(
            "The configuration in {folder} could not be read: {reason}.",
            folder=folder,
            reason=reason,
        ) from None
    return tree_table(files, str(folder), limits=limits)


def _files(base: Path, limits: ConfigLimits) -> Iterator[tuple[str, bytes]]:
    left = _LISTED
    number, size = 0, 0
    waiting: list[tuple[str, int]] = [("", 0)]
    while waiting:
        folder, level = waiting.pop()
        with os.scandir(base / folder) as listed:
            for item in listed:
                left -= 1
                path = f"{folder}{item.name}"
                if left < 0 or level > _LEVELS:
                    raise UserError(
                        "The configuration in {base} has too many files or folders.", base=base
                    )
                wanted = item.name.endswith(SUFFIX)
                if item.is_dir(follow_symlinks=False):
                    waiting.append((f"{path}/", level + 1))
                elif item.is_symlink() and (wanted or item.is_dir()):
                    raise UserError(
                        "The configuration in {base} was not read: {path} is a symbolic link.",
                        base=base,
                        path=path,
                    )
                elif wanted:
                    data = read_regular_file(base / path, limits.file_bytes + 1)
                    number, size = number + 1, size + len(data)
                    if number > limits.files or size > limits.all_bytes:
                        raise UserError(
                            "The configuration in {base} was not read: its {suffix} files are "
                            "too many or too large.",
                            base=base,
                            suffix=SUFFIX,
                        )
                    yield path, data
