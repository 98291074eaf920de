"""What a rule is given, what it gives, and what it says about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bot.base.devices import Device
from bot.frameworks.plan import Plan
from bot.memory.from_plan import PlanEstimate, estimate_plan
from bot.memory.lengths import Measured
from bot.report import Severity
from bot.script.header import Header
from bot.script.name import ScriptName
from bot.shell import Files
from bot.shell.source import Source, Span
from bot.shell.words import Reading

Confidence: TypeAlias = Literal["certain", "high", "medium"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A script's lines for the documentation; both are run by the tests."""

    bad: str
    good: str
    path: str = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    """The path under which both are checked."""
    bad_path: str | None = None
    """The path of the bad script, when the path is what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What a rule says about itself; its documentation page is made from this."""

    id: str
    """Stable for ever: RLB012."""
    slug: str
    """The file's name with dashes: unknown-key."""
    severity: Severity
    confidence: Confidence
    added_in: str
    """First release of rlbot that has it."""
    summary: str
    """One line: what it finds."""
    why: str
    """Why that matters."""
    instead: str
    """What to write instead."""
    limits: str
    """What it does not see, and when it stays silent."""
    source: str
    """The document or code that justifies it, with its address."""
    example: Example


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit:
    """A replacement of one stretch of the script."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that a rule found."""

    message: str
    span: Span
    help: str | None = None
    severity: Severity | None = None
    """Only when it differs from the rule's own."""
    fix_title: str | None = None
    fix_safe: bool = False
    edits: tuple[TextEdit, ...] = ()
    rename: str | None = None
    """Where the file belongs, relative to its folder: "qwen2.5-7b_….sh", "../7b/NAME.sh"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """The rule could not check what it should have; the reason becomes part of the report."""

    reason: str


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
    files: Files | None = None
    """The tree that the script is called from, for a model's `config.json`; None without one."""
    _estimates: dict[object, PlanEstimate] = field(
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

        Raises NoEstimateError with a sentence that says what is missing or contradictory.
        """
        key = (id(plan), device, gpus, run)
        if key not in self._estimates:
            self._estimates[key] = estimate_plan(plan, device, run=run, files=self.files, gpus=gpus)
        return self._estimates[key]


Check: TypeAlias = Callable[[RuleContext], Iterable[Hit | Skip]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as the registry hands it out."""

    meta: Meta
    check: Check
