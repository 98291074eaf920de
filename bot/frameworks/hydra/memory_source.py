"""Hydra's composition over files in memory, with bounds; imports hydra-core, so import it late.

Works on the parts that `hydra.compose` is made of (hydra-core 1.3: `create_defaults_list` and
`ConfigLoaderImpl._compose_config_from_defaults_list`) instead of on `hydra.compose` itself, which
reads folders, keeps global state, follows `hydra.searchpath` out of the folder, and copies
variables of the environment that a configuration names (`hydra.job.env_copy`).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import ConfigRepository
from hydra._internal.config_search_path_impl import ConfigSearchPathImpl
from hydra._internal.defaults_list import create_defaults_list
from hydra.core.default_element import ResultDefault
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.types import Override, OverrideType, Quote, QuotedString, ValueType
from hydra.plugins.config_source import ConfigLoadError, ConfigResult, ConfigSource
from omegaconf import DictConfig, OmegaConf, flag_override
from omegaconf.errors import OmegaConfBaseException

from bot.base.regex import regex
from bot.frameworks.files.config_files import SUFFIX, ComposeError, ConfigLimits, HydraRefusalError
from bot.frameworks.files.yaml_data import show
from bot.frameworks.hydra import rules
from bot.frameworks.hydra.config_folder import ConfigFolder, normal
from bot.frameworks.hydra.tree import YamlTree

_UNFOUND = regex(r"In '([^']{1,200})': (Could not (?:find|load) '(?:[^']{0,200}/)?([^'/]{1,200})')")


class _MemorySource(ConfigSource):
    """A folder of configuration files that is a mapping."""

    def __init__(self, folder: ConfigFolder) -> None:
        super().__init__(provider="main", path="memory://")
        self.folder = folder
        self.files = folder.files
        self.listing = False
        """Whether files are loaded for their defaults lists alone."""

    @staticmethod
    def scheme() -> str:
        """The name by which Hydra distinguishes sources."""
        return "memory"

    def load_config(self, config_path: str) -> ConfigResult:
        """A configuration of its own, since Hydra changes what it loads."""
        path = _file(config_path)
        if path not in self.files:
            raise ConfigLoadError(f"Config not found: {config_path}")
        data, head, _ = self.folder.read(path)
        if self.listing:
            data = _outline(data)
        try:
            config = OmegaConf.create({} if data is None else data)
        except OmegaConfBaseException as error:
            raise OmegaConfBaseException(f"{path}: {error}") from None
        return ConfigResult(
            config=config,
            path="memory://",
            provider="main",
            header=ConfigSource._get_header_dict(head),
        )

    def available(self) -> bool:
        """Always."""
        return True

    def is_group(self, config_path: str) -> bool:
        """Whether it is a folder."""
        return normal(config_path) in ("", *self.folder.groups)

    def is_config(self, config_path: str) -> bool:
        """Whether it is a file, named with or without its ending."""
        return _file(config_path) in self.files

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        """The files or folders in a folder."""
        folder = normal(config_path)
        before = f"{folder}/" if folder else ""
        inside = [path[len(before) :] for path in self.files if path.startswith(before)]
        configs = {name.removesuffix(SUFFIX) for name in inside if "/" not in name}
        groups = {name.partition("/")[0] for name in inside if "/" in name}
        if results_filter is None:
            return sorted(configs | groups)
        return sorted(configs if results_filter is ObjectType.CONFIG else groups)


class _NoSchema(_MemorySource):
    """The place of Hydra's registered schemas, of which there are none."""

    def load_config(self, config_path: str) -> ConfigResult:
        """Raises always, which Hydra takes for "no schema"."""
        raise ConfigLoadError(f"Config not found: {config_path}")


class MemoryRepository(ConfigRepository):
    """Several such folders; the first one that has a file gives it."""

    def __init__(self, folders: Sequence[ConfigFolder], limits: ConfigLimits) -> None:
        self._folders = [_MemorySource(folder) for folder in folders]
        self.sources = list(self._folders)
        self._listing = False
        self.limits = limits
        self.loads = 0
        self.nodes = 0
        self._listed: dict[str, ConfigResult | None] = {}
        """Files loaded for their defaults lists, which Hydra leaves as they are."""

    def list_only(self, listing: bool) -> None:
        """Whether files are loaded for their defaults lists alone, which takes half as long."""
        self._listing = listing
        for source in self._folders:
            source.listing = listing

    def line_of(self, path: str, word: str) -> str:
        """Where a word first stands in a file: ", line 3"; nothing where it does not."""
        data = next((s.files[path] for s in self._folders if path in s.files), b"")
        lines = data.decode("utf-8", "replace").splitlines()
        return next((f", line {at}" for at, line in enumerate(lines, 1) if word in line), "")

    def get_schema_source(self) -> ConfigSource:
        """None of any use."""
        return _NoSchema(ConfigFolder({}, self.limits))

    def load_config(self, config_path: str) -> ConfigResult | None:
        """As Hydra's; raises `ComposeError` once a composition has loaded too much."""
        source = self._find_object_source(config_path, ObjectType.CONFIG)
        self._count(source, config_path)
        if not self._listing:
            return super().load_config(config_path)
        if config_path not in self._listed:
            self._listed[config_path] = super().load_config(config_path)
        return self._listed[config_path]

    def _count(self, source: ConfigSource | None, config_path: str) -> None:
        self.loads += 1
        if isinstance(source, _MemorySource):
            self.nodes += source.folder.cost(_file(config_path), listing=source.listing)
        if self.loads > self.limits.loads or self.nodes > self.limits.nodes:
            raise ComposeError(
                "it loads too many files or values: its defaults lists may refer to each other"
            )


def compose(
    repository: MemoryRepository, root: str, chosen: Mapping[str, str]
) -> tuple[YamlTree, dict[str, str]]:
    """See `Composer.compose`."""
    repository.loads = repository.nodes = 0
    try:
        with warnings.catch_warnings(action="ignore"):
            repository.list_only(True)
            listed = create_defaults_list(
                repo=repository,
                config_name=root,
                overrides_list=[_choice(key, option) for key, option in chosen.items()],
                prepend_hydra=False,
                skip_missing=False,
            )
            repository.list_only(False)
            _refuse_deep_packages(listed.defaults, repository.limits)
            merged = _merged(listed.defaults, repository)
            tree = OmegaConf.to_container(merged, resolve=False)
    except RecursionError:
        raise ComposeError("the defaults lists of {root} refer to each other", root=root) from None
    except ComposeError:
        raise
    except Exception as error:  # Hydra's, OmegaConf's, and what they let through: each refuses
        raise HydraRefusalError(
            "Hydra refuses {root}: {why}", root=root, why=_complaint(error, repository)
        ) from None
    if not isinstance(tree, dict):
        raise ComposeError("{root} is no mapping", root=root)
    choices = {
        str(key): str(option)
        for key, option in listed.overrides.known_choices.items()
        if option is not None
    }
    return {str(key): show(node) for key, node in tree.items()}, choices


def _refuse_deep_packages(defaults: list[ResultDefault], limits: ConfigLimits) -> None:
    deepest = max(((default.package or "").count(".") for default in defaults), default=0)
    if deepest > limits.package:
        raise ComposeError(
            "its defaults lists put a file more than {count} mappings deep",
            count=limits.package,
        )


def _merged(defaults: list[ResultDefault], repository: MemoryRepository) -> DictConfig:
    """What `ConfigLoaderImpl._compose_config_from_defaults_list` gives.

    That corrects the parents of all nodes after each file, which takes the square of their number.
    """
    loader = ConfigLoaderImpl(ConfigSearchPathImpl())
    config = OmegaConf.create()
    files = [loader._load_single_config(default, repository).config for default in defaults]
    with flag_override(config, "no_deepcopy_set_nodes", True):
        config.merge_with(*files)
    return config


def _choice(key: str, option: str) -> Override:
    """The override `key=option` of a group choice: see `rules.option_of`."""
    group, _, package = key.removeprefix("+").partition("@")
    several = [QuotedString(text=one, quote=Quote.single) for one in rules.options_in(option)]
    return Override(
        type=OverrideType.ADD if key.startswith("+") else OverrideType.CHANGE,
        key_or_group=group,
        package=package or None,
        value_type=ValueType.ELEMENT,
        _value=several if option.startswith("[") else several[0],
        input_line=f"{key}={option}",
    )


def _file(config_path: str) -> str:
    return str(ConfigSource._normalize_file_name(normal(config_path)))


def _outline(data: Any) -> Any:
    """The defaults list, and one setting of those beside it: Hydra asks whether there is any."""
    if not isinstance(data, dict):
        return data
    found = {key: None for key, value in data.items() if key != "defaults" and value != "???"}
    listed = {"defaults": data["defaults"]} if "defaults" in data else {}
    return {**listed, **dict(list(found.items())[:1])}


def _complaint(error: Exception, repository: MemoryRepository) -> str:
    """What Hydra says, in one line, with references as they were written."""
    complaint = str(show(str(error))).partition("full_key:")[0]
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    if found := _UNFOUND.match(lines[0] if lines else ""):
        path = f"{found[1]}{SUFFIX}"
        return f"{path}{repository.line_of(path, found[3])}: {found[2]}"
    text = " ".join(lines[:2]) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:300]}…"
