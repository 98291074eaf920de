"""What a series is asked for, and the words of a command that asks for it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.base.messages import message
from bot.bisect.band import Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a series is asked for."""

    vary: tuple[str, ...] = ()
    where: Where = field(default_factory=Where)
    ran: int | None = None
    """A value that is known to have run."""
    failed: int | None = None
    """A value that is known to have failed."""
    largest: int | None = None
    """No larger value is tried."""
    multiple: int | None = None
    """Values are multiples of it."""
    at_once: int = 1
    """Runs beside each other."""
    blind: bool = False
    """Whether the prediction is left out."""


def command(action: str, path: str, vary: Sequence[str]) -> list[str]:
    """The words of a command for the same script and the same numbers."""
    words = ["rlbot", "bisect", action, path]
    for name in vary:
        words += ["--vary", name]
    return words


def again(ran: int | None, failed: int | None) -> str:
    """What to call when the band was left: with everything that is known then."""
    known = [f"--ran {ran}"] if ran is not None else []
    known += [f"--failed {failed}"] if failed is not None else []
    return message("plan again with {options}", options=" ".join(known))
