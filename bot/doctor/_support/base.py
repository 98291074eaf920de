"""What a check of the surroundings is given, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bot.base.config import Config

State: TypeAlias = Literal["ok", "missing", "wrong", "unknown", "skipped"]
"""ok · missing: not there, and needed for what the answer names · wrong: there, and of no use ·
unknown: could not be found out · skipped: not asked, because of --offline."""

TIMEOUT: Final = 5.0
"""Seconds that one answer is waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value that is in force, and where it comes from."""

    key: str
    value: str
    origin: str
    """default, the file with its line, an option, or an environment variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one check found."""

    subject: str
    """What was looked at: "git", "GITHUB_TOKEN", "wandb.ai"."""
    state: State
    said: str
    """One sentence."""
    remedy: str | None = None
    """What to do about it, one sentence; None when there is nothing to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where the user works."""

    folder: Path
    home: Path
    environment: Mapping[str, str]
    config: Config = field(default_factory=Config)
    offline: bool = False
    timeout: float = TIMEOUT


Check: TypeAlias = Callable[[Surroundings], Iterable[Answer]]
