"""A repository's own configuration on top of that of a released verl, which it does not hold.

Projects that install verl as a package begin their configuration with one of verl's
(`defaults: [ppo_trainer, _self_]`, found by `pkg://verl.trainer.config`). Their own files are
composed with a mark in the place of each of verl's roots; the release's table gives what the mark
stands for, with its choices, and what the files add and change is laid over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.files.config_files import LIMITS, SUFFIX, ComposeError
from bot.frameworks.hydra import rules
from bot.frameworks.hydra.compose import Composer
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.hydra.tree import YamlTree, lookup
from bot.frameworks.settings.releases import release, releases

if TYPE_CHECKING:
    from bot.frameworks.hydra.config_folder import ConfigFolder

_FRAMEWORK: Final = "verl"
_MARK: Final = "_root_of_verl_"
_OVERRIDE: Final = "override "
_NAME: Final = regex(r"[\w/@.-]{1,200}")


@dataclass(frozen=True, slots=True)
class OwnLayer:
    """A configuration that lies on one of verl's."""

    folder: str
    """Where it lies, from the root of the repository."""
    root: str
    composer: Composer
    """Its files, with the marks."""
    base: str
    """The root of verl's configuration that it begins with."""
    searched: bool = False
    """Whether the command line's search path is among its files."""
    overridden: tuple[tuple[str, str], ...] = ()
    """Group key and option of each of verl's own choices that the root replaces."""


def own_layer(
    folder: str,
    root: str,
    files: Mapping[str, bytes] | ConfigFolder,
    others: Iterable[Mapping[str, bytes] | ConfigFolder],
) -> OwnLayer | None:
    """The root of a folder that lies on verl's; None for one that takes nothing of verl's.

    `files` are those of the folder, `others` those of folders that it searches. Raises
    `ComposeError` for one that cannot be composed, as one that takes other parts of verl's.
    """
    composer, overridden = Composer(files, *others, _marks({})), {}
    try:
        tree, _ = composer.compose(root, {})
    except ComposeError:
        # The root may replace choices of verl's, which stand in the marks then.
        if not (overridden := _overrides(composer.folder.files.get(root + SUFFIX, b""))):
            raise
        composer = Composer(composer.folder, *others, _marks(overridden))
        tree, _ = composer.compose(root, {})
    base = tree.get(_MARK)
    if not isinstance(base, str):
        return None
    return OwnLayer(folder, root, composer, base, overridden=tuple(overridden.items()))


def _marks(overridden: Mapping[str, str]) -> dict[str, bytes]:
    """What stands in the place of verl's roots, and of the options that are replaced in them."""
    choices = "".join(f"\n- {key}: {_MARK}" for key in overridden)
    head = f"defaults:{choices}\n- _self_\n" if choices else ""
    marks = {f"{name}{SUFFIX}": f"{head}{_MARK}: {name}\n".encode() for name in _roots()}
    for key, option in overridden.items():
        group = key.partition("@")[0]
        marks |= {f"{group}/{name}{SUFFIX}": b"{}\n" for name in (_MARK, option)}
    return marks


def _overrides(data: bytes) -> dict[str, str]:
    """The `override group@package: option` of a root's defaults, by group key."""
    entries = mapping_of(data).get("defaults")
    return {
        _group_key(key.removeprefix(_OVERRIDE)): option
        for entry in (entries if isinstance(entries, list) else ())
        for key, option in (entry.items() if isinstance(entry, dict) else ())
        if isinstance(key, str) and key.startswith(_OVERRIDE) and isinstance(option, str)
        # Names alone: they are written into a file of marks.
        if _NAME.fullmatch(key.removeprefix(_OVERRIDE)) and _NAME.fullmatch(option)
        if not key.startswith(f"{_OVERRIDE}hydra/")
    }


def _group_key(text: str) -> str:
    """A group's key as Hydra shortens it: `critic@critic` is `critic`."""
    group, _, package = text.partition("@")
    return group if package == group.replace("/", ".") else text


def mapping_of(data: bytes) -> dict[str, Any]:
    """What a configuration's file holds; nothing for one that is no mapping or cannot be read."""
    from bot.frameworks.files.yaml_data import read_yaml

    try:
        found: Any = read_yaml("config", data.decode("utf-8-sig"), LIMITS)
    except (ComposeError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=32)
def layered_table(layer: OwnLayer, version: str) -> LayeredTable:
    """The settings of a layer on a release; raises `KeyError` when that lacks what it lies on."""
    return LayeredTable(release(_FRAMEWORK, version), layer)


def _roots() -> frozenset[str]:
    """The names of the roots of all releases."""
    return frozenset(
        name for one in releases(_FRAMEWORK) for name in release(_FRAMEWORK, one)["roots"]
    )


class LayeredTable(HydraTable):
    """The root of a release with a repository's own configuration on top."""

    composes = True

    def __init__(self, data: Mapping[str, Any], layer: OwnLayer) -> None:
        """`data` is the file of a release; raises `KeyError` when it lacks what is below."""
        super().__init__(data, layer.base)
        self._base = HydraTable(data, layer.base)
        self._layer = layer
        self._overridden = dict(layer.overridden)
        self.searched = layer.searched
        own, choices = layer.composer.compose(layer.root, {})
        self._own_choices = {k: o for k, o in choices.items() if k not in self._overridden}
        self._own_groups = layer.composer.groups()
        self.groups = _merged_groups(self._base.groups, self._own_groups)
        if missing := self._overridden.keys() - self._base.choices.keys():
            raise KeyError(*missing)
        tree, self._base_choices, doubt = self._base.under(self._overridden)
        if doubt or self._overridden.items() - self._base_choices.items():
            raise KeyError(doubt)
        self.tree = _over(self._shadowed(tree, self._base_choices), own)

    @property
    def choices(self) -> Mapping[str, str]:
        """Those of verl and of the repository."""
        return {**self._base_choices, **self._own_choices}

    @cached_property
    def alternatives(self) -> tuple[tuple[str, YamlTree], ...]:
        """As of the release, each with the repository's own on top."""
        own, _ = self._layer.composer.compose(self._layer.root, {})
        return tuple((choice, _over(tree, own)) for choice, tree in self._base.alternatives)

    def _shadowed(self, tree: YamlTree, choices: Mapping[str, str]) -> YamlTree:
        """The release's tree with what the repository's files of the same groups and names have.

        Hydra takes `data/legacy_data.yaml` of the repository in the place of verl's.
        """
        for key, option in choices.items():
            group, _, package = key.partition("@")
            if option not in self._own_groups.get(group, ()):
                continue
            try:
                whole = self._layer.composer.compose(f"{group}/{option}", {})[0]
            except ComposeError:
                continue
            node = lookup(whole, group.replace("/", "."))
            if not isinstance(node, dict):  # `# @package _global_`
                tree = _over(tree, whole)
                continue
            for part in reversed((package or group.replace("/", ".")).split(".")):
                node = {part: node}
            tree = _over(tree, node)
        return tree

    def under(self, wanted: Mapping[str, str]) -> tuple[YamlTree, dict[str, str], str]:
        """The release's tree under its choices, and the repository's under its own on top."""
        composer, groups = self._layer.composer, self._own_groups
        mine = {
            key: option
            for key, option in wanted.items()
            if key in self._own_choices
            or (
                (key[0] == "+" or composer.lists(key))
                and rules.offered(key, option, groups, self._own_choices)
            )
        }
        theirs = {
            k: o
            for k, o in wanted.items()
            if k not in mine and (k in self._base.choices or k[0] == "+")
        }
        tree, choices, doubt = self._base.under(self._overridden | self._with_decided(theirs))
        choices |= {key: option for key, option in theirs.items() if self._adds(key, option)}
        try:
            own, own_choices = self._layer.composer.compose(self._layer.root, mine)
        except ComposeError:
            own, own_choices = self._layer.composer.compose(self._layer.root, {})
            doubt = doubt or "the repository's own configuration is not known under these choices"
        if own.get(_MARK) != self._layer.base:
            doubt = doubt or "the chosen configuration does not begin with verl's"
        return _over(self._shadowed(tree, choices), own), {**choices, **own_choices}, doubt

    def _adds(self, key: str, option: str) -> bool:
        """Whether an option of one of verl's groups is the repository's alone."""
        group = key.partition("@")[0]
        theirs = option in self._base.groups.get(group, ())
        return not theirs and option in self._own_groups.get(group, ())

    def _with_decided(self, theirs: Mapping[str, str]) -> dict[str, str]:
        """The choices of verl's, with what an option of the repository's decides among them.

        rllm adds `model_engine/megatron.yaml`, and verl chooses `${model_engine}_actor`.
        """
        usual, found = self._base.choices, dict(theirs)
        for key, option in theirs.items():
            if self._adds(key, option) and (start := usual.get(key)):
                for other, default in usual.items():
                    if default.startswith(f"{start}_"):
                        found.setdefault(other, option + default[len(start) :])
        return found


def _merged_groups(
    base: Mapping[str, Sequence[str]], own: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """The groups of a release and of a repository, with the options of both."""
    return {name: sorted({*own.get(name, ()), *base.get(name, ())}) for name in {**base, **own}}


def _over(base: YamlTree, own: YamlTree) -> YamlTree:
    """What `own` adds and changes, mappings merged."""
    merged = dict(base)
    for name, node in own.items():
        if name == _MARK:
            continue
        old = merged.get(name)
        if isinstance(node, dict) and isinstance(old, dict):
            node = _over(old, node)
        merged[name] = node
    return merged
