"""Reads versions of one script as the check of the script reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bot.check import Options, Script
from bot.frameworks import plans
from bot.frameworks.plan import Plan
from bot.header import read_header
from bot.shell import read
from bot.shell.words import Reading

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Reader:
    """Bytes to a reading and its plans, with the script's tree, path and asked releases."""

    def __init__(self, script: Script, options: Options) -> None:
        self._script, self._options = script, options

    def __call__(
        self,
        data: bytes,
        *,
        arguments: Sequence[str] | None = None,
        environment: Mapping[str, str] = _NOTHING,
    ) -> tuple[Reading, tuple[Plan, ...]]:
        """What a version of the script would launch; with arguments, or variables of its caller."""
        reading = read(
            data,
            self._script.path,
            assumed=environment,
            arguments=arguments,
            files=self._options.files if self._script.tree_path is not None else None,
            script_path=self._script.tree_path,
        )
        said = read_header(reading.comments).versions
        found = plans(
            reading,
            versions={**self._options.config.framework, **self._options.versions},
            header_versions={framework: stated.text for framework, stated in said.items()},
            trees=self._options.trees,
        )
        return reading, tuple(found)
