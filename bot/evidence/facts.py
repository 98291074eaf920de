"""The facts of a run, from any source; names of numbers end in their unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.traces import RunTraces, Trace
from bot.report import ClaimVerdict, JsonValue
from bot.report.evidence import RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunId:
    """Which run it is."""

    id: str | None = None
    entity: str | None = None
    project: str | None = None
    name: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSeries:
    """The extremes of one metric over the COMPLETE stream it was read from."""

    key: str
    rows: int
    """Rows that hold the metric."""
    maximum: float
    at_step: int | None
    """Step of the maximum (history) or None (system stream)."""
    last: float
    monotone: bool
    """True when the values never fall."""
    trace: Trace | None = field(default=None, compare=False, repr=False)
    """How it went, for a chart; no fact, so neither compared nor kept in a report."""
    values: Mapping[int, float] | None = field(default=None, compare=False, repr=False)
    """Some values by their step, to compare with another source of the run; no fact either."""


UNNAMED: Final = "GPU"
"""What a card is called whose name was not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuInfo:
    """One GPU of the machine that wrote the run."""

    name: str
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """Another run of the same project, as far as one light answer tells: for MaxBatch."""

    id: str
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    """The run's configuration, nested as logged, as in `Facts.config`."""
    steps: int | None = None
    """Training steps that its summary (last values) reports; None when it reports none."""
    out_of_memory: bool | None = None
    """True and False are read in its console; None when the console was not read or not there."""


@dataclass(frozen=True, slots=True)
class SourceAgreement:
    """Whether several sources are of one run."""

    verdict: ClaimVerdict
    shared: int
    """Values and settings that stand in more than one source and are the same."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that was read of one run."""

    source: str
    """What was read, in words."""
    kind: RunKind = "folder"
    run: RunId = field(default_factory=RunId)
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    """The run's configuration, nested as logged; W&B's own `_wandb` entry left out."""
    history: Mapping[str, MetricSeries] = field(default_factory=dict)
    """Metric name to its extremes over the full history."""
    history_rows: int = 0
    system: Mapping[int, MetricSeries] = field(default_factory=dict)
    """GPU index to its memory in bytes over the full system stream."""
    system_rows: int = 0
    system_kind: RunKind | None = None
    """Which source of several the system stream is from; None for the one."""
    printed: frozenset[Literal["config", "arguments", "history", "requirements"]] = frozenset()
    """What of these is no record of a tracker: text that the process printed, or the arguments that
    a script resolves to."""
    gpus: tuple[GpuInfo, ...] = ()
    """GPUs of the host, from the metadata."""
    host_gpu_count: int | None = None
    requirements: Mapping[str, str] = field(default_factory=dict)
    """Installed packages, lower-case name to version."""
    script_release: str | None = None
    """The framework's release that the recorded script was read with, where somebody stated it."""
    program: str | None = None
    args: tuple[str, ...] = ()
    exit_code: int | None = None
    """None when the run wrote no end."""
    out_of_memory: str | None = None
    """The console line that reports an out-of-memory error, if any."""
    gaps: tuple[str, ...] = ()
    """What is missing and why, a sentence for each; empty when the run was read whole."""
    state: str | None = None
    """As W&B calls it: running, finished, failed, crashed, killed, preempted; None for a folder,
    which does not say."""
    created: str | None = None
    """When the run was created: ISO 8601, UTC; None when unknown."""
    window: tuple[float, float] | None = None
    """Seconds since 1970 of the first and the last thing that was logged; None when unknown."""
    siblings: tuple[Sibling, ...] = ()
    """Other runs of the same project, those of the same group or sweep first, newest first."""
    sibling_gaps: tuple[str, ...] = ()
    """What is not known of the siblings and why; the run itself is none the less whole."""
    agreement: SourceAgreement | None = None
    """Of several sources: whether they are of one run."""
    signed: bool | None = None
    """Of a manifest: whether it bears a signature; None for every other source."""
    private: bool = False
    """True when it was read with a key from a project that is not open to everybody."""

    def traces(self) -> RunTraces:
        """The curves of the run, as far as they were followed."""
        return RunTraces(
            memory={gpu: s.trace for gpu, s in self.system.items() if s.trace is not None},
            metrics={key: s.trace for key, s in self.history.items() if s.trace is not None},
        )


class EvidenceError(Exception):
    """The run could not be read: the message is a sentence with the reason and what to do next.

    Not a fault of the contribution: its claims become inconclusive.
    """

    def __init__(self, sentence: str, /, *, passing: bool = False, **values: object) -> None:
        """`sentence` is as it is shown; with `values` it is their template, as of `message`.

        `passing`: the same reading may succeed later, without anybody mending anything.
        """
        super().__init__(message(sentence, **values) if values else sentence)
        self.passing = passing
