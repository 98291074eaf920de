"""The script of a command that is recorded, and its settings as the command resolves them."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.base.errors import UncheckedError, UserError
from bot.base.regex import regex
from bot.check.request import CheckOptions, ScriptFile
from bot.record.wrappers import OF_A_TASK, Wrapped, behind_wrappers, is_file, script_path
from bot.report.base import JsonValue
from bot.report.manifest import RecordedScript
from bot.shell.run.slurm import OF_A_JOB

COMMAND: Final = "command"
"""The name of a command that is no script of its own."""
MOST: Final = 4 << 20
"""Bytes of a script."""
_STATED: Final = frozenset({"requested", "header", "pin"})
"""How a release is chosen that somebody states."""
_OF_A_STEP: Final = regex(rb"(?:SLURM|OMPI|PMIX?|MPI)_\w{1,60}")
"""Variables that srun and mpirun set."""


def words_digest(words: Sequence[str]) -> str:
    """SHA-256 of words, as a JSON list without blanks."""
    text = json.dumps(list(words), separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def script_of(
    command: Sequence[str],
    environment: Mapping[str, str],
    options: CheckOptions | None = None,
) -> RecordedScript | None:
    """The script of a command, as its arguments and environment resolve it.

    `options` say where it stands, and which files it may source. Never raises.
    """
    options = options or CheckOptions()
    inner = behind_wrappers(command, environment)
    if inner.elsewhere:
        inner = replace(inner, command=command)
        options = replace(options, place=None, files=None)
    path, arguments = (None, ()) if inner.elsewhere else script_path(inner.command)
    text = shlex.join(inner.command).encode("utf-8", "surrogateescape")
    own = path or next((Path(word) for word in inner.command if is_file(word, ".py")), None)
    try:
        data = own.read_bytes() if own is not None else text
    except OSError:
        return None
    if len(data) > MOST:
        return None
    script = ScriptFile(path=COMMAND, data=text, tree_path=COMMAND)
    if path is not None:
        script = ScriptFile(
            path=path.name, data=data, full_path=str(path), tree_path=_below_here(path)
        )
    options = replace(options, script_arguments=tuple(arguments))
    name = own.name if own is not None else COMMAND
    found = RecordedScript(name=name, sha256=hashlib.sha256(data).hexdigest())
    try:
        return _resolved(found, script, inner, options)
    except (UserError, UncheckedError, ValueError):
        return found


def _below_here(path: Path) -> str | None:
    """The path from the folder that the command starts in; None for one that is not below it."""
    here, full = Path().absolute(), path.absolute()
    return full.relative_to(here).as_posix() if full.is_relative_to(here) else None


def _resolved(
    found: RecordedScript, script: ScriptFile, inner: Wrapped, options: CheckOptions
) -> RecordedScript:
    """With the settings; those alone that do not hang on a variable which srun or mpirun sets."""
    unknown: set[str] = set()
    if inner.stepped:
        named = {name.decode() for name in _OF_A_STEP.findall(script.data)}
        unknown = {*named, *OF_A_JOB, *OF_A_TASK} - {*inner.environment}
    first = _read(found, script, inner, options, dict.fromkeys(unknown, "1"))
    if not unknown:
        return first
    other = _read(found, script, inner, options, dict.fromkeys(unknown, "2"))
    same = {
        key: value
        for key, value in first.settings.items()
        if key in other.settings and other.settings[key] == value
    }
    return replace(first, settings=same, arguments_sha256=None)


def _read(
    found: RecordedScript,
    script: ScriptFile,
    inner: Wrapped,
    options: CheckOptions,
    more: Mapping[str, str],
) -> RecordedScript:
    from bot.base.secret_values import covered
    from bot.check.read import read_script
    from bot.evidence.subject import given_to_launcher, known
    from bot.evidence.trl_runs import PROCESSES
    from bot.evidence.values import Missing

    options = replace(
        options,
        environment={**inner.environment, **more},
        clean_environment=inner.every_variable,
    )
    context = read_script(script, options)
    if not context.plans:
        return found
    plan = context.choice.plans[0]
    settings: dict[str, JsonValue] = {}
    for key, value in plan.resolved().items():
        known_value = known(value)
        if isinstance(known_value, Missing):
            continue
        text = known_value if isinstance(known_value, str) else json.dumps(known_value)
        if covered(text, key) == text:  # A manifest is shown to others.
            settings[key] = known_value
    if plan.gpus.value is not None and given_to_launcher(plan, plan.gpus):
        settings.setdefault(PROCESSES, plan.gpus.value)
    words = [word.text for word in plan.launch.command.argv]
    return replace(
        found,
        arguments_sha256=words_digest(words),
        framework=plan.framework,
        release=plan.configuration.release if plan.configuration.source in _STATED else None,
        settings=settings,
    )
