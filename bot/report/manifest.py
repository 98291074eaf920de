"""The records of `run-manifest-v1`: what `rlbot record` writes of a run, a line of JSON for each.

The first is `begin`, then one `minute` after the other, then `end`, and `signature` where a key
signs. Every line closes with `"sha256"`: the SHA-256 of the line's own bytes before that entry,
after the 32 bytes of the line before (none before the first). A manifest without `end` is one whose
recorder was killed. The signature is OpenSSH's (PROTOCOL.sshsig) over all bytes before its line.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, TypeAlias

from bot.base.fast_dataclass import dataclass

NAMESPACE = "rlbot-record"
"""The signature's namespace: what it was made for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedGpu:
    """One GPU of the host, as NVML names it."""

    name: str
    memory_bytes: int
    uuid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedScript:
    """The script that the command runs, where it names one that could be read."""

    name: str
    """Without its folder."""
    sha256: str
    arguments_sha256: str | None = None
    """SHA-256 of the launch's resolved arguments, as a JSON list without blanks."""
    framework: str | None = None
    release: str | None = None
    """The framework's release that its comment or the repository names; None where none does."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Dotted key to value, as the command's environment resolves the script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedGit:
    """The repository that the command starts in."""

    commit: str
    uncommitted_sha256: str | None = None
    """SHA-256 of what `git status` and `git diff` show; None where nothing is uncommitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestBegin:
    """What is known before the command starts."""

    schema: Literal["run-manifest-v1"]
    kind: Literal["begin"]
    id: str
    """Made anew for each recording."""
    began: float
    """Seconds since 1970."""
    command_sha256: str
    """SHA-256 of the command's words, as a JSON list without blanks."""
    script: RecordedScript | None = None
    git: RecordedGit | None = None
    packages: dict[str, str] = field(default_factory=dict)
    """Installed packages that decide what a run shows, name to version."""
    python: str | None = None
    driver: str | None = None
    gpus: tuple[RecordedGpu, ...] = ()
    without_gpus: str | None = None
    """Why no GPU is recorded; None where some are."""
    interval_seconds: float = 1.0
    signer: str | None = None
    """The public key that is to sign the end, `ssh-ed25519 AAAA…`; None for an unsigned one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestMinute:
    """What was seen in one minute."""

    kind: Literal["minute"]
    number: int
    began: float
    looks: int
    peak_bytes: tuple[int, ...] = ()
    """Most memory in use on each GPU, of all processes."""
    tree_peak_bytes: tuple[int | None, ...] = ()
    """Most memory of the command's processes on each; None where NVML does not list them."""
    samples: str = ""
    """Memory in use in MiB at each look, one GPU after the other: differences to the look before,
    of the first to 0, as zigzag varints, deflated, in base 85 (RFC 1924)."""
    host_peak_bytes: int = 0
    """Most resident memory of the command's processes, summed; shared pages count in each."""
    processes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedMetric:
    """A metric that the command printed with its steps."""

    rows: int
    maximum: float
    at_step: int | None
    last: float
    monotone: bool
    values: dict[str, float] = field(default_factory=dict)
    """Some values by their step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEnd:
    """How the command ended."""

    kind: Literal["end"]
    ended: float
    exit_code: int | None = None
    """None where a signal ended it."""
    signal: str | None = None
    """Its name, such as SIGTERM."""
    minutes: int = 0
    metrics: dict[str, PrintedMetric] = field(default_factory=dict)
    out_of_memory: str | None = None
    """The first line that reports an out-of-memory error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestSignature:
    """The signature over the lines before."""

    kind: Literal["signature"]
    signature: str
    """Armoured, as `ssh-keygen -Y sign` prints it."""


ManifestRecord: TypeAlias = ManifestBegin | ManifestMinute | ManifestEnd | ManifestSignature
