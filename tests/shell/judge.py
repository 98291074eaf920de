"""Runs a script under real bash, with recorders in place of every program, and compares.

The PATH holds recorders, which write down their arguments and environment, and links to a few
tools whose output follows from their input. Nothing else can be started by name.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.shell.words import Command, Piece, Reading, Word

RECORDED = (
    "python", "python3", "ray", "torchrun", "deepspeed", "accelerate", "uv", "srun", "cmd",
    "nohup", "pip", "pip3", "mkdir", "tee", "sleep", "huggingface-cli", "wandb", "git", "env",
    "hf", "bash", "sh", "nsys", "numactl", "timeout", "conda", "docker", "rm", "cp", "apt-get",
)  # fmt: skip
TOOLS = (
    "dirname",
    "basename",
    "seq",
    "expr",
    "tr",
    "cut",
    "wc",
    "sed",
    "cat",
    "realpath",
    "head",
    "awk",
)
UNKNOWN = {"pick": '#!/bin/sh\necho "$*"\n'}
"""Programs that are not recorded and print what the reader cannot know."""
_BASH = shutil.which("bash") or "/bin/bash"


@dataclass(frozen=True)
class Script:
    """A script to run, and how."""

    text: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files of the folder in which it is called, by their paths."""
    path: str = ""
    """Its own path in that folder."""
    folder: str = "work"
    """Name of that folder."""


@dataclass(frozen=True)
class Call:
    """A program that bash started."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]


class Judge:
    """A folder with recorders, and real bash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.home = folder / "home"
        self.calls = folder / "calls"
        self.order = folder / "order"
        self.number = folder / "number"
        self.bin.mkdir(parents=True)
        self.home.mkdir()
        recorder = (
            f"#!/bin/sh\nread number < {self.number}\n"
            '{ printf \'%s\\0\' "$#" "${0##*/}" "$@"; export -p; } '
            # `exec` keeps the process number.
            f'> "{self.calls}/$number.$$.$#"\necho "$number.$$.$#" >> {self.order}\n'
        )
        for name in RECORDED:
            path = self.bin / name
            path.write_text(recorder + afterwards(name, _BASH))
            path.chmod(0o755)
        for name, text in UNKNOWN.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)
        for name in TOOLS:
            found = shutil.which(name)
            if found:
                (self.bin / name).symlink_to(found)

    def environment(self, script: Script) -> dict[str, str]:
        """The whole environment in which a script runs."""
        return {
            "PATH": str(self.bin),
            "HOME": str(self.home),
            "PWD": str(self.folder / script.folder),
            "LC_ALL": "C.UTF-8",
            **script.environment,
        }

    def run(self, scripts: Sequence[Script], *, seconds: int | None = None) -> list[list[Call]]:
        """The programs that each script starts, in order; `seconds` bounds a script's time."""
        bound = f"{shutil.which('timeout')} {seconds} " if seconds else ""
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        shutil.rmtree(self.calls, ignore_errors=True)
        self.calls.mkdir()
        self.order.write_text("")
        driver: list[str] = []
        for number, script in enumerate(scripts):
            path = f"../{number}.sh"
            if script.files:
                path = script.path
                work = self.folder / script.folder
                for name, text in {**script.files, path: script.text}.items():
                    (work / name).parent.mkdir(parents=True, exist_ok=True)
                    (work / name).write_bytes(text.encode())
                    (work / name).chmod(0o755)
            else:
                (self.folder / f"{number}.sh").write_bytes(script.text.encode())
            assigned = [f"{name}={value}" for name, value in self.environment(script).items()]
            words = ["env", "-i", *assigned, _BASH, path, *script.arguments]
            line = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
            driver.append(f"echo {number} > {self.number}")
            driver.append(f"cd {self.folder}/{script.folder}")
            driver.append(f"{bound}{line} </dev/null >/dev/null 2>&1")
        subprocess.run(
            [_BASH], input="\n".join(driver).encode(), cwd=work, check=False, timeout=300
        )
        return self._calls(len(scripts))

    def _calls(self, count: int) -> list[list[Call]]:
        calls: list[list[Call]] = [[] for _ in range(count)]
        for name in self.order.read_text().split():
            number = int(name.partition(".")[0])
            calls[number].append(parse_call((self.calls / name).read_bytes()))
        return calls


def afterwards(name: str, bash: str) -> str:
    """What a recorder does when it has written down its call.

    A shell runs what it was given, and a wrapper the shell behind it.
    """
    if name in ("bash", "sh"):
        return f'exec {bash} "$@"\n'
    return _WRAPPED.format(bash=bash) if name in ("env", "nohup", "timeout") else ""


_WRAPPED = r"""
while [ $# -gt 0 ]; do
  case ${{1##*/}} in
    bash|sh) shift; exec {bash} "$@" ;;
    -u|--unset) unset "$2"; shift 2 ;;
    -u?*) unset "${{1#-u}}"; shift ;;
    --unset=*) unset "${{1#*=}}"; shift ;;
    -|-i|--ignore-environment)
      for name in $(export -p | sed -n 's/^export \([A-Za-z0-9_]*\)=.*/\1/p'); do
        [ $name = PATH ] || unset $name
      done
      shift ;;
    -s|-k) shift 2 ;;
    -*|[0-9]*) shift ;;
    *=*) export "$1"; shift ;;
    *) exit 0 ;;
  esac
done
"""


def parse_call(data: bytes) -> Call:
    """What a recorder wrote: how many arguments, the program, the arguments, `export -p`."""
    fields = data.decode("utf-8", "surrogateescape").split("\0")
    end = int(fields[0]) + 2
    # The recorder's shell writes `export NAME='value'`.
    pairs = (entry.partition("=") for entry in shlex.split(fields[end]) if "=" in entry)
    environment = {name: value for name, _, value in pairs if name != "number"}
    return Call(tuple(fields[1:end]), environment)


_BASHES_OWN = frozenset({"PWD", "OLDPWD", "SHLVL", "_", "PATH", "HOME", "LC_ALL"})
_PREFIXES = frozenset({"exec", "command"})


def started(reading: Reading) -> list[Command]:
    """The commands of a reading that the judge can record."""
    return [command for command in reading.commands if _name(command) in RECORDED]


def argv_of(command: Command) -> tuple[Word, ...]:
    """The words of a command behind `exec` and `command`."""
    argv = command.argv
    while len(argv) > 1 and argv[0].text in _PREFIXES:
        argv = argv[1:]
    return argv


def _name(command: Command) -> str:
    return argv_of(command)[0].text.rsplit("/", 1)[-1]


def _pattern(pieces: Sequence[Piece]) -> str:
    """What fits the pieces; a hole outside quotes may hold the borders of words."""
    return "".join(
        re.escape(piece.text)
        if isinstance(piece.text, str)
        else ("[^\0]*" if piece.quoted else "(?:[^\0]|\0)*")
        for piece in pieces
    )


def same(call: Call, command: Command) -> str:
    """How a command agrees with a call: "exact", "hole" where unknown parts stand, or "wrong"."""
    words = argv_of(command)
    known = all(word.complete for word in words)
    if known:
        agree = (_name(command), *(word.text for word in words[1:])) == call.argv
    else:
        pattern = "".join(
            # A word that is all hole may be several words, or none.
            (
                f"{_pattern(word.pieces)}\0"
                if any(isinstance(p.text, str) for p in word.pieces)
                else "(?:[^\0]*\0)*"
            )
            for word in words[1:]
        )
        agree = may_be(command, call.argv[0]) and bool(
            re.fullmatch(pattern, "".join(f"{word}\0" for word in call.argv[1:]))
        )
    if not agree:
        return "wrong"
    return "exact" if known else "hole"


def may_be(command: Command, program: str) -> bool:
    """Whether a command is one of this program, or of one of which nothing is known.

    As of `$(command -v python)`.
    """
    pieces = argv_of(command)[0].pieces
    unknown = bool(pieces) and not any(isinstance(piece.text, str) for piece in pieces)
    return unknown or _name(command) == program


def same_environment(call: Call, command: Command, given: Mapping[str, str]) -> bool:
    """Whether the variables that the script exports are those that the program saw."""
    seen = {
        name: value
        for name, value in call.environment.items()
        if name not in _BASHES_OWN and given.get(name) != value
    }
    ours = {name: word for name, word in command.environment.items() if name not in _BASHES_OWN}
    if any(name not in ours for name in seen):
        return False
    for name, word in ours.items():
        if name not in call.environment:
            return False
        if not re.fullmatch(_pattern(word.pieces), call.environment[name]):
            return False
    return True


def verdict(
    calls: Sequence[Call], reading: Reading, given: Mapping[str, str], *, ordered: bool = True
) -> str:
    """How a reading agrees with what bash did: "exact", "hole" or "wrong: …".

    A command that runs several times in the same way counts once, as the reading lists it once.
    """
    commands = started(reading)
    distinct: list[Call] = []
    seen: set[object] = set()
    for call in calls:
        key = (call.argv, tuple(sorted(call.environment.items())))
        if key not in seen:
            seen.add(key)
            distinct.append(call)
    assumed = any(command.assumptions for command in reading.commands)
    result = "exact"
    at = 0
    for call in distinct:
        found = ""
        for index in range(at if ordered else 0, len(commands)):
            found = same(call, commands[index])
            if found != "wrong" and not same_environment(call, commands[index], given):
                found = "wrong"
            if found != "wrong":
                at = index + 1 if not assumed else at
                break
            if ordered and not assumed and not _again(commands, index):
                return f"wrong: bash ran {call.argv}, read {[w.text for w in commands[index].argv]}"
        else:
            return f"wrong: bash ran {call.argv}, which was not read"
        if found == "hole":
            result = "hole"
    complete = all(word.complete for command in commands for word in command.argv)
    if complete and not assumed and len({_key(command) for command in commands}) > len(distinct):
        extra = [[word.text for word in command.argv] for command in commands[len(distinct) :]]
        return f"wrong: read commands that bash did not run: {extra}"
    return result


def _again(commands: Sequence[Command], index: int) -> bool:
    return any(_key(other) == _key(commands[index]) for other in commands[:index])


def _key(command: Command) -> object:
    return (
        tuple(word.text for word in argv_of(command)),
        tuple(sorted((name, word.text) for name, word in command.environment.items())),
    )


def bash_version() -> tuple[int, int]:
    """Major and minor version of the bash that judges."""
    text = subprocess.run(
        [_BASH, "-c", "echo ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    major, minor = text.strip().split(".")
    return int(major), int(minor)
