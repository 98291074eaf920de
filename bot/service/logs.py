"""Logs as JSON lines, each with the delivery or the job it belongs to; secrets never in them."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType

from bot.base.secrets import Secret

SUBJECT: ContextVar[Mapping[str, str]] = ContextVar("subject", default=MappingProxyType({}))
"""What the present thread or request works on: delivery, job."""
SHORTEST = 8
"""Characters of a secret's line that is taken out: shorter ones stand in ordinary words."""
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",  # uvicorn's once more, for terminals
}
_ENGINE = frozenset({"applicationID", "applicationVersion", "executorID", "operationUUID"})
"""What the engine adds to its lines; the job stands in ours under its own name."""
_TRACEBACK = "Traceback (most recent call last):"


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, subject, extras, and an exception."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        """`secrets` are taken out of every line, whoever wrote them there."""
        super().__init__()
        # A key has several lines, and a traceback may show one of them.
        self._hidden = sorted(
            {
                json.dumps(line, ensure_ascii=False)[1:-1]
                for secret in secrets
                for line in secret.reveal().splitlines()
                if len(line) >= SHORTEST and not line.startswith("-----")
            },
            key=len,
            reverse=True,
        )

    def format(self, record: logging.LogRecord) -> str:
        """The line; a value that JSON cannot hold is shown by its repr."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **SUBJECT.get(),
            **{k: v for k, v in vars(record).items() if k not in _STANDARD | _ENGINE},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        text = json.dumps(line, ensure_ascii=False, default=repr)
        for hidden in self._hidden:
            text = text.replace(hidden, "***")
        return text


class _EngineLines(logging.Filter):
    """Keeps the first line of the engine's warnings; the others repeat what the jobs log.

    Of a traceback it keeps the last line, which says what happened.

    What it says of its start would alarm: that SQLite is for tests, and each table that it makes.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return False
        if record.levelno > logging.WARNING:
            return True
        first, _, more = record.getMessage().partition("\n")
        if first.endswith(_TRACEBACK) and more.strip():
            first = first.removesuffix(_TRACEBACK) + more.strip().splitlines()[-1]
        record.msg, record.args = first, ()
        record.exc_info = None
        return True


def configure(secrets: Iterable[Secret]) -> None:
    """Send every log of the process to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel("INFO")
    logging.captureWarnings(True)
    for name in ("uvicorn", "uvicorn.access", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = True
    # The App logs each request itself, with its delivery.
    logging.getLogger("uvicorn.access").setLevel("WARNING")
    engine = logging.getLogger("dbos")
    # The engine installs a handler of its own wherever it finds none.
    engine.handlers[:] = [logging.NullHandler()]
    engine.filters[:] = [_EngineLines()]
    engine.propagate = True
