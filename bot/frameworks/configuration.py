"""Which configuration a launch is read by, and why that one.

What may decide stands in `Versions`, the strongest first: a configuration that the user gives,
the release that the user or the script's comment names, what the script's repository holds, the
release that it pins, else the one that takes most of the script's settings, the newest of several.
Each framework makes a `Configuration` of it (`verl.root.root_of`, `command_line.chosen`);
`fit.fitted` tries several releases, `fit.unforked` and `fit.with_reason` say why none counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.frameworks.checkout import ScriptPlace
from bot.frameworks.hydra.config_tree import ConfigTree
from bot.frameworks.repository.pins import Pin, read_scripts
from bot.frameworks.settings.key_table import KeyTable
from bot.frameworks.settings.releases import find_release, releases
from bot.shell.source import Span

if TYPE_CHECKING:
    from bot.frameworks.settings.options import ReadLines

VersionSource: TypeAlias = Literal[
    "requested", "header", "tree", "pin", "beyond", "settings", "newest"
]
"""What decided: the release that the user requests, the one that the script's comment names, a
configuration (given, or vendored) in place of a release, the release that the repository pins, the
nearest one to a pin beyond those known, the one that takes most of the script's settings, or the
newest."""


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
    folder: bool = False
    """Whether the name is that of a folder."""


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


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """The releases that a script may be for."""

    releases: tuple[str, ...]
    """The preferred one first; where nobody names the release, the script's settings decide."""
    source: VersionSource
    reason: str


@dataclass(frozen=True, slots=True)
class Versions:
    """What says which configuration counts for a script, the strongest first."""

    requested: Mapping[str, str] = field(default_factory=dict)
    """Framework → release, as the user requested it."""
    header: Mapping[str, str] = field(default_factory=dict)
    """Framework → release, as the script's comment says (`# verl: 0.8.0`)."""
    trees: Mapping[str, ConfigTree] = field(default_factory=dict)
    """Framework → configuration that stands in the place of every release."""
    place: ScriptPlace | None = None
    """Where the script stands in a repository that may vendor a framework or pin its release."""
    tried: Mapping[str, ReleaseChoice] = field(default_factory=dict)
    """Framework → the choice that is tried, in the place of all that would follow."""
    programs: tuple[str, ...] = ()
    """Programs of the repository that the script starts, where it and the folders above it pin
    nothing."""
    installs: Mapping[str, Pin | None] = field(default_factory=dict)
    """Framework → the release that the script installs itself."""
    lines: ReadLines | None = None
    """What the release that was tried before has read: most have the same options."""

    def counting(self, framework: str) -> ScriptPlace | None:
        """The script's place in its repository, unless a release is named."""
        return None if framework in self.requested or framework in self.header else self.place

    def choice(self, framework: str) -> ReleaseChoice:
        """The releases for a framework: the requested one, the comment's, the pinned ones, all.

        Raises `UserError` when the requested release is not known.
        """
        if found := self.tried.get(framework):
            return found
        every = releases(framework)
        if requested := self.requested.get(framework):
            return ReleaseChoice(
                (known_release(framework, requested),),
                "requested",
                message("the release asked for"),
            )
        if named := self.header.get(framework):
            release = find_release(framework, named)
            if release is not None:
                reason = message("the release that the script's comment names")
                return ReleaseChoice((release,), "header", reason)
            reason = message(
                "the newest release known, since the script's comment names {said}, which is not",
                said=named,
            )
            return ReleaseChoice(every[-1:], "header", reason)
        if (pin := self.installs.get(framework)) is not None:
            return _pinned(pin)
        if place := self.place:
            paths = (place.path, *self.programs)
            pin = read_scripts(framework, place.checkout.files, paths)
            if pin := pin or place.checkout.pin(framework, *paths):
                return _pinned(pin)
        return ReleaseChoice(tuple(reversed(every)), "newest", message("the newest release known"))

    def having(self, framework: str, entry: str, has: Callable[[str], bool]) -> Configuration:
        """The preferred release; where several may be meant, the first for which `has` is true.

        Raises `UserError` when the requested release is not known.
        """
        choice = self.choice(framework)
        first = choice.releases[0]
        chosen = Configuration(first, choice.source, choice.reason)
        if len(choice.releases) < 2 or has(first):
            return chosen
        for release in choice.releases:
            if has(release):
                reason = message("the newest release that has {entry}", entry=entry)
                return Configuration(release, choice.source, reason)
        return chosen


def _pinned(pin: Pin) -> ReleaseChoice:
    return ReleaseChoice(pin.releases, "beyond" if pin.beyond else "pin", pin.reason)


def known_release(framework: str, requested: str) -> str:
    """The release that a user requests; raises `UserError` when it is not known."""
    every = releases(framework)
    release = find_release(framework, requested)
    if release is None:
        raise UserError(
            "{framework} {requested} is not known: use one of {names}, or leave the "
            "version out for the newest.",
            framework=framework,
            requested=requested,
            names=", ".join(every),
        )
    return release
