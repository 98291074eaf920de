"""The interface of a framework's module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from bot.base.fast_dataclass import dataclass
from bot.frameworks.configuration import Configuration, Versions
from bot.frameworks.plan import Launch, Plan
from bot.frameworks.settings.setting import BadArgument, Setting
from bot.shell.words import Word


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a release, or what stands in its place, takes the words of a launch."""

    configuration: Configuration
    settings: tuple[Setting, ...]
    bad_arguments: tuple[BadArgument, ...]
    plan: Callable[[], Plan]
    """What the launch intends to run, read in this way."""
    arguments: tuple[Setting, ...] = ()
    """As `Plan.arguments`."""


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
