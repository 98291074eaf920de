"""What `rlbot bisect` answers: the run to start, or what the finished ones say.

Plain dataclasses as in `bot.report`. The JSON forms are `bisect-plan-v1` and `bisect-read-v1`,
described by the schemas of these names: fields may be added, none renamed.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language
from bot.report import ReportPart, Tool

LimitSource: TypeAlias = Literal["run", "trial log", "given", "predicted"]
Mode: TypeAlias = Literal["series", "doubling", "closed"]
"""series: bisection between two ends · doubling: upwards until one fails · closed: nothing is left
to try."""
BracketVerdict: TypeAlias = Literal["bracketed", "open", "contradictory", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied(ReportPart):
    """A number of the script that is varied."""

    name: str
    """The setting's key, or the variable."""
    value: int
    """As the script has it."""
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(ReportPart):
    """One end of the band, or of the bracket: a value, and why it is an end."""

    value: int
    batch: int | None
    """The batch over all GPUs that the value gives."""
    source: LimitSource
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRun(ReportPart):
    """One run to start."""

    name: str
    """Names the run within its series, and the folder of its script."""
    value: int
    batch: int | None
    number: int
    """The how manyth run of the series it is."""
    expected_gib: float | None
    """Expected peak of one GPU."""
    path: str | None = None
    """The script that was written; None when none was asked for."""
    ran: str | None = None
    """Name of the next run when this one gets through its steps; None when there is none."""
    failed: str | None = None
    """Name of the next run when it is out of memory."""
    if_ran: str
    """What to do then, in words."""
    if_failed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlan(ReportPart):
    """The series of runs that finds the largest batch of a script."""

    schema: Literal["bisect-plan-v1"] = "bisect-plan-v1"
    tool: Tool
    language: Language
    script: str
    batch_key: str
    """The setting that the page calls MaxBatch."""
    varied: tuple[Varied, ...]
    """The first is what values are of; the others keep their share of it."""
    device: str | None
    gpus: int | None
    usable_gib: float | None
    """Memory of one GPU that can be used; None without a prediction."""
    mode: Mode
    lower: Limit | None
    """The largest value that ran, or should fit by the prediction."""
    upper: Limit | None
    """The smallest value that failed, or is far too large."""
    expected: int | None
    """The largest value whose expected peak fits."""
    multiple: int
    """Values are multiples of it."""
    candidates: tuple[int, ...]
    probes: tuple[TrialRun, ...]
    """The next run; none when nothing is left to try."""
    runs: int | None
    """Runs in the worst case; None where the number has no bound."""
    no_prediction: str | None
    """Why the band could not be predicted."""
    no_effect: str | None
    """Why there is nothing to bisect: by the prediction the value does not decide the memory of a
    GPU. The mode is closed then, and nothing is to be run."""
    vary_instead: tuple[str, ...]
    """The settings that do decide it, for --vary."""
    computed: tuple[str, ...] = ()
    """Those that do too, as `key=value`, and whose number is not written in the script."""
    notes: tuple[str, ...]
    """What to know before the first run."""
    next_command: str | None
    """What to call when the runs are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(ReportPart):
    """What one run says of its batch."""

    run: str
    """As it was named."""
    value: int | None
    batch: int | None
    outcome: Literal["ran", "out of memory", "open", "nothing"]
    """open: it got through its steps, and whether the batch fits at full length was not shown ·
    nothing: no evidence for this script."""
    reason: str
    steps: int | None
    peak_gib: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket(ReportPart):
    """What the finished runs of a series say."""

    schema: Literal["bisect-read-v1"] = "bisect-read-v1"
    tool: Tool
    language: Language
    script: str
    batch_key: str
    varied: tuple[Varied, ...]
    outcomes: tuple[Outcome, ...]
    verdict: BracketVerdict
    """bracketed: a value ran, and the next one that could be tried failed · open: more runs are
    needed · contradictory: a smaller one failed while a larger one ran · nothing: no run says
    anything."""
    ran: Limit | None
    failed: Limit | None
    max_batch: int | None
    """The batch for the page: the largest that ran, where nothing contradicts it."""
    summary: str
    trial_log: str | None
    """The comment, such as `# 32√ → 64× → 48√`."""
    written: bool | None
    """Whether the script holds the log now; None when that was not asked for."""
    next_values: tuple[int, ...]
    next_paths: tuple[str, ...]
    """The scripts of these values that were written."""
    next_command: str | None
    notes: tuple[str, ...]
