"""A folder of configuration files in memory, each read once."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from bot.base.regex import regex
from bot.frameworks.files.config_files import ComposeError, ConfigLimits
from bot.frameworks.hydra.tree import MISSING, YamlTree

_FILE: Final = 20
_ENTRY: Final = 10
"""What a file and an entry of a defaults list cost, in values."""
_FEW: Final = 20
"""Entries of a list up to which one costs no more than another; verl has up to 14."""
_HEAD: Final = 512
"""Characters in which `# @package` is looked for."""
_BEFORE_KEYS: Final = (b" ", b"\n", b"\t", b"{", b"[", b",")
_LAST = regex(rb"\.(\w+)")


class FileData(NamedTuple):
    """A file that was read."""

    data: Any
    head: str
    """The beginning of its text."""
    values: int


class ConfigFolder:
    """Configuration files by path from their folder."""

    def __init__(self, files: Mapping[str, bytes], limits: ConfigLimits) -> None:
        self.files = files
        self.limits = limits
        self._read: dict[str, FileData] = {}
        self._plain: dict[str, YamlTree | None] = {}
        self.groups = {
            path[:at] for path in files for at, character in enumerate(path) if character == "/"
        }
        """The folders in it."""

    def read(self, path: str) -> FileData:
        """A file with its resolver calls hidden and nothing of Hydra's own; raises ComposeError."""
        if path not in self._read:
            from bot.frameworks.files.yaml_data import count, hide, read_yaml  # PyYAML takes long.

            text = _decoded(path, self.files[path])
            data = hide(_without_hydra(read_yaml(path, text, self.limits)))
            self._read[path] = FileData(data, text[:_HEAD], count(data))
        return self._read[path]

    def plain(self, path: str) -> YamlTree | None:
        """The settings of a file that OmegaConf would take as they are; None for another file.

        Resolver calls stand there as they were written. Whoever takes them leaves them as they are.
        """
        if path not in self._plain:
            from bot.frameworks.files.yaml_data import show

            data = self.read(path).data or {}
            body = isinstance(data, dict) and {k: v for k, v in data.items() if k != "defaults"}
            plain = isinstance(body, dict) and is_plain(body)
            self._plain[path] = show(body) if plain else None
        return self._plain[path]

    @cached_property
    def mentioned(self) -> frozenset[bytes]:
        """Every name that a file may have a key of."""
        return frozenset(_key(part) for data in self.files.values() for part in data.split(b":"))

    @cached_property
    def referred(self) -> frozenset[bytes]:
        """Every last part of a name in a line with a reference (`${…}`)."""
        lines = (line for data in self.files.values() for line in data.splitlines() if b"$" in line)
        return frozenset(name for line in lines for name in _LAST.findall(line))

    def cost(self, path: str, *, listing: bool) -> int:
        """What loading a file costs, in values; `listing` for its defaults list alone."""
        data, _, values = self.read(path)
        listed = data.get("defaults") if isinstance(data, dict) else None
        number = len(listed) if isinstance(listed, list) else 0
        # Hydra looks through the entries before it for each.
        entries = _ENTRY * number * (1 + number // _FEW)
        return _FILE + entries if listing else _FILE + values


def _key(before: bytes) -> bytes:
    """The last word before a colon, without quotes: a key, if one stands there."""
    word = before.rstrip().rstrip(b"'\"")
    start = max(map(word.rfind, _BEFORE_KEYS)) + 1
    return word[start:].lstrip(b"'\"")


def normal(config_path: str) -> str:
    """The path without `..`: `critic/../engine` is a folder's way to its neighbour."""
    return posixpath.normpath(f"/{config_path}").lstrip("/")


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ComposeError("{path} is not UTF-8", path=path) from None


def _without_hydra(data: Any) -> Any:
    """The data without what configures Hydra itself: its key, and overrides of its groups."""
    if not isinstance(data, dict):
        return data
    kept = {key: value for key, value in data.items() if key != "hydra"}
    if isinstance(listed := kept.get("defaults"), list):
        kept["defaults"] = [item for item in listed if not _of_hydra(item)]
    return kept


def _of_hydra(item: Any) -> bool:
    names = [str(name).removeprefix("override ") for name in item] if isinstance(item, dict) else []
    return any(name.lstrip("/").startswith("hydra/") for name in names)


_REFERENCES: Final = regex(r"(?:[^$\\]|\$(?!\{)|\$\{\.*\w+(?:\.\w+)*\})*")
"""Texts whose references OmegaConf takes as they are."""

PACKAGE: Final = regex(r"(?:@?[\w-]++\.?)*")
"""Where a file is put, when the parts between the dots are the names of mappings.

For Hydra a second `@` before a package, which releases of verl have, belongs to the first name.
"""


def is_plain(data: Any) -> bool:
    """Whether OmegaConf keeps the data as it is: names for keys, references of the usual form."""
    if isinstance(data, dict):
        return all(isinstance(key, str) and is_plain(value) for key, value in data.items())
    if isinstance(data, list):
        return all(map(is_plain, data))
    return not isinstance(data, str) or "${" not in data or bool(_REFERENCES.fullmatch(data))


def overlaid(into: dict[str, Any], data: Mapping[str, Any]) -> bool:
    """Lays plain data over a configuration as `OmegaConf.merge` does; the data stays as it is.

    OmegaConf makes an object of each value, which takes most of the time of a composition, and
    nearly every file holds names and plain values alone. False where OmegaConf may do otherwise, or
    refuses; `into` is then of no use.
    """
    for key, value in data.items():
        old = into.get(key)
        if value == MISSING and key in into:
            continue
        if isinstance(value, (dict, list)) and (
            (isinstance(old, (dict, list)) and type(value) is not type(old))
            or (isinstance(old, str) and "${" in old)
        ):
            return False
        if not isinstance(value, dict):
            into[key] = value
            continue
        inner = into[key] = old if isinstance(old, dict) else {}
        if not overlaid(inner, value):
            return False
    return True
