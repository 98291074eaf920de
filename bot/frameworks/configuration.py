"""What a launch is read by: the one answer to "why was this script judged by that configuration".

What may decide stands in `base.Versions`, the strongest first: a configuration that the user gives,
the release that the user or the script's comment names, what the script's repository holds, the
release that it pins, else the one that has most of the script's settings, the newest of several.
Each framework makes a `Configuration` of it (`verl_root.root_of`, `command_line.chosen`);
`fit.fitted` tries several releases, `fit.unforked` and `fit.with_reason` say why none counts.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.key_table import KeyTable
from bot.shell.source import Span

VersionSource: TypeAlias = Literal["requested", "header", "tree", "pin", "settings", "newest"]
"""What decided: the release that the user requests, the one that the script's comment names, a
configuration (given, or vendored) in place of a release, the release that the repository pins, the
one that has most of the script's settings, or the newest."""


@dataclass(frozen=True, slots=True)
class RootProblem:
    """Why nothing starts: the configuration that a launch begins with is not there, or refused."""

    text: str
    """A sentence without its full stop."""
    span: Span | None = None
    """The name that is wrong; None where the fault lies in the configuration."""
    suggestion: str | None = None
    """The name that may be meant."""
    lacks: str = ""
    """The file that a configuration of the repository lacks."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A release, or what stands in its place, with the settings of the program that is started."""

    release: str
    """The release, such as 0.9.1, or the name of what stands in its place."""
    source: VersionSource
    reason: str
    """The source in words, for a report: "the newest release known"."""
    table: KeyTable | None = None
    """The settings of the program there; None when they are not known."""
    unread: str = ""
    """Why not, where that can be said: a sentence without its full stop."""
    problem: RootProblem | None = None
    """What is wrong with the configuration that the settings change; None when nothing is known."""
    forked: KeyTable | None = None
    """The settings of a release whose fork is meant, which may have others."""
    hydra: bool = True
    """Whether Hydra reads the command line of a program of verl's."""

    def with_table(self, table: KeyTable | None) -> Configuration:
        """The release with the settings of a program there."""
        return Configuration(self.release, self.source, self.reason, table)

    @property
    def guessed(self) -> bool:
        """Whether nobody says which release is meant."""
        return self.source in ("newest", "settings")
