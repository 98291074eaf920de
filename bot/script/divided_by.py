"""The files that say how a launch divides its model, where they are not there or cannot be parsed.

accelerate's (`accelerate launch --config_file`), DeepSpeed's (`--deepspeed`, `deepspeed=…`,
`--deepspeed_config_file`) and the trainer's for FSDP (`fsdp_config`). The file of a launch that is
missing from a tree that was read whole lacks; one that the script may make, fetch or go to is only
not read.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.frameworks import ScriptPlace, counts
from bot.frameworks.files.config_files import LIMITS, ComposeError, HydraRefusalError
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.frameworks.plan import Launch, Plan, UnreadFile
from bot.script.named_recipes import ways
from bot.shell import Files
from bot.shell.source import Span
from bot.shell.words import Command, Hole, Reading
from bot.shell.world.tree import SCRIPT_FOLDER, WORKING_FOLDER

_OPTIONS: Final = ("config_file", "deepspeed_config_file")
_SETTINGS: Final = ("deepspeed", "accelerate_config", "fsdp_config")
_ENDS: Final = (".json", ".yaml", ".yml")
_FRAMEWORKS: Final = ("trl", "open-instruct")
_BRINGS: Final = frozenset(
    (
        *("git", "wget", "curl", "tar", "unzip", "cp", "mv", "ln", "rsync"),
        *("hf", "huggingface-cli", "modelscope", "aws", "gsutil"),
    )
)
"""Programs that bring files which no tree has yet."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A file as a launch names it."""

    path: str
    span: Span


def with_unread_file(
    plans: Sequence[Plan], reading: Reading, place: ScriptPlace | None, files: Files | None
) -> tuple[Plan, ...]:
    """The plans, each with the first such file that says nothing (`Plan.unread_file`).

    `files` reads what the tree has beside the repository of `place`.
    """
    if place is None or all(plan.framework not in _FRAMEWORKS for plan in plans):
        return tuple(plans)
    # A plan stands for itself: one that lacks nothing stays the same object.
    named = [[*_named(plan, place)] for plan in plans]
    spans = {(one.path, one.span.start) for each in named for one in each}
    looked = _Looked(place, files, reading, frozenset(spans))
    return tuple(
        plan if (found := looked.first(plan.launch, each)) is None
        else replace(plan, unread_file=found)
        for plan, each in zip(plans, named, strict=True)
    )  # fmt: skip


def _named(plan: Plan, place: ScriptPlace) -> Iterator[_Named]:
    """The files of a launch whose whole path it says, and which it does not write itself."""
    if plan.framework not in _FRAMEWORKS:
        return
    found = list[_Named]()
    for option in filter(None, (launcher_option(plan.launch, name) for name in _OPTIONS)):
        found.append(_Named(option.text, option.span))
    for key in _SETTINGS:
        setting = plan.last(key)
        if setting is not None and setting.known and isinstance(setting.value, str):
            found.append(_Named(setting.value, setting.value_span))
    for one in found:
        path = _from_clone(plan.launch, place, one.path) or one.path
        outside = path.startswith(("/", "~", "{")) or "${?" in path
        if one.path.endswith(_ENDS) and not outside and one.path not in plan.launch.command.files:
            yield one


def _from_clone(launch: Launch, place: ScriptPlace, path: str) -> str | None:
    """A path from the folder that the script went to, where that is a clone of the repository.

    It is one where the launched program stands in it as it does here. None for any other folder.
    """
    folder = launch.command.folder
    if folder is None or not folder.complete or not folder.text.startswith("/"):
        return None
    clone = f"{folder.text.rstrip('/')}/"
    there = launch.program.removeprefix(clone) in place.checkout.files
    return path.removeprefix(clone) if there else None


@dataclass(frozen=True, slots=True)
class _Looked:
    """Where such files are looked for."""

    place: ScriptPlace
    files: Files | None
    reading: Reading
    named: frozenset[tuple[str, int]]
    """Each path that a launch of the script names, with where it is named."""

    def first(self, launch: Launch, named: Sequence[_Named]) -> UnreadFile | None:
        """The first file that is not there or cannot be parsed."""
        return next(filter(None, (self._unread(launch, one.path) for one in named)), None)

    def _unread(self, launch: Launch, path: str) -> UnreadFile | None:
        inside = _from_clone(launch, self.place, path)
        shown = path if inside is None else inside
        contents = (self._content(way) for way in ways(launch.command, shown))
        data = next((one for one in contents if one is not None), None)
        if data is not None:
            broken = _problem(shown, data)
            return UnreadFile(path, "broken", broken) if broken is not None else None
        away = inside is None and _goes_away(launch.command)
        if away or self._may_come(shown) or not self._is_searched(shown):
            return UnreadFile(path, "unread", message("{path} was not read", path=shown))
        return UnreadFile(path, "missing", message("{path} is not there", path=shown))

    def _content(self, path: str) -> bytes | None:
        checkout = self.place.checkout
        if path.endswith(".json"):
            return self.files(path) if self.files is not None else None
        found = checkout.recipe(self.place.path, path)
        return checkout.files[found] if found is not None else None

    def _is_searched(self, path: str) -> bool:
        """Whether a file of that path would have been found: not in a folder that is left out."""
        place, name = self.place, posixpath.basename(path)
        parts = {part for part in path.split("/") if part.strip(".")}
        left = {posixpath.basename(one.rstrip("/")) for one in place.checkout.left}
        if parts & left or any(part.startswith(".") for part in parts):
            return False
        # Of a pull request those files are there that the script's own text names.
        whole = place.whole or name in self.reading.source.text
        return whole and (counts(path) or place.files is not None)

    def _may_come(self, path: str) -> bool:
        """Whether the script may make or fetch the file."""
        if any(_program(one) in _BRINGS for one in self.reading.commands):
            return True
        name = posixpath.basename(path)
        source = self.reading.source
        texts = {
            part.text for part in (source, *source.attached)
        }  # A program is attached to itself.
        said = sum(_mentions(text, name) for text in texts)
        return said > sum(posixpath.basename(one) == name for one, _ in self.named)


def _goes_away(command: Command) -> bool:
    """Whether the script has gone to a folder that may be another than the repository's."""
    piece = command.folder.pieces[0].text if command.folder and command.folder.pieces else None
    if command.folder is None or piece in (SCRIPT_FOLDER, WORKING_FOLDER):
        return False
    return isinstance(piece, Hole) or str(piece).startswith("/")


def _program(command: Command) -> str:
    return posixpath.basename(command.argv[0].text) if command.argv else ""


def _mentions(text: str, name: str) -> int:
    """How often a text names a file, comments on lines of their own left out."""
    return sum(line.count(name) for line in text.splitlines() if line.lstrip()[:1] != "#")


def _problem(path: str, data: bytes) -> str | None:
    """Why a file cannot be read, as a clause; None where it can be."""
    text = data.decode("utf-8-sig", "replace")
    if path.endswith(".json"):
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            return message("{path} is no JSON (line {line})", path=path, line=error.lineno)
        except (ValueError, RecursionError):
            return message("{path} is no JSON", path=path)
    else:
        # PyYAML takes long to import, and few launches have such a file.
        from bot.frameworks.files.yaml_data import read_yaml

        try:
            content = read_yaml(path, text, LIMITS) if len(text) <= LIMITS.file_bytes else {}
        except HydraRefusalError:
            return message("{path} is no YAML", path=path)
        except ComposeError:
            return None
    if isinstance(content, dict):
        return None
    return message("{path} holds no settings", path=path)
