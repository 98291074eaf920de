"""What a check of the surroundings gets, and what it answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bot.base.config import Config
from bot.base.fast_dataclass import dataclass

CheckState: TypeAlias = Literal["ok", "missing", "wrong", "unknown", "skipped"]
"""ok · missing: not there, and needed for what the answer names · wrong: there, and of no use ·
unknown: could not be found out · skipped: no server was asked, because of --offline."""

TIMEOUT: Final = 5
"""Seconds to wait for one reply."""


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What one check found."""

    subject: str
    """What was looked at: "git", "GITHUB_TOKEN", "wandb.ai"."""
    state: CheckState
    message: str
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
    stated: Collection[str] = ()
    """The keys that the configuration's file gives; the others have their defaults."""
    root: Path = Path()
    """The folder that paths of the configuration are below."""
    offline: bool = False

    @property
    def runs_app(self) -> bool:
        """True where somebody runs the App; its settings concern nobody else."""
        return any(value and name.startswith("RLBOT_") for name, value in self.environment.items())
