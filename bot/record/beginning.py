"""What is recorded before a command starts: its script, the repository, packages, GPUs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from bot.base.config import Config
from bot.base.errors import UncheckedError, UserError
from bot.check.request import CheckOptions, ScriptFile
from bot.github.git import git
from bot.record.nvml import Nvml, NvmlError
from bot.report.base import JsonValue
from bot.report.manifest import ManifestBegin, RecordedGit, RecordedGpu, RecordedScript

PACKAGES: Final = (
    *("verl", "openrlhf", "torch", "vllm", "sglang", "transformers", "deepspeed", "trl", "ray"),
    *("megatron-core", "flash-attn", "tensorrt-llm", "numpy", "nvidia-nccl-cu12"),
)
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
_COMMAND: Final = "command"
"""The name of a command that is no script of its own."""
_MOST: Final = 4 << 20
"""Bytes of a script, and of a repository's differences that are hashed at most."""


def words_digest(words: Sequence[str]) -> str:
    """SHA-256 of words, as a JSON list without blanks."""
    text = json.dumps(list(words), separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def beginning(
    command: Sequence[str],
    nvml: Nvml | NvmlError,
    environment: Mapping[str, str],
    *,
    signer: str | None = None,
) -> ManifestBegin:
    """The first record of a manifest. Never raises for what the script or the host is."""
    gpus: tuple[RecordedGpu, ...] = ()
    driver, without = None, str(nvml) if isinstance(nvml, NvmlError) else None
    if isinstance(nvml, Nvml):
        try:
            gpus, driver = nvml.gpus(), nvml.driver()
        except NvmlError as error:
            without = str(error)
    return ManifestBegin(
        schema="run-manifest-v1",
        kind="begin",
        id=secrets.token_hex(8),
        began=round(time.time(), 3),
        command_sha256=words_digest(command),
        script=script_of(command, environment),
        git=_git(),
        packages=_packages(),
        python=platform.python_version(),
        driver=driver,
        gpus=gpus,
        without_gpus=without,
        signer=signer,
    )


def script_of(command: Sequence[str], environment: Mapping[str, str]) -> RecordedScript | None:
    """The script of a command, as its arguments and environment resolve it."""
    command, environment = _behind_prefixes(command, environment)
    path, arguments = _script_path(command)
    if path is not None:
        try:
            data = path.read_bytes()
        except OSError:
            return None
        name = path.name
    else:
        data, name, arguments = shlex.join(command).encode(), _COMMAND, ()
    if len(data) > _MOST:
        return None
    digest = hashlib.sha256(data).hexdigest()
    try:
        return _resolved(name, data, digest, arguments, environment)
    except (UserError, UncheckedError, ValueError):
        return RecordedScript(name=name, sha256=digest)


def is_recognised(script: RecordedScript | None) -> bool:
    """Whether a command is a script, or a launch whose settings are known."""
    return script is not None and (script.name != _COMMAND or bool(script.settings))


def _behind_prefixes(
    command: Sequence[str], environment: Mapping[str, str]
) -> tuple[Sequence[str], Mapping[str, str]]:
    """A command without `nohup`, `timeout 10` and the like before it, and its environment.

    sudo has an environment of its own, and behind `env --chdir` paths are another folder's.
    """
    from bot.frameworks.launch import words_of_prefix

    rest, variables = command, dict(environment)
    while prefix := words_of_prefix(rest):
        rest, own = rest[len(prefix) :], prefix[1:]
        name = Path(prefix[0]).name
        if name == "sudo" or not rest:
            return command, environment
        for option, following in zip(own, (*own[1:], ""), strict=True) if name == "env" else ():
            if option.startswith(("-C", "--chdir")):
                return command, environment
            if option in ("-", "-i", "--ignore-environment"):
                variables.clear()
            elif option in ("-u", "--unset"):
                variables.pop(following, None)
            elif option.startswith(("-u", "--unset=")):
                variables.pop(option.removeprefix("--unset=").removeprefix("-u"), None)
            elif not option.startswith("-") and "=" in option:
                key, _, value = option.partition("=")
                variables[key] = value
    return rest, variables


def _script_path(command: Sequence[str]) -> tuple[Path | None, Sequence[str]]:
    words = list(command)
    if words and Path(words[0]).name in _SHELLS:
        words = words[1:]
        while words and words[0].startswith("-"):
            if "c" in words[0]:
                return None, ()
            words = words[1:]
    if words and words[0].endswith((".sh", ".bash")) and Path(words[0]).is_file():
        return Path(words[0]), tuple(words[1:])
    return None, ()


def _resolved(
    name: str,
    data: bytes,
    digest: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
) -> RecordedScript:
    from bot.check.read import read_script
    from bot.evidence.subject import given_to_launcher, known
    from bot.evidence.trl_runs import PROCESSES
    from bot.evidence.values import Missing

    options = CheckOptions(
        config=Config(), environment=dict(environment), clean_environment=True,
        script_arguments=tuple(arguments),
    )  # fmt: skip
    context = read_script(ScriptFile(path=name, data=data), options)
    if not context.plans:
        return RecordedScript(name=name, sha256=digest)
    plan = context.choice.plans[0]
    settings: dict[str, JsonValue] = {}
    for key, value in plan.resolved().items():
        found = known(value)
        if not isinstance(found, Missing):
            settings[key] = found
    if plan.gpus.value is not None and given_to_launcher(plan, plan.gpus):
        settings.setdefault(PROCESSES, plan.gpus.value)
    words = [word.text for word in plan.launch.command.argv]
    return RecordedScript(
        name=name,
        sha256=digest,
        arguments_sha256=words_digest(words),
        framework=plan.framework,
        settings=settings,
    )


def _packages() -> dict[str, str]:
    """The packages of this environment; of the one that the command uses where that is active."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    other = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if other:
        for site in Path(other).glob("lib/python3*/site-packages"):
            for each in metadata.distributions(path=[str(site)]):
                name = (each.metadata["Name"] or "").lower().replace("_", "-")
                if name in PACKAGES:
                    found[name] = each.version
    return found


def _git() -> RecordedGit | None:
    """The commit, and what is not in it; git's own hooks, filters and pagers stay off."""
    commit = _git_says("rev-parse", "--verify", "HEAD")
    if commit is None:
        return None
    status = _git_says("status", "--porcelain=v1", "-z", "--untracked-files=normal") or b""
    difference = _git_says("diff", "HEAD", "--no-ext-diff", "--no-textconv") or b""
    dirty = hashlib.sha256(status + b"\0" + difference[:_MOST]).hexdigest() if status else None
    return RecordedGit(commit=commit.decode().strip(), uncommitted_sha256=dirty)


def _git_says(*arguments: str) -> bytes | None:
    try:
        return git(Path(), *arguments)
    except UserError:
        return None
