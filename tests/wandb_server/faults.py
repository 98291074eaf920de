"""Ways in which a server can fail: what it does instead of answering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass
class Fault:
    """What happens to requests of one operation (or path), instead of or before the answer."""

    kind: Literal[
        "status", "hang", "drip", "garbage", "huge", "drop", "cut", "redirect", "change", "stream"
    ]
    operation: str | None = None
    """Name of the GraphQL operation, or the beginning of a path; None for every request."""
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    change: Callable[[], object] | None = None
    """What changes on the server before it answers, of the kind "change"."""
    after: int = 0
    """Matching requests that are answered before the fault begins."""
    times: int | None = None
    """Matching requests that it happens to; None for all."""
    seen: int = 0

    def strikes(self, operation: str, path: str) -> bool:
        """Whether it happens to this request; counts it."""
        named = self.operation
        if named is not None and operation != named and not path.startswith(named):
            return False
        self.seen += 1
        number = self.seen - self.after
        return number > 0 and (self.times is None or number <= self.times)
