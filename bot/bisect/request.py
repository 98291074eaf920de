"""What a series is asked for, and the words of a command that asks for more of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.evidence.facts import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRequest:
    """What a series is asked for."""

    vary: tuple[str, ...] = ()
    device: str | None = None
    """Where the script names none."""
    gpus: int | None = None
    """Where the script names none."""
    facts: tuple[Facts, ...] = ()
    """Runs whose measured lengths are used."""
    ran: int | None = None
    """A value that is known to have run."""
    failed: int | None = None
    """A value that is known to have failed."""
    blind: bool = False
    """Whether the prediction is left out."""


def command(action: str, path: str, vary: Sequence[str]) -> list[str]:
    """The words of a command for the same script and the same numbers."""
    return ["rlbot", "bisect", action, path, *(word for name in vary for word in ("--vary", name))]


def plan_again(ran: int | None, failed: int | None) -> str:
    """What to call when the band was left: with every end that is known then."""
    ends = [f"--ran {ran}"] if ran is not None else []
    ends += [f"--failed {failed}"] if failed is not None else []
    return message("plan again with {options}", options=" ".join(ends))
