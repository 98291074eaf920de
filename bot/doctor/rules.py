"""Whether the rules that the configuration names exist."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.errors import UserError
from bot.doctor._support.base import CheckAnswer, Surroundings


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Every id and name under `rules:`."""
    from bot.rules._support.registry import find
    from bot.table.checks._support import registry as table

    for name, level in around.config.rules.items():
        try:
            table.find(name) or find(name)
        except UserError as error:
            remedy = f"Correct the key rules.{name} ({level}) of .rlbot.yml."
            yield CheckAnswer("rules", "wrong", str(error), remedy)
