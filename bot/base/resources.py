"""Where the program's data files lie: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

DOCUMENTATION = "https://github.com/rlbot-tuning/rlbot/blob/main/docs"
"""Where the pages of `docs/` are published, as Markdown; every link of a finding starts here."""

_PACKAGE = Path(__file__).resolve().parents[1]


def schemas() -> Path:
    """The folder of the published schemas (`schemas/` of the repository)."""
    packed = _PACKAGE / "_schemas"
    return packed if packed.is_dir() else _PACKAGE.parent / "schemas"
