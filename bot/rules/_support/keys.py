"""What a release says about each setting of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bot.frameworks.plan import Plan
from bot.frameworks.settings.key_table import KeyVerdict, Status
from bot.frameworks.settings.releases import releases
from bot.frameworks.settings.setting import Setting
from bot.rules._support.base import Message, RuleContext, TextEdit, message


def refused(context: RuleContext, *statuses: Status) -> Iterator[tuple[Plan, Setting, KeyVerdict]]:
    """The settings of all plans whose verdict has one of these statuses.

    Those that hang on an inferred release alone are left out: `inferred-release` names them.
    """
    for plan in context.plans:
        doubtful = plan.inference.doubtful if plan.inference else ()
        for setting, verdict in _troubled(plan):
            if verdict.status in statuses and setting not in doubtful:
                yield plan, setting, verdict


@lru_cache(maxsize=32)
def _troubled(plan: Plan) -> tuple[tuple[Setting, KeyVerdict], ...]:
    """The settings whose verdict is not plainly "ok"; cached, since several rules ask for them."""
    table = plan.table
    verdicts = table.verdicts(plan.settings) if table is not None else ()
    pairs = zip(plan.settings, verdicts, strict=False)
    return tuple(pair for pair in pairs if pair[1].status != "ok")


def title(plan: Plan) -> Message:
    """What a plan is read by, as a sentence names it: "verl 0.9.1", "this verl"."""
    if plan.configuration.source == "tree":
        return message("this {framework}", framework=plan.framework)
    return message(
        "{framework} {version}", framework=plan.framework, version=plan.configuration.release
    )


def written(setting: Setting) -> str:
    """The key with its operator, as the script writes it."""
    return f"{setting.operator}{setting.key}"


def texts(setting: Setting) -> list[str]:
    """The value of a setting, or the items of its list, as far as they are texts."""
    values = setting.value if isinstance(setting.value, list) else [setting.value]
    return [value for value in values if isinstance(value, str)]


def shown(plan: Plan, key: str) -> str:
    """The key as the framework's users write it: verl's dotted, an option with two dashes."""
    command, option = plan.launch.command, f"--{key}"
    in_file = any(word.text == option for word in command.settings)
    plain = in_file and all(word.text != option for word in command.argv)
    ours = plan.framework == "verl" or command.implied or command.written
    return key if ours or plain else option


def in_no_release(plan: Plan, key: str) -> Message:
    """That no release that is known has a key: all of verl's, and the newer ones of the others."""
    if plan.framework == "verl":
        return message(
            "there is no {key} here, nor in any release of {framework}",
            framework=plan.framework,
            key=key,
        )
    return message(
        "there is no {key} here, nor in any release of {framework} since {first}",
        framework=plan.framework,
        key=key,
        first=releases(plan.framework)[0],
    )


def is_own(plan: Plan, key: str) -> bool:
    """Whether a setting is the repository's own, whose code alone says what it takes."""
    return (
        plan.configuration.source == "tree"
        and plan.table is not None
        and not plan.table.history(key)
    )


def of_file(plan: Plan, setting: Setting) -> bool:
    """Whether a setting stands in a recipe, and not on the command line."""
    command = plan.launch.command
    return command.implied or any(setting.word is word for word in command.settings)


def replaced(context: RuleContext, setting: Setting, text: str) -> tuple[TextEdit, ...]:
    """The edit that writes `text` for the key and its operator; none for a computed key."""
    span = setting.key_span
    there = context.source.written(span)
    dashes = "--" if there.startswith("--") else ""
    if there != dashes + written(setting):
        return ()
    return (TextEdit(span=span, text=dashes + text),)
