"""Logs as JSON lines, each with the delivery or the job it belongs to; secrets never in them."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import TextIO

SUBJECT: ContextVar[Mapping[str, str]] = ContextVar("subject", default=MappingProxyType({}))
"""What the present thread or request works on: delivery, job."""
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, subject, extras, and an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; a value that JSON cannot hold is shown by its repr."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **SUBJECT.get(),
            **{k: v for k, v in vars(record).items() if k not in _STANDARD},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=repr)


def configure(level: str = "INFO", stream: TextIO | None = None) -> None:
    """Send every log of the process to one stream as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.access", "uvicorn.error", "dbos"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = True
    # The App logs each request itself, with its delivery.
    logging.getLogger("uvicorn.access").setLevel("WARNING")
    logging.getLogger("dbos").setLevel("ERROR")
