"""What a script's file name says: the naming profiles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["model", "task", "gpus", "device", "train", "infer"]
PARTS: tuple[Part, ...] = ("model", "task", "gpus", "device", "train", "infer")
PATTERN = "[model]_[task]_[gpunums]_[device]_[train]_[infer].sh"

_TOKEN = re.compile(r"[a-z0-9][a-z0-9.\-]*\Z")
_SIZE = re.compile(r"(?<![0-9.a-z])([0-9]+(?:\.[0-9]+)?)(b|m|t)(?![a-z])", re.IGNORECASE)
_FOLDER = re.compile(r"[0-9]+(?:\.[0-9]+)?[bmt](?:-a[0-9]+(?:\.[0-9]+)?b)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptName:
    """The parts of a name; a part that the name does not hold is None."""

    profile: str
    path: str
    problems: tuple[str, ...] = ()
    """What keeps the name from following the profile, a sentence for each."""
    model: str | None = None
    task: str | None = None
    """As written: grpo, grpo-lora, ppo."""
    gpus: int | None = None
    device: str | None = None
    train: str | None = None
    infer: str | None = None
    folder: str | None = None
    """The size folder, when the parent folder is one: 7b."""

    @property
    def valid(self) -> bool:
        """True when the name follows the profile."""
        return not self.problems

    @property
    def file_name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def algorithm(self) -> str | None:
        """The task without its adapter: grpo for grpo-lora."""
        return self.task.split("-")[0] if self.task else None

    @property
    def adapter(self) -> str | None:
        """The ending lora or dora of the task, "" when it has neither; None without a task."""
        if self.task is None:
            return None
        last = self.task.split("-")[-1]
        return last if last in ("lora", "dora") else ""


def model_size(model: str) -> str | None:
    """The size that a model's name states, lower case: "7b" for Qwen/Qwen2.5-7B-Instruct.

    Of several the first one in the last part of the path counts (30b for Qwen3-30B-A3B).
    """
    found = _SIZE.search(model.rstrip("/").rsplit("/", 1)[-1])
    return f"{found[1]}{found[2]}".lower() if found else None


def same_size(one: str, other: str) -> bool:
    """Whether two sizes are of one class, such as 70b and 72b: within a twentieth of the larger.

    verl keeps its 72B scripts in the folder 70b and the section 70B; 30b and 32b stay apart.
    """
    left, right = (_SIZE.match(size.lower()) for size in (one, other))
    if not left or not right or left[2] != right[2]:
        return False
    low, high = sorted((float(left[1]), float(right[1])))
    return high - low <= 0.05 * high


def read_name(path: str) -> ScriptName:
    """Read a path by the profile `tuning`: PATTERN in a folder named after the model's size."""
    pure = PurePosixPath(path)
    parent = pure.parent.name
    folder = parent.lower() if _FOLDER.match(parent) else None
    problems: list[str] = []
    if pure.suffix != ".sh":
        problems.append(f'the name does not end in ".sh": {pure.name}')
    stem = pure.name.removesuffix(".sh")
    if stem != stem.lower():
        problems.append(f"the name has upper-case letters; write {stem.lower()}.sh")
    tokens = stem.lower().split("_")
    if len(tokens) != len(PARTS):
        problems.append(
            f"the name has {len(tokens)} parts between underscores where {PATTERN} has {len(PARTS)}"
        )
        return ScriptName(profile="tuning", path=path, problems=tuple(problems), folder=folder)
    for part, token in zip(PARTS, tokens, strict=True):
        if not _TOKEN.match(token):
            problems.append(f"[{part}] is {token!r}: letters, digits, dots and dashes are allowed")
    gpus = (
        int(tokens[2])
        if tokens[2].isascii() and tokens[2].isdigit() and len(tokens[2]) < 7
        else None
    )
    if not gpus:
        problems.append(f"[gpunums] is {tokens[2]!r}: write the number of GPUs, such as 8")
    return ScriptName(
        profile="tuning",
        path=path,
        problems=tuple(problems),
        model=tokens[0],
        task=tokens[1],
        gpus=gpus or None,
        device=tokens[3],
        train=tokens[4],
        infer=tokens[5],
        folder=folder,
    )
