"""A script as every door reads it: its commands, its name, its comments, its launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.check.request import CheckOptions, ScriptFile
from bot.frameworks import plans
from bot.frameworks.plan import Plan
from bot.script.header import Header, read_header
from bot.script.name import ScriptName, read_name
from bot.shell import read
from bot.shell.words import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScript:
    """One script, read; nothing is judged yet."""

    reading: Reading
    name: ScriptName
    header: Header
    plans: Sequence[Plan]
    """One for each launch of a known framework, in order."""


def read_script(
    script: ScriptFile,
    options: CheckOptions,
    *,
    environment: Mapping[str, str] | None = None,
    assumed: Mapping[str, str] | None = None,
    arguments: Sequence[str] | None = None,
) -> ReadScript:
    """Read a script; the tree counts for one that stands in it.

    `environment`, `assumed` and `arguments` are those of `bot.shell.read`. Raises UserError when an
    option names an unknown release.
    """
    reading = read(
        script.data,
        script.path,
        environment=environment,
        assumed=assumed or {},
        arguments=arguments,
        files=options.files if script.tree_path is not None else None,
        script_path=script.tree_path,
    )
    header = read_header(reading.comments)
    return ReadScript(
        reading=reading,
        name=read_name(script.full_path or script.path, options.config.name_profiles()),
        header=header,
        plans=plans_of(reading, header, options),
    )


def plans_of(reading: Reading, header: Header, options: CheckOptions) -> Sequence[Plan]:
    """What a reading launches, each under the release that counts for it.

    A release that was asked for comes first, the script's own comment second. Raises UserError when
    one that was asked for is not known.
    """
    return plans(
        reading,
        versions={**options.config.framework, **options.versions},
        header_versions={name: stated.text for name, stated in header.versions.items()},
        trees=options.trees,
    )
