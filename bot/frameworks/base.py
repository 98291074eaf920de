"""What a framework's module offers, and which release a launch is read by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.base.errors import UserError
from bot.base.messages import message
from bot.frameworks.config_tree import ConfigTree
from bot.frameworks.plan import Launch, Plan
from bot.frameworks.releases import find_release, releases
from bot.shell.words import Word


@dataclass(frozen=True, slots=True)
class Version:
    """A release and why it was chosen, in words."""

    release: str
    reason: str
    free: bool = False
    """True when nobody asked for it, so that a launch may be read by another one."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What is known of the releases that a script is for."""

    asked: Mapping[str, str] = field(default_factory=dict)
    """Framework → release, as the user asked for it."""
    commented: Mapping[str, str] = field(default_factory=dict)
    """Framework → release, as the script's comment says (`# verl: 0.8.0`)."""
    trees: Mapping[str, ConfigTree] = field(default_factory=dict)
    """Framework → configuration that stands in the place of every release."""

    def choose(self, framework: str) -> Version:
        """The release for a framework: the one asked for, the comment's, else the newest.

        Raises `UserError` when the release asked for is not known.
        """
        known = releases(framework)
        if asked := self.asked.get(framework):
            found = find_release(framework, asked)
            if found is None:
                raise UserError(
                    f"{framework} {asked} is not known: use one of {', '.join(known)}, "
                    "or leave the version out for the newest."
                )
            return Version(found, message("the release asked for"))
        if said := self.commented.get(framework):
            found = find_release(framework, said)
            if found is not None:
                return Version(found, message("the release that the script's comment names"))
            return Version(
                known[-1],
                message(
                    "the newest release known, since the script's comment names {said}, which is "
                    "not",
                    said=said,
                ),
            )
        return Version(known[-1], message("the newest release known"), free=True)

    def having(self, framework: str, entry: str, has: Callable[[str], bool]) -> Version:
        """As `choose`, but when nobody asked, the newest release for which `has` is true."""
        chosen = self.choose(framework)
        if not chosen.free or has(chosen.release):
            return chosen
        for release in reversed(releases(framework)):
            if has(release):
                return Version(
                    release, message("the newest release that has {entry}", entry=entry), free=True
                )
        return chosen


class Framework(Protocol):
    """One launcher family."""

    name: str
    packages: Sequence[str]
    """Python packages whose scripts may be named by path: verl/trainer/main_ppo.py."""

    def matches(self, entry: str, argv: Sequence[Word]) -> bool:
        """Whether a started module or script, with its arguments, is a trainer of this family."""

    def entry(self, entry: str) -> str:
        """The name of a started program that its tables know it by."""

    def plan(self, launch: Launch, versions: Versions) -> Plan:
        """What the launch intends to run."""
