"""Which commands start a framework: launchers and prefixes are taken off, the entry remains."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import takewhile
from pathlib import Path
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.frameworks.plan import HF_JOB, RAY_JOB, Launch
from bot.shell.run.child_shells import CARRIERS, CONTAINERS
from bot.shell.words import Command, Reading, Word

_PYTHON = regex(r"(?:python|pypy)[0-9.]*\Z")
_ASSIGNMENT = regex(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_DURATION = regex(r"[0-9.]+[smhd]?\Z")


def _sets(table: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(options) for name, options in table.items()}


_LAUNCHERS = json.loads((Path(__file__).parent / "launchers.json").read_bytes())
_PREFIXES: Final = _sets(_LAUNCHERS["prefixes"])
"""Programs that run their arguments, with those of their options that take a value."""
_CARRIERS: Final = CARRIERS | CONTAINERS
"""Programs with too many options to list: the program that they run is searched for instead."""
DISTRIBUTED: Final = _sets(_LAUNCHERS["distributed"])
"""Launchers of one process a GPU, with those of their options that take no value."""
_UV: Final = "uv run"
_ONE_PROCESS: Final = (CARRIERS - {"mpiexec", "mpirun", "srun"}) | {_UV, HF_JOB}
_AS_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate.commands.launch": "accelerate launch",
    "deepspeed.launcher.runner": "deepspeed",
}

MODULE: Final = frozenset(("-m", "--module"))
_HELP: Final = regex(r"(?:\A|\n)(--help|-h)(?=\n|\Z)")
_HYDRA_PRINTS: Final = regex(
    r"(?:\A|\n)(--help|-h|--hydra-help|--version|(?:--info|-i)[\n=]?(?:all|config|defaults|"
    r"defaults-tree|plugins|searchpath)|--info|(?:--cfg|-c)[\n=]?(?:job|hydra|all))(?=\n|\Z)"
)
"""Options, each word on a line, that have argparse or Hydra print something and end."""
_UV_VALUED: Final = frozenset(
    ("--with", "-w", "--from", "--with-editable", "--with-requirements", "--python", "-p")
)
"""Options of uv's whose value may have the name of a program: `uv run --with trl train.py`."""
_RAY_FLAGS = frozenset(("--no-wait", "--verbose", "-v", "--delete-cluster"))


@dataclass(frozen=True, slots=True)
class Started:
    """What a command starts in the end."""

    entry: str
    """A module's dotted name or a script's path, as written."""
    argv: tuple[Word, ...]
    launcher: tuple[str, ...]


def unwrap(words: Sequence[Word]) -> Started | None:
    """The Python program that a command starts; None when it starts none that is known."""
    launcher: list[str] = []
    rest = list(words)
    while rest:
        if is_hidden(rest[0]):
            if len(rest) > 1 and rest[1].text == "-":
                return None  # What `$PYTHON - …` reads is its program, with these arguments.
            if (found := _behind_unknown(rest[1:], launcher)) is not None:
                return found
            rest = _from_starter(rest[1:])  # `$LAUNCHER python3 …`, `$CONDA run -n a python …`
            continue
        name = _called(rest[0])
        wrapped = _unwrapped(name, rest)
        if wrapped is not None:
            wrapper, rest = wrapped
            launcher += [wrapper] if wrapper else []
            continue
        started = _started_by(name, rest, launcher)
        carried = _carried(started) if _PYTHON.match(name) else None
        if started is None or carried is None:
            return started
        launcher.append(_name(started.entry))
        rest = carried
    return None


def is_hidden(word: Word) -> bool:
    """Whether the name of a program is not known: `$PYTHON`, `"$BIN/$NAME"`."""
    return bool(word.pieces) and not isinstance(word.pieces[-1].text, str)


def _behind_unknown(words: list[Word], launcher: list[str]) -> Started | None:
    """What an unknown program starts that is given a module or a file of Python."""
    for at, word in enumerate(words):
        if word.text == "-m" and at + 1 < len(words):
            return _python_module(words[at + 1], words[at + 2 :], launcher)
        if word.text.endswith(".py"):
            return Started(word.text, tuple(words[at + 1 :]), tuple(launcher))
        if not word.text.startswith("-"):
            break
    return None


def _called(word: Word) -> str:
    """The name of a program: what follows an unknown part of it, as in `${BIN}python`."""
    texts = [piece.text for piece in word.pieces]
    known = [*takewhile(lambda text: isinstance(text, str), reversed(texts))]
    return _name("".join(map(str, reversed(known))) if len(known) < len(texts) else word.text)


def _name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def is_one_process(launcher: Sequence[str]) -> bool:
    """Whether what stands around a program starts it once: an environment, a lock, a job."""
    return _ONE_PROCESS.issuperset(launcher)


def _unwrapped(name: str, words: list[Word]) -> tuple[str, list[Word]] | None:
    """The launcher's name ("" for a prefix such as `env`) and what it runs; None for others."""
    if name in _PREFIXES:
        return "", _after_prefix(name, words[1:])
    if name == "ray" and [word.text for word in words[1:3]] == ["job", "submit"]:
        return RAY_JOB, _after_ray(words[3:])
    if name in _CARRIERS:
        return name, _from_starter(words[1:])
    if name == "hf" and len(words) > 1 and words[1].text == "jobs":
        return HF_JOB, _from_starter(words[2:])
    if (run := _run_by_uv(name, words)) is not None:
        rest, module = _after_uv(run)
        python = module is not None or (bool(rest) and rest[0].text.endswith(".py"))
        return None if python else (_UV, rest)
    return None


def _run_by_uv(name: str, words: list[Word]) -> list[Word] | None:
    """The words behind `uv run`, `uvx` or `uv tool run`; None for other commands."""
    texts = [word.text for word in words[1:3]]
    if name == "uv" and texts[:1] == ["run"]:
        return words[2:]
    if name == "uv" and texts == ["tool", "run"]:
        return words[3:]
    return words[1:] if name == "uvx" else None


def _started_by(name: str, words: list[Word], launcher: list[str]) -> Started | None:
    """What a command that starts Python programs itself starts; None for any other command."""
    following = words[1].text if len(words) > 1 else ""
    if (run := _run_by_uv(name, words)) is not None:
        rest, module = _after_uv(run)
        if module:
            return _python_module(module, rest, [*launcher, _UV])
        return Started(rest[0].text, tuple(rest[1:]), (*launcher, _UV))
    if name == "accelerate" and following == "launch":
        return _distributed("accelerate launch", words[2:], launcher)
    if name in ("torchrun", "deepspeed"):
        return _distributed(name, words[1:], launcher)
    if name == "trl" and re.fullmatch(r"[a-z_]+", following):
        # `trl grpo …` starts its script of that name through accelerate.
        return Started(f"trl.scripts.{following}", tuple(words[2:]), (*launcher, "trl"))
    return _python(words[1:], launcher) if _PYTHON.match(name) else None


def _carried(started: Started | None) -> list[Word] | None:
    """What open-instruct's `python mason.py … -- python …` submits; None for other programs."""
    if started is None or _name(started.entry) != "mason.py":
        return None
    texts = [word.text for word in started.argv]
    after = started.argv[texts.index("--") + 1 :] if "--" in texts else ()
    return _from_starter(list(after))


def _after_prefix(name: str, words: list[Word]) -> list[Word]:
    return words[_own_words(name, [word.text for word in words]) :]


def words_of_prefix(words: Sequence[str]) -> Sequence[str]:
    """A prefix such as `nohup` or `timeout 10` that a command begins with; empty without one."""
    name = _name(words[0]) if words else ""
    return words[: 1 + _own_words(name, words[1:])] if name in _PREFIXES else ()


def _own_words(name: str, words: Sequence[str]) -> int:
    """How many of the words behind a prefix are its own options, assignments and duration."""
    valued = _PREFIXES[name]
    at = 0
    while at < len(words):
        text = words[at]
        if name == "command" and text in ("-v", "-V"):
            return len(words)
        if text in valued:
            at += 2
        elif text.startswith("-") or (name in ("env", "sudo") and _ASSIGNMENT.match(text)):
            at += 1
        else:
            break
    if name == "timeout" and at < len(words) and _DURATION.match(words[at]):
        at += 1
    return at


def _after_ray(words: list[Word]) -> list[Word]:
    """What `ray job submit` runs: what follows `--`, else the first word that is no option."""
    texts = [word.text for word in words]
    at = texts.index("--") + 1 if "--" in texts else _behind_options(words, _RAY_FLAGS)
    # A shell runs the words, which may start with assignments.
    while at < len(words) and _ASSIGNMENT.match(texts[at]):
        at += 1
    return words[at:]


def _behind_options(words: Sequence[Word], flags: Set[str]) -> int:
    """Where the first word stands that is no option, of which all but `flags` take a value."""
    at = 0
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "--":
        at += 1 if "=" in words[at].text or words[at].text in flags else 2
    return at


def _after_uv(words: list[Word]) -> tuple[list[Word], Word | None]:
    """What `uv run` runs, and the module when it is given as `uv run -m module`."""
    value = False
    for at, word in enumerate(words):
        if word.text in MODULE and at + 1 < len(words):
            return words[at + 2 :], words[at + 1]
        if _starts_something(word) and not value:
            return _from_starter(words[at:]), None
        value = word.text in _UV_VALUED
    return [], None


def _starts_something(word: Word) -> bool:
    name = _name(word.text)
    known = (
        name in ("torchrun", "deepspeed", "accelerate", "ray", "uv", "uvx", "trl")
        or name in _PREFIXES
    )
    return known or bool(_PYTHON.match(name)) or name.endswith(".py")


def _from_starter(words: list[Word]) -> list[Word]:
    """The words from the first program on that is known to start others."""
    for at, word in enumerate(words):
        # In `singularity exec x.sif python …` it is no builtin.
        if word.text != "exec" and _starts_something(word) and not _only_named(words[at:]):
            if at and words[at - 1].text == "--entrypoint":
                return [word, *words[at + 2 :]]  # `docker run --entrypoint python IMAGE`
            return words[at:]
    return []


def _only_named(words: Sequence[Word]) -> bool:
    """Whether the first word is an environment's or a folder's name: `conda run -n trl python …`.

    What these start themselves is no interpreter.
    """
    following = _name(words[1].text) if len(words) > 1 else ""
    interpreter = following in ("bash", "sh") or _PYTHON.match(following)
    return bool(interpreter) and _name(words[0].text) in ("accelerate", "deepspeed", "ray", "trl")


def _python(words: list[Word], launcher: list[str]) -> Started | None:
    """`python -u -m module …` or `python script.py …`."""
    at = 0
    while at < len(words):
        text = words[at].text
        if text in ("-W", "-X", "--check-hash-based-pycs"):
            at += 2
        elif re.fullmatch(r"-[A-Za-z]*m", text):
            if at + 1 == len(words):
                return None
            return _python_module(words[at + 1], words[at + 2 :], launcher)
        elif text == "-" or re.fullmatch(r"-[A-Za-z]*c", text):
            return None
        elif text.startswith("-"):
            at += 1
        else:
            return Started(text, tuple(words[at + 1 :]), tuple(launcher))
    return None


def _python_module(module: Word, words: list[Word], launcher: list[str]) -> Started | None:
    launch = _AS_MODULES.get(module.text)
    if launch:
        return _distributed(launch, words, launcher)
    return Started(module.text, tuple(words), tuple(launcher))


def _distributed(name: str, words: list[Word], launcher: list[str]) -> Started | None:
    """`torchrun --nproc_per_node 8 -m module …`, and the same for the other launchers."""
    launcher = [*launcher, name]
    flags = DISTRIBUTED[name] | MODULE
    at = _behind_options(words, flags)
    if at + 1 < len(words) and is_hidden(words[at]):
        after = words[at + 1].text  # `accelerate launch $FLAGS train.py`
        if after.endswith(".py") or after in MODULE:
            at += 1 + _behind_options(words[at + 1 :], flags)
    if at < len(words) and words[at].text == "--":
        at += 1  # `accelerate launch --num_processes 4 -- train.py`
    module = any(word.text in MODULE for word in words[:at])
    if at >= len(words):
        return None
    entry = words[at].text
    if not module and _PYTHON.match(_name(entry)):
        return _python(words[at + 1 :], launcher)
    return Started(entry, tuple(words[at + 1 :]), tuple(launcher))


def as_module(entry: str, packages: Sequence[str]) -> str:
    """The dotted name of a script's path inside one of `packages`; other entries as they are.

    `/home/me/verl/verl/trainer/main_ppo.py` is verl.trainer.main_ppo.
    """
    if not entry.endswith(".py"):
        return entry
    parts = entry.removesuffix(".py").split("/")
    for package in packages:
        if package in parts[:-1]:
            last = len(parts) - 1 - parts[::-1].index(package)
            return ".".join(parts[last:])
    return entry


Recognise = Callable[[str, Sequence[Word]], tuple[str, str] | None]
"""Entry and arguments → (framework, entry as a module), or None."""


def find_launches(reading: Reading, recognise: Recognise) -> tuple[Launch, ...]:
    """The commands of a script that start a framework which `recognise` knows, in order."""
    launches = (launch_of(command, recognise) for command in reading.commands)
    return tuple(filter(None, launches))


def printing_option(framework: str, argv: Sequence[Word]) -> str:
    """The option by which a launch prints its help or configuration and trains nothing, or ""."""
    texts = list(takewhile("--".__ne__, (word.text for word in argv)))
    if not any(text.startswith("-") for text in texts):
        return ""
    form = _HYDRA_PRINTS if framework == "verl" else _HELP
    found = form.search("\n".join(texts))
    return found[1].replace("\n", " ") if found else ""


def launch_of(command: Command, recognise: Recognise) -> Launch | None:
    """The launch that a command is, if it is one."""
    started = unwrap(command.argv)
    if started is None:
        return None
    argv = () if command.written else started.argv
    known = recognise(command.written.module if command.written else started.entry, argv)
    return known and Launch(command, *known, (*command.settings, *argv), started.launcher)
