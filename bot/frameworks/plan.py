"""What a script intends to run: launches, their settings, and the plan read off them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, fields, replace
from typing import Any, Final, Generic, Literal, TypeVar

from bot.base.fast_dataclass import dataclass
from bot.frameworks.configuration import Configuration
from bot.frameworks.settings.key_table import KeyTable
from bot.frameworks.settings.setting import BadArgument, Setting, UnknownValue
from bot.report import JsonValue
from bot.shell.source import Span
from bot.shell.words import Command, Hole, HoleKind, Word, WrittenProgram

T = TypeVar("T")

RAY_JOB: Final = "ray job submit"
"""What `Launch.launcher` calls Ray's own launcher."""
HF_JOB: Final = "hf jobs"
"""What it calls a job of Hugging Face."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that starts a framework."""

    command: Command
    framework: str
    """verl, openrlhf, open-instruct or trl."""
    entry: str
    """The module or program started, such as verl.trainer.main_ppo."""
    argv: tuple[Word, ...]
    """The words of the launched program itself, after its own name (launchers left out); those of
    the command's file of settings stand first."""
    launcher: tuple[str, ...] = ()
    """What stands around it: (RAY_JOB,), ("torchrun",)."""
    launcher_file: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The launcher's options that a file has, which its command line may change:
    `accelerate launch --config_file`. Values as `LauncherOption.text`."""

    @property
    def program(self) -> str:
        """What is started, as written: of one that makes its settings itself its own path."""
        words = self.command.argv if self.command.written else ()
        return next((word.text for word in words if word.text.endswith(".py")), self.entry)

    @property
    def unknown_arguments(self) -> Iterator[tuple[str, HoleKind]]:
        """Of each argument that may be any setting what stands before it, and why it is unknown."""
        before = ""
        for word in self.argv:
            for piece in word.pieces:
                if isinstance(piece.text, Hole):
                    yield before, piece.text.kind
                elif piece.text:
                    break
            before = word.text

    @property
    def environment(self) -> Mapping[str, Word] | None:
        """What the script exports to it; None on other machines, which may have more."""
        return None if self.sent_to_ray else self.command.environment

    @property
    def sent_to_ray(self) -> bool:
        """Whether it is submitted to a Ray cluster, whose machines may be others."""
        return RAY_JOB in self.launcher


@dataclass(frozen=True, slots=True)
class Field(Generic[T]):
    """A typed fact of a plan, with where it comes from."""

    value: T | None
    """None when it cannot be known."""
    span: Span | None = None
    """Where it was written; None for a default."""
    key: str | None = None
    """The setting it was read from."""
    default: bool = False
    """True when the framework's default applies."""

    def __bool__(self) -> bool:
        return self.value is not None


def nothing() -> Field[T]:
    """A field that cannot be known."""
    return Field(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How a release was inferred from the settings of a script, and what hangs on that."""

    preferred: str
    """The release that would have been taken otherwise."""
    explained: tuple[Setting, ...]
    """Settings of the launch that `preferred` refuses and the inferred release takes."""
    doubtful: tuple[Setting, ...]
    """Settings that the inferred release refuses, though another one that may be meant takes them:
    no errors, since the script may be for that one."""
    releases: tuple[str, ...]
    """The releases that take all of `explained`, and each option of `reshaped` as it is written."""
    reshaped: tuple[BadArgument, ...] = ()
    """What `preferred` cannot take as it is written: `--bf16` without a value."""


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file of accelerate's or DeepSpeed's that a launch names, and that says nothing."""

    path: str
    """As the launch names it."""
    why: Literal["missing", "broken", "unread"]
    """missing: it is not in the tree, and nothing makes it · broken: it cannot be parsed ·
    unread: it may be there once the script has run, or where nobody has looked."""
    problem: str
    """The clause that says so: "ds_z3.json is not there"."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """What one launch intends to run.

    Plans compare by identity, so that what is derived from one can be kept beside it.
    """

    launch: Launch
    framework: str
    configuration: Configuration
    """What it is read by, and why."""
    inference: Inference | None = None
    """Where the release is inferred and something hangs on it."""
    applied: dict[str, Any] | None = None
    """The whole configuration under all settings; None unless the program takes each of them."""
    settings: tuple[Setting, ...] = ()
    """In the order of the command line; a key may occur twice."""
    bad_arguments: tuple[BadArgument, ...] = ()
    arguments: tuple[Setting, ...] = ()
    """What its program gives TRL's trainer beside its settings, with keys such as
    `SFTTrainer.tokenizer`: what not every release takes, and an adapter's configuration."""
    model: Field[str] = field(default_factory=nothing)
    """Path or hub name of the trained model."""
    algorithm: Field[str] = field(default_factory=nothing)
    """Lower case: grpo, gae (PPO), rloo, reinforce_plus_plus, …"""
    adapter: Field[str] = field(default_factory=nothing)
    """"lora", "dora", or "" for none."""
    gpus_per_node: Field[int] = field(default_factory=nothing)
    nodes: Field[int] = field(default_factory=nothing)
    gpus: Field[int] = field(default_factory=nothing)
    """GPUs that the job uses, over all nodes."""
    train: Field[str] = field(default_factory=nothing)
    """fsdp, fsdp2, megatron, deepspeed, …"""
    infer: Field[str] = field(default_factory=nothing)
    """vllm, sglang, hf, …"""
    train_batch_size: Field[int] = field(default_factory=nothing)
    """Prompts a step over all GPUs."""
    mini_batch_size: Field[int] = field(default_factory=nothing)
    micro_batch_size_per_gpu: Field[int] = field(default_factory=nothing)
    rollout_n: Field[int] = field(default_factory=nothing)
    """Responses a prompt."""
    max_prompt_length: Field[int] = field(default_factory=nothing)
    max_response_length: Field[int] = field(default_factory=nothing)
    loggers: Field[tuple[str, ...]] = field(default_factory=nothing)
    own_trainer: str = ""
    """A class of the repository's that trains in the place of the framework's."""
    made: tuple[Setting, ...] = ()
    """What its program makes of the model whatever is set, as settings that would do the same."""
    made_by: frozenset[str] = frozenset()
    """The settings that those hang on."""
    written: WrittenProgram | None = None
    """What its program does with the model that is no setting; None where the framework's does."""
    unread_file: UnreadFile | None = None
    """The first file that would say how the model is divided, and does not."""

    @property
    def table(self) -> KeyTable | None:
        """The settings of its configuration; None when they are not known."""
        return self.configuration.table

    def without_hidden(self) -> Plan:
        """The plan without the defaults that something else may stand in the place of.

        A variable that is not set is taken for empty; what a file or a command gives is not. Behind
        `--option` it is taken for the value.
        """
        kinds = {
            kind
            for before, kind in self.launch.unknown_arguments
            if not before.startswith("--") or "=" in before
        }
        if self.launch.command.written or kinds <= {"unset", "argument", "environment"}:
            return self
        facts = ((each.name, getattr(self, each.name)) for each in fields(self))
        hidden = [name for name, fact in facts if isinstance(fact, Field) and fact.default]
        unknown: dict[str, Any] = dict.fromkeys(hidden, nothing())
        return replace(self, **unknown)

    @property
    def inferred_releases(self) -> tuple[str, ...]:
        """The releases that its settings leave open, where its release is inferred from them."""
        return self.inference.releases if self.inference is not None else ()

    def last(self, key: str) -> Setting | None:
        """The setting that wins for `key`: the last one given."""
        return next((s for s in reversed(self.settings) if s.key == key), None)

    def resolved(self) -> Mapping[str, JsonValue | UnknownValue]:
        """Key to the value that wins, deletions (`~key`) left out."""
        return {s.key: s.value for s in self.settings if s.operator != "~"}
