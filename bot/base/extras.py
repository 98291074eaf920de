"""Libraries that a plain installation does not have: each comes with an extra of ours."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from bot.base.errors import UserError
from bot.base.messages import message

DISTRIBUTION: Final = "rlbot-tuning"
EXTRA_OF: Final[Mapping[str, str]] = {
    "wandb": "wandb",
    "github": "github",
    "requests": "github",
    "cryptography": "service",
    "dbos": "service",
    "fastapi": "service",
    "jinja2": "service",
    "prometheus_client": "service",
    "psycopg": "service",
    "sqlalchemy": "service",
    "uvicorn": "service",
}
"""The packages that are imported, and the extra of pyproject.toml that brings each."""


def missing_extra(error: ModuleNotFoundError) -> UserError | None:
    """What to install, where a library of an extra is not there; None for any other module."""
    library = (error.name or "").partition(".")[0]
    return _missing(library) if library in EXTRA_OF else None


def need(library: str) -> None:
    """Raises UserError where a library of `EXTRA_OF` is not installed. It is not imported."""
    if find_spec(library) is None:
        raise _missing(library)


def _missing(library: str) -> UserError:
    return UserError(
        message(
            "This needs {library}, which a plain installation does not have: "
            '`pip install "{distribution}[{extra}]"`.',
            library=library,
            distribution=DISTRIBUTION,
            extra=EXTRA_OF[library],
        )
    )
