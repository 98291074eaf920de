"""What a framework's module offers, and which release a launch is read by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.base.errors import UserError
from bot.base.messages import message
from bot.frameworks.config_tree import ConfigTree
from bot.frameworks.plan import Launch, Plan, VersionSource
from bot.frameworks.releases import find_release, releases
from bot.shell.words import Word


@dataclass(frozen=True, slots=True)
class Version:
    """The release, or the configuration in place of one, that a launch is read by."""

    release: str
    source: VersionSource
    reason: str
    """The source in words, for a report."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The releases that a script is for, where the user or the script names them."""

    requested: Mapping[str, str] = field(default_factory=dict)
    """Framework → release, as the user requested it."""
    header: Mapping[str, str] = field(default_factory=dict)
    """Framework → release, as the script's comment says (`# verl: 0.8.0`)."""
    trees: Mapping[str, ConfigTree] = field(default_factory=dict)
    """Framework → configuration that stands in the place of every release."""

    def choose(self, framework: str) -> Version:
        """The release for a framework: the requested one, the comment's, else the newest.

        Raises `UserError` when the requested release is not known.
        """
        every = releases(framework)
        if requested := self.requested.get(framework):
            release = find_release(framework, requested)
            if release is None:
                raise UserError(
                    message(
                        "{framework} {requested} is not known: use one of {names}, or leave the "
                        "version out for the newest.",
                        framework=framework,
                        requested=requested,
                        names=", ".join(every),
                    )
                )
            return Version(release, "requested", message("the release asked for"))
        if named := self.header.get(framework):
            release = find_release(framework, named)
            if release is not None:
                reason = message("the release that the script's comment names")
                return Version(release, "header", reason)
            reason = message(
                "the newest release known, since the script's comment names {said}, which is not",
                said=named,
            )
            return Version(every[-1], "header", reason)
        return Version(every[-1], "newest", message("the newest release known"))

    def having(self, framework: str, entry: str, has: Callable[[str], bool]) -> Version:
        """As `choose`, but where none is named, the newest release for which `has` is true."""
        chosen = self.choose(framework)
        if chosen.source != "newest" or has(chosen.release):
            return chosen
        for release in reversed(releases(framework)):
            if has(release):
                reason = message("the newest release that has {entry}", entry=entry)
                return Version(release, "newest", reason)
        return chosen


class Framework(Protocol):
    """One launcher family."""

    name: str
    packages: Sequence[str]
    """Python packages whose scripts may be named by path: verl/trainer/main_ppo.py."""

    def matches(self, entry: str, argv: Sequence[Word], /) -> bool:
        """Whether a started module or script, with its arguments, is a trainer of this family."""

    def entry(self, entry: str) -> str:
        """The name of a started program in the framework's tables."""

    def plan(self, launch: Launch, versions: Versions) -> Plan:
        """What the launch intends to run."""
