"""What each framework's launches mean: argv to a typed plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from bot.frameworks.base import Framework
from bot.frameworks.checkout import (
    Checkout,
    ScriptPlace,
    configuration_folder,
    counts,
    needed,
    needed_by,
)
from bot.frameworks.configuration import Versions
from bot.frameworks.files.named_files import started
from bot.frameworks.fit import fitted, unforked, with_reason
from bot.frameworks.hydra.config_tree import ConfigTree, read_tree, tree_table
from bot.frameworks.hydra.grammar import CHARACTERS, GRAMMAR
from bot.frameworks.launchers import launch as launches
from bot.frameworks.plan import Launch, Plan
from bot.frameworks.repository.pins import pinned_folder, read_installs
from bot.frameworks.verl.verl import Verl
from bot.shell.words import Command, Reading, Word

_NONE: Mapping[str, str] = MappingProxyType({})
_NO_TREE: Mapping[str, ConfigTree] = MappingProxyType({})


def frameworks() -> Iterator[Framework]:
    """Every known launcher family; the first one that matches a launch reads it.

    Each is imported when those before it do not match: most scripts start one alone.
    """
    yield Verl()
    from bot.frameworks.openrlhf import OpenRLHF

    yield OpenRLHF()
    from bot.frameworks.open_instruct import OpenInstruct

    yield OpenInstruct()
    from bot.frameworks.trl.launches import Trl

    yield Trl()


def find_launches(reading: Reading, place: ScriptPlace | None = None) -> tuple[Launch, ...]:
    """The commands of a script that start a known framework, in order.

    Programs of the repository that it stands in (`place`) are among them where they take the
    arguments of one.
    """

    def recognise(entry: str, argv: Sequence[Word]) -> tuple[str, str] | None:
        known = _recognised(entry, argv, place)
        return None if known and launches.printing_option(known[0], argv) else known

    return launches.find_launches(reading, recognise)


def printing_command(reading: Reading) -> tuple[Command, str, str] | None:
    """The first command that has a framework print its options or its configuration.

    With the program and the option.
    """
    for command in reading.commands:
        if (started := launches.unwrap(command.argv)) is None:
            continue
        known = _recognised(started.entry, started.argv, None)
        if known and (option := launches.printing_option(known[0], started.argv)):
            return command, started.entry, option
    return None


def _recognised(
    entry: str, argv: Sequence[Word], place: ScriptPlace | None
) -> tuple[str, str] | None:
    """The framework that a program starts, and its name there."""
    for framework in frameworks():
        module = launches.as_module(entry, framework.packages)
        if framework.matches(module, argv):
            return framework.name, framework.entry(module)
    if place and (copied := place.checkout.openrlhf.module(entry, place.path)) is not None:
        return "openrlhf", copied
    program = place and place.checkout.trl_programs.find(entry, place.path)
    return ("trl", entry) if program and program.takes(argv) else None


def plans(
    reading: Reading,
    *,
    versions: Mapping[str, str] = _NONE,
    header_versions: Mapping[str, str] = _NONE,
    trees: Mapping[str, ConfigTree] = _NO_TREE,
    place: ScriptPlace | None = None,
) -> tuple[Plan, ...]:
    """What each launch of a script intends to run, in order.

    `versions` are releases that the user requests, `header_versions` those that the script's
    comment names, both framework → release. `trees` are configurations (framework →
    `tree_table(…)`, for verl alone) by which every launch of their framework is read, whatever
    release is requested. Without any of them the repository counts that the script stands in
    (`place`): a vendored copy of the framework, else a pin of its release; else the release that
    has most of the script's settings, the newest of several.
    Raises `UserError` when a release in `versions` is not known.
    """
    with GRAMMAR.granted(CHARACTERS):
        found = find_launches(reading, place)
        programs = (_program(launch, place) for launch in found if launch.framework == "trl")
        named = Versions(
            versions,
            header_versions,
            trees,
            place,
            programs=tuple(dict.fromkeys(filter(None, programs))),
            installs={
                name: read_installs(name, reading.commands)
                for name in {launch.framework for launch in found}
            },
        )
        planned: dict[int, Plan] = {}
        for name in dict.fromkeys(launch.framework for launch in found):
            of_framework = [launch for launch in found if launch.framework == name]
            framework = next(one for one in frameworks() if one.name == name)
            read = fitted(of_framework, framework, named)
            if place is not None:
                read = [with_reason(unforked(plan, place), place) for plan in read]
            read = [plan.without_hidden() for plan in read]
            if name == "trl":
                from bot.frameworks.trl.unsloth_release import with_release

                read = [with_release(one, reading.commands, place, named.programs) for one in read]
            planned.update(zip(map(id, of_framework), read, strict=True))
        return tuple(planned[id(launch)] for launch in found)


def _program(launch: Launch, place: ScriptPlace | None) -> str | None:
    """The file of the repository that a launch starts."""
    return place.checkout.trl_programs.file_of(launch.program, place.path) if place else None


__all__ = (
    "Checkout", "ConfigTree", "ScriptPlace", "configuration_folder", "counts", "find_launches",
    "frameworks", "needed", "needed_by", "pinned_folder", "plans", "printing_command",
    "read_tree", "started", "tree_table",
)  # fmt: skip
