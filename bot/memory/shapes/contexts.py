"""How many tokens a model was made for: `max_position_embeddings` of its config.json on the hub."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from bot.base.csv_file import read_table
from bot.base.regex import regex


@cache
def _contexts() -> tuple[tuple[re.Pattern[str], str, int], ...]:
    table = read_table(Path(__file__).parent / "contexts.csv")
    return tuple((regex(row["name"]), row["owner"], int(row["tokens"])) for row in table)


def context_of(path: str, *, any_owner: bool = False) -> int | None:
    """The tokens that the model of a hub name takes; None where that is not known.

    A name without its owner is a folder as a rule, whose config.json may say something else:
    `any_owner` is for one that is known to be a model's.
    """
    owner, _, name = path.lower().rpartition("/")
    for pattern, publisher, tokens in _contexts():
        if (owner == publisher or (any_owner and not owner)) and pattern.match(name):
            return tokens
    return None
