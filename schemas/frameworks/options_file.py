"""Folds all releases' options into one file, which `bot.frameworks.settings.timeline` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.frameworks.settings.timeline import Modules, OptionRow

_LEAST: Final = 2
"""Values that every row is written with: type and arity."""


def fold(
    framework: str,
    sources: Mapping[str, str],
    each: Mapping[str, Modules],
    *,
    dashed: bool = False,
) -> dict[str, Any]:
    """The content of an `options.json`: `sources` and `each` by release, oldest first."""
    releases = list(sources)
    modules = list(dict.fromkeys(name for release in releases for name in each[release]))
    modules.sort()
    lives = {name: [release for release in releases if name in each[release]] for name in modules}
    options: list[list[Any]] = []
    names = sorted({name for found in each.values() for rows in found.values() for name in rows})
    for name in names:
        groups: list[tuple[list[int], dict[str, OptionRow | None]]] = []
        for number, module in enumerate(modules):
            rows = {release: each[release][module].get(name) for release in lives[module]}
            if all(row is None for row in rows.values()):
                continue
            for members, known in groups:
                if all(known.get(release, row) == row for release, row in rows.items()):
                    members.append(number)
                    known.update(rows)
                    break
            else:
                groups.append(([number], rows))
        for members, known in groups:
            options.append([name, members, _spans(name, releases, known)])
    return {
        "framework": framework,
        "kind": "argparse",
        "dashed": dashed,
        "releases": dict(sources),
        "modules": [[name, _runs(releases, lives[name])] for name in modules],
        "options": options,
    }


def _spans(
    name: str, releases: Sequence[str], known: Mapping[str, OptionRow | None]
) -> list[list[Any]]:
    """Each way an option stayed the same; releases without the modules do not interrupt it."""
    spans: list[list[Any]] = []
    last: OptionRow | None = None
    for release in releases:
        if release not in known:
            continue
        row = known[release]
        if row is not None and row == last:
            spans[-1][1] = release
        elif row is not None:
            dest, *rest = row
            written = [*rest, None if dest == name.replace("-", "_") else dest]
            while len(written) > _LEAST and written[-1] is None:
                written.pop()
            spans.append([release, release, *written])
        last = row
    return spans


def _runs(releases: Sequence[str], present: Sequence[str]) -> list[list[str]]:
    runs: list[list[str]] = []
    for at, release in enumerate(releases):
        if release in present:
            if at and runs and runs[-1][1] == releases[at - 1]:
                runs[-1][1] = release
            else:
                runs.append([release, release])
    return runs
