"""What stands before the command that is meant: `nohup`, `srun -N 2`, `conda run -n NAME`, `sudo`.

A script is looked for behind them, with the variables that it gets there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.launchers.launch import words_of_prefix
from bot.shell.pieces import computed
from bot.shell.run.child_shells import CARRIERS, CONTAINERS
from bot.shell.run.slurm import alters_step
from bot.shell.source import Span

_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
_OTHER_HOSTS: Final = CONTAINERS | {"ray", "ssh"}
_SEARCHED: Final = CARRIERS | {"uv"}
"""Programs with too many options to list, in whose words the command is searched for."""
_CONDA: Final = ("--cwd", "--clean-env", "-e", "--env")
_CONTAINER: Final = (
    *("--pwd", "--cwd", "-e", "--cleanenv", "-c", "--contain", "-C", "--containall"),
    *("--env", "--env-file"),
)
_MPI: Final = ("-wd", "--wd", "-wdir", "--wdir", "-x", "-env", "-genv", "-envnone", "-genvnone")
_ELSEWHERE: Final = {
    "apptainer": _CONTAINER,
    "conda": ("--cwd",),
    "env": ("-C", "--chdir", "-S", "--split-string"),
    "mamba": _CONDA,
    "micromamba": _CONDA,
    "mpiexec": _MPI,
    "mpirun": _MPI,
    "pixi": ("--clean-env",),
    "poetry": ("-C", "--directory"),
    "singularity": _CONTAINER,
    "srun": ("-D", "--chdir", "--container-image", "--export", "--export-file"),
    "sudo": ("-i", "--login", "-s", "--shell", "-D", "--chdir", "-R", "--chroot"),
    "uv": ("--directory", "--env-file"),
}
"""Options that give the command another folder, or variables that no words say."""
OF_A_TASK: Final = frozenset({"SLURM_LOCALID", "SLURM_NODEID", "SLURM_PROCID"})
"""Variables that srun sets anew for each task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A command and what its wrappers make of its surroundings."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    every_variable: bool = True
    """False where there may be others than those of `environment`."""
    stepped: bool = False
    """Whether srun or mpirun starts it, which set variables of their own."""
    elsewhere: bool = False
    """Whether its paths are another folder's, or its variables not known."""


def behind_wrappers(command: Sequence[str], environment: Mapping[str, str]) -> Wrapped:
    """The command that others start in the end, as far as they are known."""
    found = Wrapped(command=command, environment=environment)
    while not found.elsewhere and (own := _own_words(found.command)):
        inner = found.command[len(own) :]
        if not inner:
            break
        found = replace(_changed(found, Path(own[0]).name, own[1:]), command=inner)
    if found.command and Path(found.command[0]).name in _OTHER_HOSTS:
        return replace(found, elsewhere=True)
    return found


def script_path(command: Sequence[str]) -> tuple[Path | None, Sequence[str]]:
    """The script of bash that a command runs, and its arguments; None where it runs none."""
    words = list(command)
    if words and Path(words[0]).name in _SHELLS:
        words = words[1:]
        while words and words[0].startswith("-"):
            if "c" in words[0]:
                return None, ()
            words = words[1:]
    if words and is_file(words[0], ".sh", ".bash"):
        return Path(words[0]), tuple(words[1:])
    return None, ()


def is_file(word: str, *endings: str) -> bool:
    """Whether a word is the path of a file that ends so; a text may be too long for a path."""
    return word.endswith(endings) and os.path.isfile(word)  # noqa: PTH113 - it never raises


def _own_words(command: Sequence[str]) -> Sequence[str]:
    """A wrapper's name and options; empty where the command begins with none."""
    if prefix := words_of_prefix(command):
        return prefix
    if not command or Path(command[0]).name not in _SEARCHED:
        return ()
    for at in range(1, len(command)):
        rest = command[at:]
        wrapper = Path(rest[0]).name in _SEARCHED or (rest[0] != "exec" and words_of_prefix(rest))
        if wrapper or script_path(rest)[0] is not None or _is_text(rest):
            return command[:at]
    return ()


def _is_text(command: Sequence[str]) -> bool:
    """Whether it is `bash -c text`."""
    option = command[1] if len(command) > 1 else ""
    return Path(command[0]).name in _SHELLS and option.startswith("-") and "c" in option


def _changed(around: Wrapped, name: str, own: Sequence[str]) -> Wrapped:
    """The surroundings behind a wrapper with these words of its own."""
    options = _ELSEWHERE.get(name, ())
    service = name == "systemd-run" and "--scope" not in own
    if service or any(_gives(word, option) for word in own for option in options):
        return replace(around, elsewhere=True)
    if name == "srun":
        return _of_step(around, own)
    if name in ("mpiexec", "mpirun"):
        return replace(around, stepped=True)
    if name not in ("env", "sudo"):
        return around
    variables = dict(around.environment) if name == "env" else dict(_kept_by_sudo(around, own))
    whole = around.every_variable and (name == "env" or variables == dict(around.environment))
    for option, following in zip(own, (*own, "")[1:], strict=True):
        if name == "env" and option in ("-", "-i", "--ignore-environment"):
            variables, whole = {}, True
        elif name == "env" and option in ("-u", "--unset"):
            variables.pop(following, None)
        elif name == "env" and option.startswith(("-u", "--unset=")):
            variables.pop(option.removeprefix("--unset=").removeprefix("-u"), None)
        elif not option.startswith("-") and "=" in option:
            key, _, value = option.partition("=")
            variables[key] = value
    return replace(around, environment=variables, every_variable=whole)


def _gives(word: str, option: str) -> bool:
    if word == "--export=ALL":
        return False
    return word == option or word.startswith(option if len(option) == 2 else f"{option}=")


def _kept_by_sudo(around: Wrapped, own: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The caller's variables that sudo passes on, as its own options say."""
    every = "-E" in own or "--preserve-env" in own
    named = [word.partition("=")[2] for word in own if word.startswith("--preserve-env=")]
    names = ",".join(named).split(",")
    for name, value in around.environment.items():
        if every or name in names:
            yield name, value


def _of_step(around: Wrapped, own: Sequence[str]) -> Wrapped:
    """In a step of a job, whose number of nodes and tasks srun's options may give anew."""
    anew = alters_step([computed(word, Span(0, 0)) for word in own])
    kept = {
        name: value
        for name, value in around.environment.items()
        if not name.startswith("SLURM_") or not (anew or name in OF_A_TASK)
    }
    return replace(around, environment=kept, stepped=True)
