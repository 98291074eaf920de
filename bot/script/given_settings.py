"""Settings that whoever asks gives in the place of the script's own: `--set lora_r=64`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.base.errors import UncheckedError, UserError
from bot.base.messages import mark
from bot.base.regex import regex
from bot.frameworks import ScriptPlace, find_launches
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import GIVEN
from bot.shell.words import Command, Piece, Reading, Word

_SETTING = regex(r"(?:--|\+{1,2})?([\w./@-]{1,200})=")
_NONE: Final = mark("{path}: {framework} {release} has no setting {key}, which --set gives.")
_SIMILAR: Final = mark(
    "{path}: {framework} {release} has no setting {key}, which --set gives; did you mean {near}?"
)
_ON: Final = frozenset(("", "1", "true", "yes", "on"))
_OFF: Final = frozenset(("0", "false", "no", "off"))
_SEVERAL: Final = ("*", "+")
"""The arities of options that take a list, whose items commas part."""


def key_of(setting: str) -> str:
    """The key of `KEY=VALUE`; raises UserError for what is no setting."""
    found = _SETTING.match(setting)
    if found is None:
        raise UserError('--set takes KEY=VALUE, such as lora_r=64; got "{text}".', text=setting)
    return found[1]


def with_given(
    reading: Reading, plans: Sequence[Plan], place: ScriptPlace | None, settings: Sequence[str]
) -> Reading:
    """The reading with the settings behind those of each launch that has them, so that they count.

    `plans` are the reading's. Raises UserError for what is no setting, and UncheckedError for one
    that none of its launches has: those of another script may.
    """
    for setting in settings:
        key = key_of(setting)
        if plans and not any(_takes(plan, setting) for plan in plans):
            raise _unknown(key, plans[0], reading.source.path)
    launched = zip(find_launches(reading, place), plans, strict=True)
    by_command = {id(launch.command): plan for launch, plan in launched}

    def given(command: Command) -> Command:
        plan = by_command.get(id(command))
        if plan is None:
            return command
        taken = [one for one in settings if _takes(plan, one)]
        words = [_word(text, command) for one in taken for text in _texts(one, plan)]
        off = {key_of(one) for one in taken if _is_flag(one, plan) and not _switches_on(one)}
        gone = {id(one.word) for one in plan.settings if one.key in off}
        argv, own = (
            tuple(word for word in part if id(word) not in gone)
            for part in (command.argv, command.settings)
        )
        if command.written is not None:  # Its own words are other options.
            return replace(command, argv=argv, settings=(*own, *words))
        return replace(command, argv=(*argv, *words), settings=own)

    return replace(reading, commands=tuple(map(given, reading.commands)))


def refuse_values(plans: Sequence[Plan], path: str) -> None:
    """Raise UncheckedError for the first value that is given and that the framework refuses."""
    for plan in plans:
        verdicts = plan.table.verdicts(plan.settings) if plan.table is not None else ()
        for setting, verdict in zip(plan.settings, verdicts, strict=False):
            if setting.given and verdict.status in ("group", "invalid"):
                raise UncheckedError(
                    "{path}: --set {setting}: {problem}.",
                    path=path,
                    setting=f"{setting.key}={setting.text}",
                    problem=verdict.message,
                )


def _takes(plan: Plan, setting: str) -> bool:
    """Whether a launch has a setting, not a section; any where its options are not known."""
    key = key_of(setting)
    if plan.table is None or setting.startswith("+"):
        return True
    known = plan.table.get(key)
    return known is not None and (known.type != "dict" or known.default is not None)


def _unknown(key: str, plan: Plan, path: str) -> UncheckedError:
    near = plan.table.nearest(key) if plan.table is not None else None
    return UncheckedError(
        _SIMILAR if near else _NONE,
        path=path,
        framework=plan.framework,
        release=plan.configuration.release,
        key=key,
        near=near,
    )


def _is_flag(setting: str, plan: Plan) -> bool:
    """Whether it is an option that takes no value."""
    known = plan.table.get(key_of(setting)) if plan.table is not None else None
    return known is not None and known.arity == "0"


def _switches_on(setting: str) -> bool:
    """Whether a flag is given or taken away; raises UserError for a value that says neither."""
    value = setting.partition("=")[2].lower()
    if value not in _ON | _OFF:
        raise UserError(
            "--set: {key} is a flag: {key}= gives it, and {key}=false takes it away.",
            key=key_of(setting),
        )
    return value in _ON


def _texts(setting: str, plan: Plan) -> Iterator[str]:
    """The words that give it on the launch's command line."""
    key, value = key_of(setting), setting.partition("=")[2]
    if plan.framework == "verl":
        yield setting.removeprefix("--")
        return
    if _is_flag(setting, plan):
        if _switches_on(setting):
            yield f"--{key}"
        return
    known = plan.table.get(key) if plan.table is not None else None
    arity = known.arity if known is not None else ""
    yield f"--{key}"
    if value or arity != "?":  # Alone it is on, as in a script.
        yield from value.split(",") if arity in _SEVERAL else (value,)


def _word(text: str, command: Command) -> Word:
    return Word((Piece(text, command.span, literal=False, via=(GIVEN,)),), command.span)
