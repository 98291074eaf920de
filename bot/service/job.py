"""A job: what a delivery of GitHub asks for. Plain data, so that it can be stored and compared."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Any, Literal, Protocol, TypeAlias

from bot.base.fast_dataclass import dataclass

JobKind: TypeAlias = Literal["check", "command", "hide"]
JobState: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]
JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work: on one pull request, or on what is shown of a repository."""

    kind: JobKind
    repository: str
    """owner/name, as GitHub spelled it in the delivery; owner/* to hide all of an owner."""
    number: int
    """Of the pull request; 0 for what concerns a repository."""
    meaning: str
    """What happened, so that one act under two delivery ids is one job: action, head, time."""
    head: str | None = None
    """Head commit that the delivery spoke of; the job reads the present one."""
    installation: int | None = None
    """Installation of the App whose token does the work."""
    repository_id: int | None = None
    """GitHub's number of the repository, which a new name leaves as it is."""
    delivery: str = ""
    """Delivery id that brought it first."""
    detail: dict[str, str | int | None] = field(default_factory=dict)
    """What a command needs besides: comment, author, edit; see `visibility` for `hide`."""

    @property
    def lane(self) -> str:
        """Jobs of one lane run one after the other: a lane is a pull request."""
        return lane(self.repository, self.number)

    @property
    def id(self) -> str:
        """Identity by meaning: the same act stored twice is stored once."""
        return f"{self.lane}:{self.kind}:{self.meaning}"

    def to_json(self) -> JsonObject:
        """The stored form."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: JsonObject) -> Job:
        """The job of a stored form; fields that an older release did not store have defaults.

        Raises TypeError for a form that lacks what every release stored.
        """
        known = cls.__dataclass_fields__
        return cls(**{name: value for name, value in data.items() if name in known})


def lane(repository: str, number: int) -> str:
    """The lane of a pull request; GitHub's names ignore case."""
    return f"{repository.lower()}#{number}"


class Transient(Exception):  # noqa: N818
    """What another attempt may settle: an outage, a limit, a timeout."""

    def __init__(self, sentence: str, *, wait: float | None = None) -> None:
        """`wait`: seconds after which the other side will answer again, where it says so."""
        super().__init__(sentence)
        self.wait = wait


class Work(Protocol):
    """What a job does, in steps whose results are stored: a crash repeats at most one step.

    Every step may run twice, so publishing must find what it posted before. A step raises
    Transient for what may pass; other exceptions end the job as failed.
    """

    def check(self, job: Job) -> JsonObject:
        """Look at the pull request and check it; an `outcome` in the result ends the job."""
        ...

    def publish(self, job: Job, checked: JsonObject) -> JsonObject:
        """Publish what `check` gave; returns the `outcome`, and `unread`: whether to look again.

        It is False where all was read, which makes earlier looks superfluous.
        """
        ...
