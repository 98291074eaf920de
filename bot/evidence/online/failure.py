"""How a reading can fail, and the sentence for each: what happened, where, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from bot.evidence.links import RunLink

Kind: TypeAlias = Literal[
    "no-key",
    "bad-key",
    "forbidden",
    "private",
    "not-found",
    "gone",
    "rate",
    "server",
    "http",
    "redirect",
    "unreachable",
    "tls",
    "garbage",
    "too-much",
    "hang",
    "slow",
    "sdk",
    "ended",
    "missing-sdk",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why no facts came back."""

    kind: Kind
    stage: str = "the run"
    """What was being read."""
    status: int | None = None
    """HTTP status, where there was one."""
    seconds: float | None = None
    """The wait asked for, or the time that passed."""
    detail: str = ""
    """A few words of the system or the SDK, never of the server's body."""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Failure:
        """What the reading process reported."""
        return cls(**data)


class ReadingError(Exception):
    """Raised inside the reading process; carries the failure to its edge."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind)
        self.failure = failure


_SENTENCES: Final[dict[Kind, str]] = {
    "no-key": (
        "{run} could not be read without a key: set WANDB_API_KEY to one that may see it, or make "
        "the project public."
    ),
    "bad-key": (
        "{host} refused the API key{status}: make a new one in the account's settings there and "
        "set WANDB_API_KEY."
    ),
    "forbidden": (
        "{host} does not let this key read {stage} of {run}{status}: use the key of somebody who "
        "may, or make the project public."
    ),
    "private": (
        "{project} is not known to be public, and what a key can see there would be reported: make "
        "the project public, or set allow_private_runs in the configuration."
    ),
    "not-found": (
        "{run} was not found on {host}: it was deleted, or the link is wrong, or its project is "
        "private and this key may not see it."
    ),
    "gone": (
        "{run} was there at first and was gone while {stage} was read: it was deleted or moved; "
        "link a run that stays."
    ),
    "rate": (
        "{host} asks for fewer requests (HTTP 429){wait}; {stage} could not be read: run the same "
        "command again later."
    ),
    "server": (
        "{host} failed to answer{status} while {stage} was read, several times in a row: run the "
        "same command again later."
    ),
    "http": (
        "{host} gave an unexpected answer{status} while {stage} was read: check that "
        "WANDB_BASE_URL, or the link's host, is a W&B server."
    ),
    "redirect": (
        "{host} redirects elsewhere{status}, which is not followed: set WANDB_BASE_URL to the "
        "address of the API itself."
    ),
    "unreachable": (
        "{host} could not be reached ({detail}): check the address and the network, then run the "
        "same command again."
    ),
    "tls": (
        "No safe connection to {host} could be made ({detail}): check its certificate, or name "
        "the authority that signed it in SSL_CERT_FILE."
    ),
    "garbage": (
        "{host} answered with something that is no answer of W&B while {stage} was read: check "
        "that WANDB_BASE_URL, or the link's host, is a W&B server."
    ),
    "too-much": (
        "{host} sent more than the reading takes in ({detail}) while {stage} was read: download "
        "the run's folder and pass it with --run."
    ),
    "hang": (
        "{host} gave no sign for {time} while {stage} was read{cause}: run the same command again "
        "later."
    ),
    "slow": (
        "Reading {run} from {host} was ended after {time}, at {stage}: run the same command again "
        "on a faster connection, or download the run's folder and pass it with --run."
    ),
    "sdk": (
        "The W&B SDK could not read {stage} of {run} ({detail}): run the same command again later, "
        "or download the run's folder and pass it with --run."
    ),
    "ended": (
        "The process that reads runs ended unexpectedly while {stage} was read ({detail}): run the "
        "same command again, or download the run's folder and pass it with --run."
    ),
    "missing-sdk": (
        "The W&B SDK that reads runs does not work here ({detail}): reinstall rlbot, or download "
        "the run's folder and pass it with --run."
    ),
}


def sentence(failure: Failure, link: RunLink) -> str:
    """The failure in words; made of our own text, numbers and the link alone."""
    seconds = failure.seconds
    time = "" if seconds is None else f"{seconds:g} seconds"
    return _SENTENCES[failure.kind].format(
        run=f"The run {link.entity}/{link.project}/{link.run_id}"
        if _SENTENCES[failure.kind].startswith("{run}")
        else f"the run {link.entity}/{link.project}/{link.run_id}",
        project=f"The project {link.entity}/{link.project}",
        host=link.host,
        stage=failure.stage,
        status="" if failure.status is None else f" (HTTP {failure.status})",
        wait="" if not seconds else f" and a wait of {seconds:g} seconds",
        time=time,
        cause=f" ({failure.detail})" if failure.detail else "",
        detail=failure.detail or "no reason given",
    )
