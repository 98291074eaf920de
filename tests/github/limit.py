"""The headers of GitHub's limit of requests, which ends a while after it is met."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import cached_property


class LimitHeaders(Mapping[str, str]):
    """The headers of a limit that ends four seconds after its first answer."""

    def __init__(self, others: Mapping[str, str]) -> None:
        self._others = others

    @cached_property
    def _headers(self) -> dict[str, str]:
        return {"X-RateLimit-Reset": str(int(time.time()) + 4), **self._others}

    def __getitem__(self, name: str) -> str:
        return self._headers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._headers)

    def __len__(self) -> int:
        return len(self._headers)
