"""The settings that a released version of a framework knows, and where their tables lie.

The tables are `schemas/frameworks/<framework>/<release>.json` for configurations composed by Hydra
and one `options.json` of all releases for command-line options, written from the released packages
by `schemas/frameworks/generate.py`; adding a release is running that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from bot.report import JsonValue
from bot.resources import schemas

if TYPE_CHECKING:
    from bot.frameworks.plan import Setting
    from bot.frameworks.timeline import Timeline

Status: TypeAlias = Literal[
    "ok", "unknown", "needs-plus", "exists", "absent", "below-leaf", "group", "invalid", "undecided"
]


@dataclass(frozen=True, slots=True)
class Key:
    """One setting of a release."""

    name: str
    """Dotted key."""
    type: str
    """int, float, bool, str, list, dict, null, or "mandatory" (`???`); for a default that refers to
    another setting, the type of what it refers to ("any" when only a run decides that)."""
    default: JsonValue
    """As the release writes it; references to other settings stay as `${other.key}`."""
    free: bool = False
    """True for an empty mapping below which any key may be added with `+`."""
    choices: tuple[JsonValue, ...] = ()
    """The only values that the framework takes; empty when it takes any."""
    arity: str = ""
    """Options of argparse: "" takes one value, "0" none (a flag), "?", "*", "+", or a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyVerdict:
    """What the framework would say to one setting."""

    status: Status
    """ok · unknown: no such key to override · needs-plus: the key is new below a free-form mapping,
    which takes `+` · exists: `+` on a key that is there · absent: `~` on a key that is not ·
    below-leaf: the key goes on below a setting that is no mapping · group: a wrong choice of a
    configuration group · invalid: the value cannot be put there · undecided: see `message`."""
    accepted: bool | None
    """Whether the framework itself takes it; None when that cannot be told. True with `below-leaf`
    means that it would silently replace the setting above by a mapping."""
    message: str = ""
    """One sentence; empty when all is well."""
    suggestion: str | None = None
    """What to write instead of the key, with its operator: "+actor_rollout_ref.x.y"."""
    choice: str | None = None
    """A group choice under which the key does exist: "model_engine=megatron"."""

    def __bool__(self) -> bool:
        """True unless something is wrong for sure."""
        return self.status in ("ok", "undecided")


OK = KeyVerdict(status="ok", accepted=True)

_SIMILAR = 0.7
"""How similar the last parts of two keys must be for one to be meant by the other."""
_CLOSE = 0.7
"""Least score of a suggestion: a moved setting of the same name passes, a chance likeness fails."""


class KeyTable(Protocol):
    """The settings of one release (and, for Hydra, of one root configuration)."""

    framework: str
    version: str
    root: str
    """The root configuration (ppo_trainer) or the module that parses the options."""

    def get(self, key: str) -> Key | None:
        """The key (a leaf or a mapping), or None when the release does not have it."""

    def __contains__(self, key: str) -> bool: ...

    def __iter__(self) -> Iterator[str]:
        """Every key, leaves and mappings."""

    def deprecated(self, key: str) -> str | None:
        """What to use instead of an accepted but deprecated key; "" when nothing is needed."""

    def nearest(self, key: str) -> str | None:
        """The most similar key of this release, or None when none is close."""

    def history(self, key: str) -> str | None:
        """Where the key exists, in words: "in verl 0.2 to 0.9.0, removed in 0.9.1"; else None."""

    def verdict(self, setting: Setting) -> KeyVerdict:
        """What the framework would say to this setting if it were the only one."""

    def verdicts(self, settings: Sequence[Setting]) -> tuple[KeyVerdict, ...]:
        """What the framework would say to each, in their order, which counts.

        `+a.b=1 a.b=2` is right, the reverse is not.
        """


@cache
def release_key(version: str) -> tuple[tuple[int, ...], int]:
    """Sorts releases: 0.9.1 before 0.10.0, 0.3.0 before 0.3.0.post1; 0.2 equals 0.2.0."""
    base, _, post = version.partition(".post")
    numbers = [int(number) for number in re.findall(r"[0-9]+", base)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), int(post) if post.isdigit() else -1


@cache
def timeline(framework: str) -> Timeline | None:
    """The options of every release, for a framework that is started with options; else None."""
    path = schemas() / "frameworks" / framework / "options.json"
    if not path.is_file():
        return None
    from bot.frameworks.timeline import Timeline

    return Timeline(json.loads(path.read_bytes()))


@cache
def releases(framework: str) -> tuple[str, ...]:
    """The releases that have a table, oldest first; empty for an unknown framework."""
    if options := timeline(framework):
        return options.releases
    folder = schemas() / "frameworks" / framework
    names = [path.stem for path in folder.glob("[0-9]*.json")]
    return tuple(sorted(names, key=release_key))


def find_release(framework: str, version: str) -> str | None:
    """The known release that `version` means: "v0.2.0" is 0.2, "0.3.0" is 0.3.0.post1; else None.

    A post-release stands for its release, since it repairs that release and has its settings.
    """
    if not re.fullmatch(r"v?[0-9]+(\.[0-9]+)*(\.post[0-9]+)?", version):
        return None
    numbers, post = release_key(version.removeprefix("v"))
    same = [known for known in releases(framework) if release_key(known)[0] == numbers]
    exact = [known for known in same if release_key(known)[1] == post]
    return next(reversed(exact or same), None)


@cache
def release(framework: str, version: str) -> dict[str, Any]:
    """The table of one release, as `schemas/frameworks/generate.py` describes it.

    Raises `FileNotFoundError` when the release is not known.
    """
    if options := timeline(framework):
        if version not in options.releases:
            raise FileNotFoundError(f"{framework} {version} has no table")
        modules = options.modules(version)
        return {
            "framework": framework,
            "version": version,
            "source": options.sources[version],
            "kind": "argparse",
            "dashed": options.dashed,
            "entries": {module: module for module in modules},
            "roots": modules,
        }
    path = schemas() / "frameworks" / framework / f"{version}.json"
    data: dict[str, Any] = json.loads(path.read_bytes())
    return data


def entry_history(framework: str, entry: str) -> str | None:
    """Releases that have a module to start, in words; None when no release has it."""
    if options := timeline(framework):
        return spans_of_releases(framework, options.started(entry))
    having = [v for v in releases(framework) if entry in release(framework, v)["entries"]]
    return spans_of_releases(framework, having)


def entry_root(framework: str, version: str, entry: str) -> str | None:
    """The root configuration that a module of this release uses; None when not known."""
    found = release(framework, version)["entries"].get(entry)
    return None if found is None else str(found)


@cache
def table(framework: str, version: str, root: str) -> KeyTable | None:
    """The settings of `root` in a release; None when the release does not have that root.

    Raises `FileNotFoundError` when the release is not known.
    """
    data = release(framework, version)
    if root not in data["roots"]:
        return None
    found: KeyTable
    if data["kind"] == "hydra":
        from bot.frameworks.hydra_table import HydraTable

        found = HydraTable(data, root)
        return found
    from bot.frameworks.option_table import OptionTable

    found = OptionTable(data, root)
    return found


def spans_of_releases(framework: str, present: Iterable[str]) -> str | None:
    """Releases in words: "in verl 0.4.1 to 0.9.0, removed in 0.9.1"; None for no release."""
    known = releases(framework)
    having = set(present)
    runs: list[tuple[int, int]] = []
    for at, version in enumerate(known):
        if version not in having:
            continue
        if runs and runs[-1][1] == at - 1:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    if not runs:
        return None
    parts = [known[a] if a == b else f"{known[a]} to {known[b]}" for a, b in runs]
    text = f"in {framework} " + " and ".join(
        [", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts
    )
    last = runs[-1][1]
    return text if last == len(known) - 1 else f"{text}, removed in {known[last + 1]}"


@lru_cache(maxsize=1024)
def closest(key: str, candidates: tuple[str, ...]) -> str | None:
    """The candidate most similar to a dotted key; None when none is close.

    The last part counts most, since sections move more often than settings are renamed; then the
    sections that both have, whatever their order, and the whole text.
    """
    from difflib import SequenceMatcher

    *sections, name = key.split(".")
    last = SequenceMatcher(b=name)
    whole = SequenceMatcher(b=key)
    best, best_score = None, 0.0
    for other, having in _by_last_part(candidates).items():
        # What `real_quick_ratio` says, without its cost: most names differ in length alone.
        if 2 * min(len(other), len(name)) < _SIMILAR * (len(other) + len(name)):
            continue
        last.set_seq1(other)
        if last.quick_ratio() < _SIMILAR:
            continue
        similar = last.ratio()
        if similar < _SIMILAR:
            continue
        for candidate, others in having:
            shared = sum(section in others for section in sections) / max(1, len(sections))
            if 0.6 * similar + 0.2 * shared + 0.2 <= best_score:
                continue  # Even the same text could not be better.
            whole.set_seq1(candidate)
            score = 0.6 * similar + 0.2 * shared + 0.2 * whole.ratio()
            if score > best_score:
                best, best_score = candidate, score
    return best if best_score >= _CLOSE else None


@lru_cache(maxsize=16)
def _by_last_part(candidates: tuple[str, ...]) -> dict[str, list[tuple[str, list[str]]]]:
    """Last part of a key to the keys that end with it, each with its sections."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for candidate in candidates:
        *sections, name = candidate.split(".")
        found.setdefault(name, []).append((candidate, sections))
    return found
