"""The name that a model has on the Hugging Face hub, so that a script can load it.

`hub_owners.csv` holds the beginnings of names in lower case and who publishes such a model;
`hub_names.csv` the names that differ on the hub, as they are on each publisher's page in 2026.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from bot.base.csv_file import read_table

_FOLDER = Path(__file__).parent


@cache
def _owners() -> tuple[tuple[re.Pattern[str], str], ...]:
    table = read_table(_FOLDER / "hub_owners.csv")
    return tuple((re.compile(row["beginning"]), row["owner"]) for row in table)


@cache
def _renamed() -> tuple[tuple[re.Pattern[str], str], ...]:
    table = read_table(_FOLDER / "hub_names.csv")
    return tuple((re.compile(row["name"], re.I), row["hub"]) for row in table)


def hub_path(written: str, name: str) -> str:
    """The hub's name of a model that was written without its owner; as written if none is known.

    `name` is the model as its maker writes it; a written name that says more (-Instruct) is kept.
    """
    low = name.lower()
    owner = next((owner for pattern, owner in _owners() if pattern.match(low)), None)
    if owner is None:
        return written
    name = written if written.lower() != low else name
    for pattern, there in _renamed():
        match = pattern.fullmatch(name)
        if match:
            renamed = match.expand(there)
            return f"{owner}/{renamed.lower() if low.startswith('gemma') else renamed}"
    return f"{owner}/{name}"
