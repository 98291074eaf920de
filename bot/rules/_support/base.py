"""The types of a rule: what it is given, what it yields, and its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from bot.base.devices import Device
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, message
from bot.frameworks import ScriptPlace
from bot.frameworks.plan import Plan
from bot.memory.from_plan import ModelFiles, PlanEstimate, estimate_plan
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import NoEstimateError
from bot.registry.base import Example, Hit, Hits, Meta, Rule, Skip, TextEdit, hit
from bot.script.choice import LaunchChoice
from bot.script.header import Header
from bot.script.name import ScriptName
from bot.shell import Files
from bot.shell.source import Source
from bot.shell.words import Reading

__all__ = (
    "Example", "Hit", "Hits", "Message", "Meta", "RuleContext", "ScriptRule", "Skip", "TextEdit",
    "hit", "message",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleContext:
    """One script, read once; nothing is judged yet. A rule reads nothing else."""

    path: str
    reading: Reading
    name: ScriptName
    header: Header
    """What the script's comments state."""
    plans: Sequence[Plan]
    """One for each launch of a known framework, in order."""
    choice: LaunchChoice
    """The launches of them that count: what the name, the row and an estimate are about."""
    gpus: int | None = None
    """GPUs of a launch that leaves them to its launcher; None where nobody has said."""
    files: Files | None = None
    """The tree that the script is called from, for a model's `config.json`; None without one."""
    place: ScriptPlace | None = None
    """Where it stands in a repository; None without one."""
    model: str | None = None
    """A known model of the shape that one of the script has, where nothing says which."""
    hub: Files | None = None
    """The `config.json` of models that nothing else knows; None where only a check asks."""
    _estimates: dict[object, PlanEstimate | NoEstimateError] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def source(self) -> Source:
        """The script's text."""
        return self.reading.source

    def estimate(
        self,
        plan: Plan,
        device: Device | str | None,
        *,
        gpus: int | None = None,
        run: Measured | None = None,
    ) -> PlanEstimate:
        """The memory estimate of one of `plans`, made once for each question.

        Without `gpus` those that the context was given count, then those of the script's name,
        where a launcher takes every GPU there is; what verl's trainers are told of them is theirs
        to say. Raises NoEstimateError with a
        sentence that says what is missing or contradictory.
        """
        gpus = self.gpus if gpus is None else gpus
        if gpus is None and (plan.framework != "verl" or plan.algorithm.value == "sft"):
            gpus = self.name.gpus
        key = (id(plan), device, gpus, run)
        if key not in self._estimates:
            files = ModelFiles(self.files, self.model, self.hub)
            try:
                made = estimate_plan(plan, device, run=run, files=files, gpus=gpus)
            except NoEstimateError as error:
                self._estimates[key] = error
            else:
                self._estimates[key] = made
        found = self._estimates[key]
        if isinstance(found, NoEstimateError):
            raise found.with_traceback(None)
        return found


ScriptRule: TypeAlias = Rule[RuleContext]
