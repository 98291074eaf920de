"""Whether a run may be read, and with which key: everybody's view comes first."""

from __future__ import annotations

from typing import Final

from bot.base.secrets import Secret
from bot.evidence.online.failure import ReadFailure, ReadingError, ReadStage
from bot.evidence.online.probe import OPEN, AccessProbe, Visibility

_REFUSED: Final = (401, 403)


def permitted_key(probe: AccessProbe, key: Secret | None, *, allow_private: bool) -> Secret | None:
    """The key to read with; None to read as anybody.

    A run counts as public when it is seen without a key, or when the server says that its project
    is open to all. Raises ReadingError when the run may not, or cannot, be read.
    """
    anybody = probe.ask(None)
    public = isinstance(anybody, Visibility) and anybody.run
    if key is None:
        if public:
            return None
        if isinstance(anybody, Visibility) and anybody.project:
            raise ReadingError(ReadFailure(kind="not-found"))
        if isinstance(anybody, int) and anybody not in _REFUSED:
            raise ReadingError(ReadFailure(kind="http", status=anybody, stage=ReadStage.RUN))
        raise ReadingError(ReadFailure(kind="no-key"))
    own = probe.ask(key)
    if isinstance(own, int):
        if public:
            return None  # A stale key is no reason not to read what everybody may.
        kind = {401: "bad-key", 403: "forbidden"}.get(own, "http")
        raise ReadingError(ReadFailure(kind=kind, status=own, stage=ReadStage.RUN))  # type: ignore[arg-type]
    if not own.run:
        if public:
            return None
        raise ReadingError(ReadFailure(kind="not-found"))
    if not public and own.access not in OPEN and not allow_private:
        raise ReadingError(ReadFailure(kind="private"))
    return key
