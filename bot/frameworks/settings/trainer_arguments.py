"""What TRL's trainers take by name beside their settings, in each release.

An argument has the key `SFTTrainer.tokenizer`. Read from `schemas/frameworks/trl/trainers.json`.
"""

from __future__ import annotations

from functools import cache

from bot.frameworks.settings.releases import beside_tables, releases
from bot.frameworks.settings.timeline import Timeline

ADAPTER = "peft_config"
"""The argument by which a trainer makes an adapter."""
_DEFAULT = 3
"""The place of a row that has the present name of one that was renamed."""


def releases_taking(key: str) -> tuple[str, ...]:
    """The releases whose trainer takes an argument."""
    trainer, _, name = key.partition(".")
    return _trainers().having(name, trainer)


def taken(key: str, release: str) -> bool | None:
    """Whether a release's trainer takes an argument; None where it has no such trainer."""
    trainer, _, name = key.partition(".")
    made = _of_release(release).get(trainer)
    return None if made is None else name in made


@cache
def always_taken(key: str) -> bool:
    """Whether every release that has the trainer takes it."""
    return all(taken(key, release) is not False for release in releases("trl"))


def renamed(key: str) -> str | None:
    """The present name of an argument that a former release renamed, of any trainer."""
    name = key.partition(".")[2]
    having = _trainers().having(name)
    rows = (made.get(name) for made in _of_release(having[0]).values()) if having else ()
    return next((row[_DEFAULT] for row in rows if row is not None), None)


@cache
def _trainers() -> Timeline:
    data = beside_tables("trl", "trainers")
    if data is None:
        raise FileNotFoundError("schemas/frameworks/trl/trainers.json is not there")
    return Timeline(data)


@cache
def _of_release(release: str) -> dict[str, dict[str, list[str]]]:
    known = _trainers()
    return known.modules(release) if release in known.releases else {}
