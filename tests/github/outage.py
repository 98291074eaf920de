"""All of GitHub away for a while: down, hanging, slow, or out of patience with us."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["down", "hanging", "slow", "primary", "secondary", "429"]
KINDS: tuple[Kind, ...] = ("down", "hanging", "slow", "primary", "secondary", "429")


@dataclass
class Outage:
    """What stands in the place of every answer until a moment."""

    kind: Kind
    until: float
    """Seconds since the epoch."""
    asked: list[float] = field(default_factory=list)
    """When each request came in the meantime."""

    def over(self) -> bool:
        """True when GitHub is itself again."""
        return time.time() >= self.until

    def delay(self) -> float:
        """Seconds before the answer; a client gives up after twenty."""
        return {"hanging": 40.0, "slow": 5.0}.get(self.kind, 0.0)

    def answer(self) -> tuple[int, Mapping[str, str], str] | None:
        """Status, headers and message; None where the answer is the right one."""
        left = str(max(1, int(self.until - time.time()) + 1))
        match self.kind:
            case "down" | "hanging":
                return 503, {}, "Unicorn!"
            case "primary":
                reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(self.until))}
                return 403, reset, "API rate limit exceeded for installation ID 1."
            case "secondary":
                # Without a word on how long: GitHub asks to wait for a minute at least.
                return 403, {}, "You have exceeded a secondary rate limit."
            case "429":
                return 429, {"Retry-After": left}, "Too many requests."
            case "slow":
                return None
