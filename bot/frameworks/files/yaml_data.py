"""Untrusted YAML as plain data: no object is constructed, size and depth are bounded.

Imports PyYAML and omegaconf, so import it late.
"""

from __future__ import annotations

from itertools import count as count_up
from typing import Any

import yaml

from bot.base.regex import regex
from bot.base.yaml_size import NestingError, size_of
from bot.frameworks.files.config_files import ComposeError, ConfigLimits, HydraRefusalError
from bot.frameworks.files.quick_yaml import YamlParser, omegaconf_class, quick_loader

_HIDDEN = "\ue000"
"""Stands for `$` in texts that call a resolver; from Unicode's private use area."""
_SIMPLE = regex(r"\$\{[\w.]+\}")
"""References that omegaconf recognises without its parser."""
_PARSED = 20
"""What parsing a text costs, in values."""
_REFERENCE_LENGTH = 400
"""Characters of a text with references; omegaconf's parser is slow with long ones."""


def read_yaml(path: str, text: str, limits: ConfigLimits) -> Any:
    """The data of one document, with the scalars that omegaconf reads (`1e-5` is a number).

    Raises `ComposeError` for anything but one document of plain data within the limits.
    """
    if _HIDDEN in text:
        raise ComposeError("{path} holds the character U+E000, which stands for nothing", path=path)
    try:
        node, data = _quick(path, text, limits) or _slow(path, text, limits)
        if node is None:
            return None
    except yaml.YAMLError as error:
        raise HydraRefusalError(
            "{path} is not YAML as Hydra reads it{place}", path=path, place=_place(error)
        ) from None
    except RecursionError:
        raise ComposeError("{path} nests too deeply", path=path) from None
    except ComposeError:
        raise
    except Exception as error:  # of a scalar that its tag does not fit
        raise ComposeError(
            "{path} is not YAML: {kind}", path=path, kind=type(error).__name__
        ) from None
    if not isinstance(data, (dict, list)):
        raise ComposeError("{path} is neither a mapping nor a list", path=path)
    _check(path, data)
    return data


def _quick(path: str, text: str, limits: ConfigLimits) -> tuple[yaml.Node | None, Any] | None:
    """The tree of a document and its data; None for what Hydra's own parser has to judge."""
    loader = quick_loader(text)
    if loader is None:
        return None
    try:
        return _tree_and_data(loader, path, limits)
    except (yaml.YAMLError, ValueError):
        return None


def _slow(path: str, text: str, limits: ConfigLimits) -> tuple[yaml.Node | None, Any]:
    loader = omegaconf_class()(text)
    compose_node, composed = loader.compose_node, count_up()

    def counted(parent: yaml.Node | None, index: object) -> yaml.Node | None:
        if next(composed) > limits.nodes:
            raise _too_many(path, limits)
        node: yaml.Node | None = compose_node(parent, index)
        return node

    loader.compose_node = counted
    try:
        return _tree_and_data(loader, path, limits)
    finally:
        loader.dispose()


def _tree_and_data(
    loader: YamlParser, path: str, limits: ConfigLimits
) -> tuple[yaml.Node | None, Any]:
    node = loader.get_single_node()
    if node is None:
        return None, None
    _measure(path, node, limits)
    return node, loader.construct_document(node)


def _too_many(path: str, limits: ConfigLimits) -> ComposeError:
    return ComposeError("{path} has more than {nodes} values", path=path, nodes=limits.nodes)


def _place(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    where = f", line {mark.line + 1}" if mark is not None else ""
    return f"{where}: {problem}" if problem else where


def _measure(path: str, node: yaml.Node, limits: ConfigLimits) -> None:
    try:
        size = size_of(node, limits.depth)
    except NestingError:
        raise ComposeError("{path} nests too deeply", path=path) from None
    if size > limits.nodes:
        raise _too_many(path, limits)


def _check(path: str, data: Any) -> None:
    """Refuse what omegaconf would make an object of, and references too long to parse."""
    if isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, (str, int, float, bool)) and key is not None:
                raise ComposeError(
                    "{path} has a key of type {kind}", path=path, kind=type(key).__name__
                )
            _check(path, value)
    elif isinstance(data, list):
        for value in data:
            _check(path, value)
    elif isinstance(data, str):
        if "${" in data and (len(data) > _REFERENCE_LENGTH or data.count("${") > 12):
            raise ComposeError("{path} has a text with references that is too long", path=path)
    elif data is not None and not isinstance(data, (bool, int, float)):
        raise ComposeError("{path} has a value of type {kind}", path=path, kind=type(data).__name__)


def count(data: Any) -> int:
    """What loading data costs, in values; a text that omegaconf must parse counts as many."""
    if isinstance(data, dict):
        return 1 + sum(count(value) for value in data.values())
    if isinstance(data, list):
        return 1 + sum(count(value) for value in data)
    if isinstance(data, str) and "${" in data and not _SIMPLE.fullmatch(data):
        return _PARSED
    return 1


def hide(data: Any) -> Any:
    """The data with resolver calls made plain text, which omegaconf cannot run."""
    if isinstance(data, dict):
        return {hide(key): hide(value) for key, value in data.items()}
    if isinstance(data, list):
        return [hide(value) for value in data]
    if isinstance(data, str) and ":" in data.partition("${")[2]:
        return data.replace("$", _HIDDEN)
    return data


def show(data: Any) -> Any:
    """The data with resolver calls as they were written."""
    if isinstance(data, dict):
        return {show(key): show(value) for key, value in data.items()}
    if isinstance(data, list):
        return [show(value) for value in data]
    return data.replace(_HIDDEN, "$") if isinstance(data, str) else data
