"""Reads versions of one script as the check of the script reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.frameworks.plan import Plan
from bot.shell.words import Reading

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Reader:
    """Bytes to a reading and its plans, with the script's tree, path and asked releases."""

    def __init__(self, script: ScriptFile, options: CheckOptions) -> None:
        self._script, self._options = script, options

    def __call__(
        self,
        data: bytes,
        *,
        arguments: Sequence[str] | None = None,
        environment: Mapping[str, str] = _NOTHING,
    ) -> tuple[Reading, tuple[Plan, ...]]:
        """What a version of the script would launch; with arguments, or variables of its caller."""
        context = read_script(
            replace(self._script, data=data),
            self._options,
            assumed=environment,
            arguments=arguments,
        )
        return context.reading, tuple(context.plans)
