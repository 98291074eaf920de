"""The released versions of each framework, and what their tables' files hold.

The tables are `schemas/frameworks/<framework>/<release>.json` for configurations composed by Hydra
and one `options.json` of all releases for command-line options, written from the released packages
by `schemas/frameworks/generate.py`; adding a release is running that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from bot.base.digits import is_digits, natural_number, whole_number
from bot.base.messages import enumeration, message
from bot.base.resources import schemas
from bot.frameworks.settings.timeline import Timeline


@cache
def release_key(version: str) -> tuple[tuple[int, ...], int]:
    """Sorts releases: 0.9.1 before 0.10.0, 0.3.0 before 0.3.0.post1; 0.2 equals 0.2.0."""
    base, _, post = version.partition(".post")
    numbers = [whole_number(number) or 0 for number in re.findall(r"[0-9]+", base)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    after = natural_number(post)
    return tuple(numbers), -1 if after is None else after


def beside_tables(framework: str, name: str) -> dict[str, Any] | None:
    """What a file beside a framework's tables holds; None where it has none of that name."""
    path = schemas() / "frameworks" / framework / f"{name}.json"
    return dict(json.loads(path.read_bytes())) if path.is_file() else None


@cache
def timeline(framework: str) -> Timeline | None:
    """The options of every release, for a framework that is started with options; else None."""
    options = beside_tables(framework, "options")
    return Timeline(options) if options else None


@cache
def releases(framework: str) -> tuple[str, ...]:
    """The releases that have a table, oldest first; empty for an unknown framework."""
    if options := timeline(framework):
        return options.releases
    folder = schemas() / "frameworks" / framework
    tables = folder.iterdir() if folder.is_dir() else ()
    names = [path.stem for path in tables if path.suffix == ".json" and is_digits(path.name[0])]
    return tuple(sorted(names, key=release_key))


@cache
def released(framework: str) -> Mapping[str, str]:
    """Release to the day of its tag's commit: nothing was run with it before; empty for others."""
    return beside_tables(framework, "released") or {}


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


def entry_root(framework: str, version: str, entry: str) -> str | None:
    """The root configuration that a module of this release uses; None when not known."""
    found = release(framework, version)["entries"].get(entry)
    return None if found is None else str(found)


@cache
def modules(framework: str) -> frozenset[str]:
    """The modules of all releases that start a training or what belongs to it."""
    if options := timeline(framework):
        return options.every_module
    every = (release(framework, version)["entries"] for version in releases(framework))
    return frozenset(name for entries in every for name in entries)


def ranges_of_releases(framework: str, present: Iterable[str]) -> str:
    """Releases in words, neighbours together: "0.2 to 0.3.0.post1 and 0.9.1"."""
    return _ranges(releases(framework), _runs(framework, present))


def spans_of_releases(framework: str, present: Iterable[str]) -> str | None:
    """Releases in words: "in verl 0.4.1 to 0.9.0, removed in 0.9.1"; None for no release."""
    known = releases(framework)
    runs = _runs(framework, present)
    if not runs:
        return None
    text = message("in {framework} {releases}", framework=framework, releases=_ranges(known, runs))
    last = runs[-1][1]
    if last == len(known) - 1:
        return text
    return message("{span}, removed in {release}", span=text, release=known[last + 1])


def _ranges(known: Sequence[str], runs: Iterable[tuple[int, int]]) -> str:
    return enumeration(
        [
            known[a] if a == b else message("{first} to {last}", first=known[a], last=known[b])
            for a, b in runs
        ]
    )


def _runs(framework: str, present: Iterable[str]) -> list[tuple[int, int]]:
    """First and last of the neighbours among a framework's releases."""
    having = set(present)
    runs: list[tuple[int, int]] = []
    for at, version in enumerate(releases(framework)):
        if version not in having:
            continue
        if runs and runs[-1][1] == at - 1:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    return runs
