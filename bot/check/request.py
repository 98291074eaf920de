"""What a front end hands to the check: a script, the page, and the options."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from bot.base.config import Config
from bot.base.fast_dataclass import dataclass
from bot.evidence.facts import Facts
from bot.evidence.links import PUBLIC_ONLY, RunHosts, RunLink
from bot.frameworks import Checkout, ConfigTree, ScriptPlace
from bot.shell import Files

if TYPE_CHECKING:
    from bot.check.hub import HubConfigs


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFile:
    """A script to check: bytes with a path, wherever they come from."""

    path: str
    """As reports show it, with forward slashes."""
    data: bytes
    full_path: str | None = None
    """The path that the name is read from, when `path` lacks the folder."""
    tree_path: str | None = None
    """The path of the script in the tree of `CheckOptions.files`."""
    link: str | None = None
    """Address of the script for the row: a permalink where the commit is known."""
    contributor: str | None = None
    """The change's author: a GitHub login where it is known, else git's `name <address>`."""
    asked: str | None = None
    """Which run is meant is not clear: the sentence that asks for it; no run is read then."""


@dataclass(frozen=True, slots=True)
class InCheckout:
    """Places scripts in one repository, by the paths that they are reported with."""

    checkout: Checkout
    files: Files | None = None
    """What the scripts may source or start; None where that is not read."""
    names: frozenset[str] = frozenset()
    """The paths of all its scripts."""

    def __call__(self, script: ScriptFile) -> ScriptPlace:
        """Where the script stands."""
        taken = self.names.__contains__
        return ScriptPlace(self.checkout, script.path, self.files, taken=taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """The documentation page."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How scripts and pages are checked."""

    config: Config = field(default_factory=Config)
    versions: Mapping[str, str] = field(default_factory=dict)
    """Framework to release, asked for explicitly; before the script's own comment."""
    trees: Mapping[str, ConfigTree] = field(default_factory=dict)
    """Framework to a configuration that stands in the place of every release."""
    place: Callable[[ScriptFile], ScriptPlace | None] | None = None
    """Where a script stands in its repository, which may say what configuration counts; None for a
    script that stands in none."""
    recipes: Collection[str] = ()
    """Paths of recipes that are checked in the same run: what is wrong with one by itself is not
    repeated for the scripts that name it."""
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    tag: str | None = None
    contributor: str | None = None
    link: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the script's caller is taken to set, besides those of the configuration."""
    device: str | None = None
    """The accelerator that the script is read for, such as h100 or npu; before the script's own."""
    gpus: int | None = None
    """GPUs of a launch that leaves them to its launcher; before those of the script's name."""
    model: str | None = None
    """A known model of the shape that a script's own has, where its path does not say which."""
    clean_environment: bool = False
    """True when the caller sets no others."""
    script_arguments: Sequence[str] | None = None
    """The script's own arguments; None when nobody has named them."""
    settings: Sequence[str] = ()
    """`KEY=VALUE`: settings in the place of the launches' own."""
    files: Files | None = None
    """The tree that scripts are called from: models' `config.json`, and for a script that stands in
    it what it sources and runs."""
    hub: HubConfigs | None = None
    """Models' configurations of the Hub, for estimates alone: what a check says is the same
    wherever it is made."""
    linked: Callable[[RunLink], Facts] | None = None
    """Reads a run that is linked; None where nothing may be fetched."""
    hosts: RunHosts = PUBLIC_ONLY
    """The servers that a linked run may lie on."""
    runs_in_use: Mapping[str, tuple[str, ...]] | None = None
    """Run, as `entity/project/id`, to what rests on it besides the script; None when unknown."""
    launches: bool = True
    """Whether the report holds the launches, which a plain text does not show."""
    consequences: bool = False
    """Whether what a launch lacks is reported too where it ends before its author meant."""
    evidence: Literal["off", "optional", "required"] = "off"
    """off: the script alone · optional: the row too, with the run when there is one · required:
    without a run the result is inconclusive."""
