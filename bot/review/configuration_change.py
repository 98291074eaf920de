"""A change of the framework's configuration: the files to tell which scripts it breaks.

Only a change that touches the configuration costs more requests than others: one for the names of
the head's files, one for each 100 of its scripts and of the files that say how they are read, and
one for each 25 files of the configuration at the base.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from typing import Final

from bot.base.config import SCRIPT_SUFFIXES
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.check.configuration_change import configuration_change, script_change
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.frameworks import Checkout, configuration_folder, needed
from bot.github.change import ChangeSource
from bot.report import ConfigurationChange

MOST_SCRIPTS: Final = 600
"""Scripts of a repository that are compared; verl's has 240."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedConfiguration:
    """The scripts of the head, and the configuration before the change and after it."""

    scripts: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)
    """Path to content of the files that say how the scripts are read."""
    after: Mapping[str, bytes] = field(default_factory=dict)
    problem: str | None = None
    """Why they were not read."""


def changed_configuration(
    source: ChangeSource, checked: Collection[str]
) -> ChangedConfiguration | None:
    """What is needed to compare; None for a change that leaves the configuration alone.

    `checked` are the scripts of the change, which are checked by themselves. Never raises
    UserError: what cannot be read becomes the problem.
    """
    folders = {
        path: folder
        for path in source.changes
        if (folder := configuration_folder(path)) is not None
    }
    if not folders:
        return None
    try:
        return _read_changed(source, folders, checked)
    except UserError as error:
        return ChangedConfiguration(problem=sentence_of(error))


def _read_changed(
    source: ChangeSource, folders: Mapping[str, str], checked: Collection[str]
) -> ChangedConfiguration:
    scripts = source.chosen(lambda paths: [p for p in paths if p.endswith(SCRIPT_SUFFIXES)])
    if len(scripts) > MOST_SCRIPTS:
        why = message(
            "the repository has {count} scripts; at most {most} are read with a change of the "
            "configuration. Check them with rlbot lint --was",
            count=f"{len(scripts):,}",
            most=MOST_SCRIPTS,
        )
        return ChangedConfiguration(problem=why)
    after = source.chosen(lambda paths: needed(paths, scripts))
    before = {path: data for path, data in after.items() if path not in folders}
    before |= _at_base(source, folders)
    others = {path: data for path, data in scripts.items() if path not in checked}
    return ChangedConfiguration(scripts=others, before=before, after=after)


def _at_base(source: ChangeSource, folders: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """The changed files as they are at the base."""
    places = [(source.base, path) for path in folders]
    for (_, path), data in source.files(places).items():
        if data is not None:
            yield path, data
    # GitHub names a renamed file by its new path alone.
    renamed = {folder for path, folder in folders.items() if source.changes[path] == "RENAMED"}
    for folder in sorted(renamed):
        yield from source.below(source.base, folder, "").items()


def compare(
    changed: ChangedConfiguration, options: CheckOptions, begin: Callable[[str], bool]
) -> ConfigurationChange:
    """What the change breaks in the other scripts; `begin` says whether one is read, by its path.

    Raises what `script_change` raises.
    """
    before, after = (
        replace(options, place=InCheckout(Checkout(files), files.get))
        for files in (changed.before, changed.after)
    )
    return configuration_change(
        script_change(ScriptFile(path=path, data=data), before, after)
        for path, data in sorted(changed.scripts.items())
        if begin(path)
    )
