"""Composes untrusted configurations as Hydra does, from files in memory.

The defaults list and the merging are hydra-core's and omegaconf's own, except where
`plain_defaults` gives the same without them. Around them stand bounds, since the files may come
from a stranger's pull request: YAML is read as plain data with limits on size, depth and aliases;
`_target_` is never followed; no resolver (`${oc.env:HOME}`) is run while composing, it stays the
text that it is; nothing is read but the files given, whatever a search path says. Hydra's own
configuration (the key `hydra`) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from bot.base.messages import sentence_of
from bot.base.regex import regex
from bot.frameworks.files.config_files import LIMITS, SUFFIX, ComposeError, ConfigLimits
from bot.frameworks.hydra.tree import YamlTree

if TYPE_CHECKING:
    from bot.frameworks.hydra.config_folder import ConfigFolder
    from bot.frameworks.hydra.memory_source import MemoryRepository


_NAME = regex(rb"[\w.-]+")
_LIST = regex(
    rb"(?m)^[ \t]{0,40}-[ \t]{1,9}(?:override )?/?([\w./-]{1,200})(?:@[\w.]{1,200})?:"
    rb"[ \t]{0,9}(?:\[|$)"
)
"""An entry of a defaults list with a list of options: `- /experiments: []`."""
_Composed: TypeAlias = tuple[YamlTree, dict[str, str]]


class Composer:
    """Root configurations and groups of one set of files."""

    def __init__(
        self,
        files: Mapping[str, bytes] | ConfigFolder,
        *others: Mapping[str, bytes] | ConfigFolder,
        limits: ConfigLimits = LIMITS,
    ) -> None:
        """`files` are those of a configuration folder, path relative to it → content.

        `others` are folders that are searched after it; of either kind, one that another set has,
        too, is read once. Files other than `.yaml` are left out.
        Raises `ComposeError` for a set that is over the limits.
        """
        self._folders = tuple(_folder(one, limits) for one in (files, *others))
        self._limits = limits
        self._repository: MemoryRepository | None = None
        self._spent = 0
        self._composed: dict[tuple[str, tuple[tuple[str, str], ...]], _Composed | ComposeError] = {}

    @property
    def folder(self) -> ConfigFolder:
        """The first folder."""
        return self._folders[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations of the first folder that stand in no group, without `.yaml`."""
        return tuple(
            sorted(path.removesuffix(SUFFIX) for path in self.folder.files if "/" not in path)
        )

    def groups(self) -> dict[str, list[str]]:
        """Configuration groups (folders) with their options."""
        return groups_of(folder.files for folder in self._folders)

    def compose(self, root: str, chosen: Mapping[str, str]) -> tuple[YamlTree, dict[str, str]]:
        """The composed configuration and its choices (group key → option).

        `chosen` are the options that are not the default ones, by group key. References stay as
        they are written. Raises `ComposeError` when Hydra refuses, or when it takes too long.
        """
        request = (root, tuple(sorted(chosen.items())))
        if request not in self._composed:
            if self._spent > self._limits.all_nodes:
                raise ComposeError("the configuration has too many choices to try them all")
            self._composed[request] = self._compose(root, chosen)
        found = self._composed[request]
        if isinstance(found, ComposeError):
            raise type(found)(sentence_of(found))
        return found[0], dict(found[1])

    def _compose(self, root: str, chosen: Mapping[str, str]) -> _Composed | ComposeError:
        """By Hydra, unless the files are such that it is not needed."""
        from bot.frameworks.hydra.plain_defaults import NotPlainError, compose_plainly

        try:
            tree, choices, nodes = compose_plainly(self._folders, self._limits, root, chosen)
        except NotPlainError:
            pass
        else:
            self._spent += nodes
            return tree, choices
        from bot.frameworks.hydra.memory_source import MemoryRepository, compose

        if self._repository is None:
            self._repository = MemoryRepository(self._folders, self._limits)
        try:
            return compose(self._repository, root, chosen)
        except ComposeError as error:
            return error
        finally:
            self._spent += self._repository.nodes

    @cached_property
    def _listed(self) -> frozenset[str]:
        files = (data for folder in self._folders for data in folder.files.values())
        return frozenset(name.decode() for data in files for name in _LIST.findall(data))

    def lists(self, key: str) -> bool:
        """Whether a defaults list may give the group of a choice a list of options."""
        name = key.split("@")[0]
        return name in self._listed or name.rpartition("/")[2] in self._listed

    def mentions(self, name: str) -> bool:
        """Whether a file may have a key of this name; one that none has is in no composition."""
        return _may_name(name, (folder.mentioned for folder in self._folders))

    def refers_to(self, name: str) -> bool:
        """Whether a line with a reference (`${…}`) may name a key that ends with this name."""
        return _may_name(name, (folder.referred for folder in self._folders))


def _may_name(name: str, known: Iterable[frozenset[bytes]]) -> bool:
    given = name.encode()
    return not _NAME.fullmatch(given) or any(given in names for names in known)


def _folder(given: Mapping[str, bytes] | ConfigFolder, limits: ConfigLimits) -> ConfigFolder:
    """A folder that was read under the same limits as it is."""
    from bot.frameworks.hydra.config_folder import ConfigFolder

    if isinstance(given, ConfigFolder):
        return given if given.limits == limits else _folder(given.files, limits)
    return ConfigFolder(_checked(given, limits), limits)


def groups_of(folders: Iterable[Iterable[str]]) -> dict[str, list[str]]:
    """Configuration groups: each folder below a root folder that holds YAML files."""
    groups: dict[str, set[str]] = {}
    for folder in folders:
        for path in folder:
            group, _, name = path.rpartition("/")
            if group and name.endswith(SUFFIX):
                groups.setdefault(group, set()).add(name.removesuffix(SUFFIX))
    return {group: sorted(options) for group, options in sorted(groups.items())}


def _checked(folder: Mapping[str, bytes], limits: ConfigLimits) -> dict[str, bytes]:
    # A copy that somebody keeps beside a file (`ppo_trainer copy.yaml`) is never chosen.
    files = {p: data for p, data in folder.items() if p.endswith(SUFFIX) and " " not in p}
    if len(files) > limits.files:
        raise ComposeError(
            "it has {count} files, more than {files}", count=len(files), files=limits.files
        )
    for path, data in files.items():
        if not re.fullmatch(r"[\w.-]+(?:/[\w.-]+)*", path) or ".." in path.split("/"):
            raise ComposeError("{path} is no path of a configuration file", path=f"{path[:80]!r}")
        if len(data) > limits.file_bytes:
            raise ComposeError(
                "{path} has {count} bytes, more than {file_bytes}",
                path=path,
                count=len(data),
                file_bytes=limits.file_bytes,
            )
    if (size := sum(map(len, files.values()))) > limits.all_bytes:
        raise ComposeError(
            "its files have {size} bytes, more than {all_bytes}",
            size=size,
            all_bytes=limits.all_bytes,
        )
    return files
