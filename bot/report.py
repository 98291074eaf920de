"""The result of a check: what every door prints and every renderer reads.

Plain dataclasses, so that reading a script costs no import of pydantic; `bot.schema` hands them to
pydantic where a JSON Schema or a validation is wanted. The JSON form is `report-v1`, described by
`schemas/report-v1.schema.json` and versioned semantically: fields may be added, none renamed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from bot.language import Language

Severity: TypeAlias = Literal["error", "warning", "note"]
ClaimVerdict: TypeAlias = Literal["consistent", "inconsistent", "inconclusive"]
Strength: TypeAlias = Literal["strong", "moderate", "weak"]
Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
Scalar: TypeAlias = str | int | float | bool | None
JsonValue: TypeAlias = Scalar | list["JsonValue"] | dict[str, "JsonValue"]

PYDANTIC_CONFIG = {
    "use_attribute_docstrings": True,
    "extra": "forbid",
    # Every field is always printed, so the schema of what is printed requires it.
    "json_schema_serialization_defaults_required": True,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A replacement of a stretch of a file; lines and columns start at 1, the end is exclusive."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """What stands there afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change that would settle a finding."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    title: str
    """The change in words, starting with a verb: "use nproc_per_gpu=44"."""
    safe: bool
    """True when the change cannot alter what a correct script does."""
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong or could be better, with its place and the way out."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    id: str
    """Stable identifier of the rule, such as RLB012."""
    slug: str
    """Readable name of the rule, such as unknown-key."""
    severity: Severity
    message: str
    path: str
    line: int
    """First line, from 1."""
    column: int
    """First column, from 1, counted in characters."""
    end_line: int
    end_column: int
    """Column after the last character."""
    help: str | None = None
    """What to do next."""
    url: str | None = None
    """Where the rule is documented."""
    fix: Fix | None = None
    rename: str | None = None
    """The path that the script should have; it is proposed, never done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that a comment in the script suppresses; it does not count for the verdict."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    finding: Finding
    reason: str
    """Why, as the comment says."""
    line: int
    """Line of the comment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """Something that could not be checked: neither right nor wrong."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    check: str
    """What was to be checked."""
    reason: str
    """Why it could not be, and what would help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """What the file's name says, read by a naming profile."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    profile: str
    valid: bool
    model: str | None = None
    task: str | None = None
    gpus: int | None = None
    device: str | None = None
    train: str | None = None
    infer: str | None = None
    folder: str | None = None
    """The size folder that holds the script, such as 7b."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a setting of a launch was written."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    key: str
    operator: str
    """"", "+", "++" or "~", as Hydra reads it."""
    text: str
    """The value as it stands on the command line after expansion."""
    line: int
    """Place of the value itself: the assignment, when it came through variables."""
    column: int
    end_line: int
    end_column: int
    via: tuple[str, ...] = ()
    """Variables that the value came through, outermost first."""
    default_of: tuple[str, ...] = ()
    """Variables whose default was taken (`${X:-16}`): the caller may set them otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchReport:
    """One command of the script that starts a framework."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    argv: tuple[str, ...]
    """The words of the command; what cannot be known without running something reads ${?reason}."""
    complete: bool
    """False when a word holds something that cannot be known."""
    framework: str
    framework_version: str
    framework_version_reason: str
    """Why this version was chosen."""
    settings: dict[str, Any]
    """Dotted key to value, typed as the framework would; holes stay as ${?reason}."""
    line: int
    """Line of the command."""
    assumptions: tuple[str, ...] = ()
    """Conditions that were taken to hold on the way to this command."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that the script sets for this command."""
    origins: tuple[Origin, ...] = ()
    """Where each setting was written, in the order of the command; `rlbot resolve` gives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport:
    """What the script intends to run; null where it cannot be known."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    framework: str | None = None
    model: str | None = None
    """Path or hub name of the trained model, as the script gives it."""
    task: str | None = None
    """Algorithm and adapter as the table writes them: GRPO, GRPO-LoRA, PPO."""
    algorithm: str | None = None
    adapter: str | None = None
    gpus_per_node: int | None = None
    nodes: int | None = None
    gpus: int | None = None
    train: str | None = None
    """Training backend: fsdp, fsdp2, megatron, deepspeed."""
    infer: str | None = None
    """Inference engine: vllm, sglang, hf."""
    train_batch_size: int | None = None
    """Prompts per step, over all GPUs."""
    mini_batch_size: int | None = None
    micro_batch_size_per_gpu: int | None = None
    rollout_n: int | None = None
    """Responses per prompt."""
    max_prompt_length: int | None = None
    """Tokens."""
    max_response_length: int | None = None
    """Tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of the contribution, compared with the run. Never "proved"."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    claim: str
    """What is claimed: "model", "gpus", "peak memory", "max batch", or a setting's dotted key."""
    claimed: Scalar
    observed: Scalar
    source: str
    """Where the observation comes from: "run config", "system stream", "history", …"""
    verdict: ClaimVerdict
    reason: str
    """One sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Which run the evidence is."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    id: str | None = None
    entity: str | None = None
    project: str | None = None
    name: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSource:
    """One of the independent sources that a run is made of, and how many claims it speaks to."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    name: str
    """configuration, metrics, system stream, host or console."""
    consistent: int
    """Claims that it backs."""
    inconsistent: int
    """Claims that it contradicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsRecord:
    """What was read of the run, for `rlbot verify --again` to compare with what it says later."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    kind: Literal["folder", "online", "log"]
    """How the run was read."""
    digest: str
    """SHA-256 of the values as canonical JSON: sorted keys, no blanks, whole numbers as such."""
    values: dict[str, Scalar]
    """Fact to value; settings that neither script nor row names as a part of their SHA-256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The run that was read, and what it says about each claim."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    source: str
    """What was read, in words: "W&B run folder offline-run-…"."""
    verdict: ClaimVerdict
    run: Run = field(default_factory=Run)
    claims: tuple[Claim, ...] = ()
    settings_compared: int = 0
    settings_consistent: int = 0
    steps: int | None = None
    """Training steps that the run completed."""
    peak_gib: float | None = None
    """Highest device memory seen, GiB (2**30 bytes)."""
    device_gib: float | None = None
    """Memory of the smallest device seen, GiB."""
    strength: Strength | None = None
    """How many independent sources agree; null when the run was not compared."""
    sources: tuple[EvidenceSource, ...] = ()
    max_batch: Literal["fits", "confirmed", "contradicted"] | None = None
    """fits: the batch ran · confirmed: and a larger one ran out of memory · contradicted: a larger
    one ran, or this one is noted as failing · null: nothing was shown."""
    facts: FactsRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateStage:
    """What one stage of a training step takes of each GPU, GiB (2**30 bytes)."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    stage: str
    """rollout, weight sync, log-prob, reward, critic, update, optimizer."""
    pool: str
    """Which of the job's GPUs: "all roles", "training", "rollout", …"""
    floor_gib: float
    """What must be resident."""
    expected_gib: float
    conservative_gib: float
    """With sequences of full length everywhere."""
    components: dict[str, float]
    """What takes it, at the expected level, GiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateOption:
    """A setting that would lower the peak."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    setting: str
    """As the framework writes it: actor_rollout_ref.actor.fsdp_config.param_offload=True."""
    saves_gib: float
    """By how much the expected peak falls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The memory budget of a launch on one device, as the memory model predicts it."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    outcome: Literal["impossible", "likely OOM", "tight", "fits", "no prediction"]
    """impossible rests on the floor alone; no prediction comes with its reason."""
    reason: str | None = None
    """Why there is no prediction."""
    model: str | None = None
    device: str | None = None
    gpus: int | None = None
    memory_gib: float | None = None
    """Memory of the device."""
    usable_gib: float | None = None
    """What a process can take of it."""
    binding: str | None = None
    """The stage that takes the most."""
    peak_gib: float | None = None
    """Expected peak."""
    stages: tuple[EstimateStage, ...] = ()
    options: tuple[EstimateOption, ...] = ()
    """What would help, the most first."""
    applied: tuple[str, ...] = ()
    """Memory-saving settings that are on already."""
    host_gib: float | None = None
    """Memory of one host that offloaded states take."""
    assumptions: tuple[str, ...] = ()
    measured_lengths: bool = False
    """True when the lengths are those of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the tuning page; a cell that cannot be known holds a backslash."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    tag: str
    model: str
    task: str
    resource: str
    max_batch: str
    train: str
    infer: str
    link: str
    """Address of the script, a permalink where the commit is known."""
    contributor: str
    notes: tuple[str, ...] = ()
    """Why a cell is unknown, a sentence for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEdit:
    """The exact edit of the documentation page that adds or replaces the row."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    path: str
    section: str
    """Heading of the section, such as 7B."""
    action: Literal["add", "replace", "none"]
    rst: str
    """The row as reStructuredText, to paste."""
    patch: str
    """Unified diff of the page; empty when nothing changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptReport:
    """Everything that was found about one script."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    path: str
    sha256: str
    verdict: Verdict
    name: Name | None = None
    launches: tuple[LaunchReport, ...] = ()
    plan: PlanReport | None = None
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    evidence: Evidence | None = None
    row: Row | None = None
    page_edit: PageEdit | None = None
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """What was found about the documentation page, compared with the scripts of its repository."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    path: str
    sha256: str
    verdict: Verdict
    rows: int
    """Rows that say something."""
    scripts: int
    """Tuning scripts of the repository."""
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Which program made the report."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change that was checked, when it was one."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    base: str
    """Commit of the base."""
    head: str
    """Commit of the head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole result of one call."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    schema: Literal["report-v1"]
    tool: Tool
    verdict: Verdict
    scripts: tuple[ScriptReport, ...] = ()
    pages: tuple[PageReport, ...] = ()
    """Pages that were compared with their scripts."""
    unchecked: tuple[Unchecked, ...] = ()
    change: Change | None = None
    language: Language = "en"
    """Language of the sentences in it."""


def exit_status(report: Report) -> int:
    """The exit status of a door: 0 nothing wrong, 1 wrong, 3 something could not be checked."""
    return {"pass": 0, "fail": 1, "inconclusive": 3}[report.verdict]
