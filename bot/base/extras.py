"""Libraries that may be missing: those of an extra, and in a browser those of the core too."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from bot.base.errors import UserError

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
CORE: Final[Mapping[str, str]] = {
    "antlr4": "antlr4-python3-runtime",
    "docutils": "docutils",
    "google": "protobuf",
    "hydra": "hydra-core",
    "markdown_it": "markdown-it-py",
    "omegaconf": "omegaconf",
    "pydantic": "pydantic",
    "pydantic_core": "pydantic-core",
    "yaml": "PyYAML",
}
"""The packages of the core that are imported where they are used, and what each is called on PyPI.

A plain script is read without them: Pyodide begins with the standard library alone.
"""


def missing_library(error: ModuleNotFoundError) -> UserError | None:
    """What to install, where a library of ours is not there; None for any other module."""
    library = (error.name or "").partition(".")[0]
    if library in EXTRA_OF:
        return _missing(library)
    if library in CORE:
        return UserError(
            "This needs {library}, which is not installed beside rlbot: `pip install {library}`.",
            library=CORE[library],
        )
    if library == "fcntl":
        return UserError("This runs on Linux and macOS alone: it needs what Windows does not have.")
    return None


def need(library: str) -> None:
    """Raises UserError where a library of `EXTRA_OF` is not installed. It is not imported."""
    if find_spec(library) is None:
        raise _missing(library)


def _missing(library: str) -> UserError:
    return UserError(
        "This needs {library}, which a plain installation does not have: "
        '`pip install "{distribution}[{extra}]"`.',
        library=library,
        distribution=DISTRIBUTION,
        extra=EXTRA_OF[library],
    )
