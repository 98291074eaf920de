"""What a framework's module offers, and which release a launch is read by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.frameworks.argparse_options import SourceOptions
from bot.frameworks.checkout import CommandLine, ScriptPlace
from bot.frameworks.config_tree import ConfigTree
from bot.frameworks.configuration import Configuration, VersionSource
from bot.frameworks.own_config import Unfollowed
from bot.frameworks.plan import Launch, Plan
from bot.frameworks.release_overlay import OwnLayer
from bot.frameworks.releases import find_release, releases
from bot.frameworks.setting import BadArgument, Setting
from bot.frameworks.structured import StructuredTable
from bot.frameworks.trl_programs import TrlProgram
from bot.shell.words import Word


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
    """Programs of the repository that the script starts, where the folders above it pin nothing."""

    def tree(self, framework: str) -> ConfigTree | None:
        """The configuration of verl that counts instead of a release; None without one."""
        if (given := self.trees.get(framework)) is not None:
            return given
        place = self._counting(framework) if framework == "verl" else None
        return place.checkout.tree(place.path) if place else None

    def own(
        self,
        framework: str,
        entry: str,
        path: str | None,
        name: str | None,
        searched: tuple[str, ...] | None = None,
    ) -> tuple[ConfigTree, str] | OwnLayer | Unfollowed | None:
        """The configuration and root of a program of the script's repository; None without one.

        See `Checkout.own` for what the command line says.
        """
        if (place := self._counting(framework)) is None:
            return None
        line = CommandLine(path, name, searched)
        found = place.checkout.own(entry, place.path, line, self.tree(framework))
        # No release stands for a copy of which it is not known which.
        layered = isinstance(found, OwnLayer) and (why := self.unsure(framework))
        return Unfollowed(why) if layered else found

    def unsure(self, framework: str) -> str:
        """Why none of the repository's copies of verl counts; empty where one does, or none is."""
        given = framework in self.trees or framework != "verl"
        place = None if given else self._counting(framework)
        return place.checkout.unsure(place.path) if place else ""

    def structured(self, framework: str, entry: str) -> StructuredTable | None:
        """The dataclasses of a program of the script's repository; None without any."""
        place = self._counting(framework)
        return place.checkout.structured(entry, place.path) if place else None

    def trl_program(self, entry: str) -> TrlProgram | None:
        """The program of the script's repository that takes TRL's arguments; None for another."""
        place = self.place
        return place.checkout.trl_programs.find(entry, place.path) if place else None

    def own_program(self, framework: str, entry: str) -> TrlProgram | None:
        """The program of open-instruct in the script's repository; None where none is followed."""
        place = self._counting(framework)
        return place.checkout.trl_programs.find(entry, place.path, own=True) if place else None

    def options(self, framework: str) -> SourceOptions | None:
        """The options of a vendored copy that count instead of a release; None without one."""
        place = self._counting(framework) if framework == "openrlhf" else None
        return place.checkout.openrlhf.options(place.path) if place else None

    def _counting(self, framework: str) -> ScriptPlace | None:
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
        place = self.place
        if place and (pin := place.checkout.pin(framework, place.path, *self.programs)):
            return ReleaseChoice(pin.releases, "pin", pin.reason)
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


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a release, or what stands in its place, takes the words of a launch."""

    configuration: Configuration
    settings: tuple[Setting, ...]
    bad_arguments: tuple[BadArgument, ...]
    plan: Callable[[], Plan]
    """What the launch intends to run, read in this way."""


class Framework(Protocol):
    """One launcher family."""

    name: str
    packages: Sequence[str]
    """Python packages whose scripts may be named by path: verl/trainer/main_ppo.py."""

    def matches(self, entry: str, argv: Sequence[Word], /) -> bool:
        """Whether a started module or script, with its arguments, is a trainer of this family."""

    def entry(self, entry: str) -> str:
        """The name of a started program in the framework's tables: the module as it is."""
        return entry

    def explain(self, launch: Launch, versions: Versions) -> Explanation:
        """What the release that counts makes of the launch's words."""
