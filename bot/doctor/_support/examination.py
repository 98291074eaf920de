"""Runs every check, and tells which settings are in force and from where."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib import import_module
from typing import Any

import bot.doctor
from bot.base.config import Config, Given
from bot.doctor._support.base import Answer, Check, Setting, Surroundings

VARIABLES = (
    "GITHUB_API_URL",
    "GITHUB_GRAPHQL_URL",
    "GITHUB_SERVER_URL",
    "GITHUB_TOKEN",
    "WANDB_API_KEY",
    "WANDB_BASE_URL",
    "HTTPS_PROXY",
    "NO_PROXY",
    "NO_COLOR",
    "FORCE_COLOR",
    "CI",
    "RLBOT_APP_ID",
    "RLBOT_PRIVATE_KEY_FILE",
    "RLBOT_PRIVATE_KEY",
    "RLBOT_WEBHOOK_SECRET",
    "RLBOT_DATABASE_URL",
    "RLBOT_PRIVATE_RUNS",
    "RLBOT_PUBLIC_URL",
    "RLBOT_WORKER_ID",
    "RLBOT_CONCURRENCY",
    "RLBOT_RETENTION_DAYS",
)
"""Environment variables that count, by the ecosystem's own names."""
_OPTIONS = {"language": "--lang"}
"""Keys of the configuration that an option stands in the place of."""
_SECRETS = (
    "GITHUB_TOKEN",
    "WANDB_API_KEY",
    "HTTPS_PROXY",
    "RLBOT_PRIVATE_KEY",
    "RLBOT_WEBHOOK_SECRET",
    "RLBOT_DATABASE_URL",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Everything that was found out."""

    settings: tuple[Setting, ...]
    answers: tuple[Answer, ...]


@cache
def checks() -> Mapping[str, Check]:
    """Name to check, of every module of this package that holds one."""
    return {
        info.name: import_module(f"bot.doctor.{info.name}").check
        for info in pkgutil.iter_modules(bot.doctor.__path__)
        if not info.name.startswith("_")
    }


def examine(
    around: Surroundings, given: Given, origin: str | None, options: Mapping[str, str]
) -> Examination:
    """Ask every check; one that fails becomes an answer, so that the others are heard.

    `given` is the configuration with its lines, `origin` its file, `options` those of the command
    line that stand in the place of a key.
    """
    answers: list[Answer] = []
    for name, check in checks().items():
        try:
            answers += check(around)
        except Exception as error:
            said = f"The check {name} failed: {type(error).__name__}. This is a fault of rlbot."
            answers.append(Answer(subject=name, state="unknown", said=said))
    return Examination(
        settings=tuple(settings(given, origin, options, around.environment)),
        answers=tuple(answers),
    )


def settings(
    given: Given, origin: str | None, options: Mapping[str, str], environment: Mapping[str, str]
) -> list[Setting]:
    """Every key of the configuration in force, then the environment variables that are set."""
    found = []
    values: dict[str, Any] = asdict(given.config)
    for name in (f.name for f in fields(Config)):
        if name in options:
            found.append(Setting(key=name, value=options[name], origin=f"option {_OPTIONS[name]}"))
            continue
        value = values[name]
        parts = value.items() if name == "permissions" else [("", value)]
        for part, one in parts:
            key = f"{name}.{part}" if part else name
            line = given.lines.get(key)
            where = f"{origin}, line {line}" if line and origin else "default"
            found.append(Setting(key=key, value=_shown(one), origin=where))
    for name in VARIABLES:
        if environment.get(name):
            value = "***" if name in _SECRETS else environment[name]
            found.append(Setting(key=name, value=value, origin="environment"))
    return found


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def status(examination: Examination) -> int:
    """The exit status: 1 when something is wrong, 3 when something could not be found out."""
    states = {answer.state for answer in examination.answers}
    if "wrong" in states:
        return 1
    return 3 if "unknown" in states else 0
