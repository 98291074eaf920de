"""What the plans of frameworks with command-line options share: table, values, launchers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from math import prod
from typing import Any

from bot.base.fast_dataclass import dataclass
from bot.frameworks.base import Explanation
from bot.frameworks.configuration import Configuration, Versions
from bot.frameworks.fields import AppliedSettings
from bot.frameworks.files.named_files import below_unknown
from bot.frameworks.launchers.launcher_options import launcher_option, unknown_options
from bot.frameworks.plan import Field, Launch, Plan, nothing
from bot.frameworks.programs.program import TrlProgram
from bot.frameworks.python.argparse_options import UNREADABLE
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.options import OptionLine, ReadLines, read_line
from bot.frameworks.settings.releases import entry_root, release
from bot.frameworks.settings.setting import Setting
from bot.frameworks.tables import table as release_table

LAUNCHER = "accelerate.commands.launch"
"""The module whose options the command `trl NAME` takes beside those of the script."""

_FORMERLY = {"trl.scripts.reward": "examples.scripts.reward_modeling"}
"""What took the class of a script of TRL's before there was the script: until 0.23."""


def chosen(
    name: str,
    launch: Launch,
    versions: Versions,
    *,
    with_launcher: Collection[str] | None = None,
    program: TrlProgram | None = None,
) -> Configuration:
    """The release that a launch is read by, with the options of its module there.

    A program of the repository adds its own, and may change the values of others. `with_launcher`
    are options of classes that may be its own too, whatever they take, beside the launcher's.
    """
    own = program is not None or launch.command.written
    formerly = _FORMERLY.get(launch.entry, "") if own else ""

    def root_in(known: str) -> str | None:
        return entry_root(name, known, launch.entry) or entry_root(name, known, formerly)

    found = versions.having(name, launch.entry, lambda known: root_in(known) is not None)
    root = root_in(found.release)
    if root is None:
        return found
    if with_launcher is not None:
        return found.with_table(_with_launcher(name, found.release, root, frozenset(with_launcher)))
    if program is not None:
        data = release(name, found.release)
        options = {**data["roots"][root], **program.options}
        for key in program.assigned & options.keys():
            stored, kind, arity, _, choices = options[key]
            options[key] = [stored, kind, arity, UNREADABLE, choices]
        return found.with_table(OptionTable({**data, "roots": {root: options}}, root))
    return found.with_table(release_table(name, found.release, root))


@lru_cache(maxsize=128)
def _with_launcher(name: str, version: str, root: str, also: frozenset[str]) -> OptionTable:
    data = release(name, version)
    others = {one: [one, "any", "*", UNREADABLE, None] for one in also}
    merged = {**others, **data["roots"].get(LAUNCHER, {}), **data["roots"][root]}
    return OptionTable({**data, "roots": {root: merged}}, root)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsing:
    """How a program takes its command line."""

    elsewhere: str | None = None
    """An option that names a file of more settings: where that was not read, a default says
    nothing."""
    drops_rest: bool = False
    """Whether a word which belongs to no option is passed over."""
    lines: ReadLines | None = None
    """What the release that was tried before has read: most have the same options."""


def explained(
    launch: Launch,
    configuration: Configuration,
    fill: Callable[[Plan, AppliedSettings], Plan],
    parsing: Parsing,
) -> Explanation:
    """How a configuration takes a launch; `fill` adds to a plan what the options mean."""
    command, table = launch.command, configuration.table
    options = table if isinstance(table, OptionTable) else None
    of_file = len(launch.argv if command.implied else command.settings)
    line = _line(launch, options, of_file, parsing.lines)
    settings = tuple(line.settings)
    bad = tuple(one for one in line.bad if not parsing.drops_rest or one.word.text.startswith("-"))

    def plan() -> Plan:
        begun = Plan(
            launch=launch,
            framework=launch.framework,
            configuration=configuration,
            settings=settings,
            bad_arguments=bad,
        )
        return fill(begun, _applied(settings, launch, options, parsing.elsewhere))

    return Explanation(configuration, settings, bad, plan)


def _line(
    launch: Launch, options: OptionTable | None, of_file: int, read: ReadLines | None
) -> OptionLine:
    """The arguments, as the release before has read them where it has the same options."""
    if options is None or read is None:
        return read_line(launch.argv, options, of_file)
    before = read.get(id(launch))
    if before is None or not options.is_alike(before[0]):
        before = read[id(launch)] = options, read_line(launch.argv, options, of_file)
    return before[1]


def _applied(
    settings: Sequence[Setting], launch: Launch, options: OptionTable | None, elsewhere: str | None
) -> AppliedSettings:
    """What each option then is."""
    given = {setting.key: setting.value for setting in settings}
    if options is not None:
        given = {options.destination(key): value for key, value in given.items()} | given
    unread = elsewhere is not None and elsewhere in given and not launch.command.settings
    known = frozenset(() if unread else options or ())

    def value(key: str) -> Any:
        if key in given:
            return given[key]
        found = options.get(key) if options is not None and key in known else None
        default = found.default if found else None
        return None if default == UNREADABLE else default

    return AppliedSettings(settings, value)


def backend(launch: Launch, values: AppliedSettings) -> Field[str]:
    """Deepspeed or fsdp, by the options of the launcher or the trainer; unknown without any."""
    for key, name in (
        ("deepspeed_stage", "deepspeed"),
        ("deepspeed_config_file", "deepspeed"),
        ("deepspeed", "deepspeed"),
        ("use_deepspeed", "deepspeed"),
        ("zero_stage", "deepspeed"),
        ("fsdp", "fsdp"),
        ("fsdp_config", "fsdp"),
        ("use_fsdp", "fsdp"),
    ):
        option = launcher_option(launch, key)
        if option is not None:
            second = name == "fsdp" and launcher_option(launch, "fsdp_version")
            name = "fsdp2" if second and second.value == "2" else name
            return Field(name, span=option.span, key=option.name)
        setting = values.setting(key)
        if setting is not None and setting.value not in (None, "", False):
            return Field(name, span=setting.value_span, key=key)
    if launch.launcher_file:
        return nothing()
    given = launcher_option(launch, "config_file", "accelerate_config")
    setting = values.setting("accelerate_config") or values.setting("config_file")
    if given is None and setting is None and (place := unknown_options(launch)) is not None:
        return Field(None, span=place, key="config_file")
    if given is None and setting is None:
        return Field("deepspeed", default=True) if "deepspeed" in launch.launcher else nothing()
    text = below_unknown(given.text if given else setting.text if setting else "")
    text = "" if "${?" in text else text
    # Presets of TRL (deepspeed_zero3.yaml, zero2, fsdp2.yaml, multi_gpu) and open-instruct
    # (ds_configs/…); what another file holds is not known.
    file = text.rsplit("/", 1)[-1].removesuffix(".yaml").removesuffix(".json")
    if file in ("multi_gpu", "single_gpu"):
        return nothing()
    value = None
    if re.fullmatch(r"(?:deepspeed_\w*|stage[123]\w*|ds_\w*)?(?:zero[123]\w*)?", file) and file:
        value = "deepspeed"
    elif re.fullmatch(r"fsdp[12]?(?:_\w+)?", file):
        value = "fsdp2" if file.startswith("fsdp2") else "fsdp"
    span = given.span if given else (setting.value_span if setting else None)
    return Field(value, span=span, key="config_file")


def lora(values: AppliedSettings, *switches: str) -> Field[str]:
    """LoRA or DoRA by the switches of PEFT; "" when none is on."""
    for switch in switches:
        setting, span = values.setting(switch), values.span(switch)
        if values.on(switch):
            if values.on("use_dora"):
                dora = values.span("use_dora")
                return Field("dora", span=span if dora is None else dora, key="use_dora")
            return Field("lora", span=span, key=switch)
        if setting is not None and not setting.known:
            return Field(None, span=span, key=switch)
    off = next((switch for switch in switches if values.value(switch) is False), None)
    return nothing() if off is None else values.field(off, lambda _: "")


def times(*fields: Field[int], by: Sequence[Field[int]] = ()) -> Field[int]:
    """A product divided by other numbers; unknown when one is, or when it does not divide."""
    every = (*fields, *by)
    where = next((found for found in every if found.span is not None), every[0])
    if any(not found.value for found in every):
        return Field(None, span=where.span, key=where.key)
    number = prod(found.value or 0 for found in fields)
    divisor = prod(found.value or 1 for found in by)
    value = number // divisor if number % divisor == 0 else None
    default = value is not None and all(found.default for found in every)
    return Field(value, span=where.span, key=where.key, default=default)
