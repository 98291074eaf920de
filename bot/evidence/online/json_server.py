"""Reads a server's JSON answers within bounds, and reports progress meanwhile."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, plural_message
from bot.base.secrets import Secret
from bot.evidence.json_values import parsed
from bot.evidence.online.bounds import Bounds, Tell
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage, kind_of
from bot.evidence.online.requests import Manner, RefusedRequest, insist, request_of, send
from bot.evidence.trackers.collect import MetricCollector, StoppedError

_ANSWER: Final = 64 << 20
"""Bytes of one answer; some servers give all values of a metric in one."""
_LIVELY: Final = 1 << 14
"""Bytes that count as a sign of life: a trickle is none."""
_REFUSED: Final = frozenset({400, 401, 403, 404})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRun:
    """Which run of which server is read, and with what."""

    server: str
    """The address of the API, without a slash at the end."""
    host: str
    """Of the run's page."""
    entity: str
    """SwanLab's user, trackio's OWNER/SPACE; MLflow has none."""
    project: str
    """MLflow's is the number of the experiment."""
    run_id: str
    key: Secret | None
    """Of MLflow and trackio the header's value, used only where the server asks for it."""
    allow_private: bool
    folder: Path
    """Empty, and removed afterwards: where files may be put."""


@contextmanager
def as_far_as_bounds_allow(collector: MetricCollector, host: str) -> Iterator[None]:
    """A bound that is reached within ends the reading, with a sentence among the gaps."""
    try:
        yield
    except StoppedError as error:
        collector.stopped(error, host)
    except ReadingError as error:
        if error.failure.kind != "too-much":
            raise
        collector.stopped(StoppedError(error.failure.detail), host)


class JsonServer:
    """Asks one server, and counts what it sends."""

    def __init__(self, bounds: Bounds, tell: Tell) -> None:
        self.bounds, self._tell = bounds, tell
        self._received = 0
        self._unsaid = 0
        self.stage = ReadStage.RUN

    def json(
        self, url: str, headers: Mapping[str, Secret], body: object = None
    ) -> dict[str, Any] | RefusedRequest:
        """The object that the server answers, or with which status it refused.

        `headers` hold keys; with a `body` it is posted, as JSON. Raises ReadingError.
        """
        answer = self.content(url, headers, body)
        if isinstance(answer, RefusedRequest):
            return answer
        if (found := parsed(answer)) is None:
            raise ReadingError(ReadFailure(kind="garbage", stage=self.stage))
        return found

    def content(
        self,
        url: str,
        headers: Mapping[str, Secret],
        body: object = None,
        *,
        follow: Callable[[str], bool] | None = None,
    ) -> bytes | RefusedRequest:
        """What the server answers, as `json` asks it; `follow` as in `send`."""
        try:
            once = partial(self._once, request_of(url, headers, body), follow)
            answer = insist(once, self.bounds.retry_seconds)
        except ReadingError as error:
            raise ReadingError(replace(error.failure, stage=self.stage)) from None
        self._tell(self.stage, 0, None)
        return answer

    def refused(self, refusal: RefusedRequest, *, missing: bool) -> ReadingError:
        """What a refusal means; `missing` says that what was asked for is not there."""
        kind = kind_of(refusal.status)
        if missing and kind == "http":
            kind = "not-found" if self.stage is ReadStage.RUN else "gone"
        return ReadingError(ReadFailure(kind=kind, status=refusal.status, stage=self.stage))

    def pages(self, ask: Callable[[str], tuple[object, object]]) -> Iterator[list[Any]]:
        """The pages of a list.

        `ask` gives the page at a token, "" for the first one, and the token of the next. Raises
        StoppedError after too many, ReadingError for what is no page, or comes again.
        """
        token, seen = "", set[str]()
        for _ in range(self.bounds.pages):
            page, following = ask(token)
            if not isinstance(page, list):
                raise ReadingError(ReadFailure(kind="garbage", stage=self.stage))
            yield page
            if not following:
                return
            if not isinstance(following, str) or following in seen or len(following) > 4096:
                raise ReadingError(ReadFailure(kind="garbage", stage=self.stage))
            seen.add(following)
            token = following
        raise StoppedError(plural_message("{count} page", "{count} pages", self.bounds.pages))

    def _once(
        self, request: urllib.request.Request, follow: Callable[[str], bool] | None
    ) -> bytes | RefusedRequest | ReadFailure:
        manner = Manner(refused=_REFUSED, received=self._count, follow=follow)
        answer = send(request, self.bounds.stall_seconds, _ANSWER, manner)
        if isinstance(answer, bytes) and len(answer) > _ANSWER:
            raise self._too_much(_ANSWER)
        return answer

    def _count(self, received: int) -> None:
        self._received += received
        self._unsaid += received
        if self._received > self.bounds.bytes:
            raise self._too_much(self.bounds.bytes)
        if self._unsaid >= _LIVELY:
            self._unsaid = 0
            self._tell(self.stage, 0, None)

    def _too_much(self, bound: int) -> ReadingError:
        detail = message("more than {count} bytes", count=bound)
        return ReadingError(ReadFailure(kind="too-much", stage=self.stage, detail=detail))
