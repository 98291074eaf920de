"""Whether the rules that the configuration names exist."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Every id and name under `rules:`."""
    from bot.rules._support.registry import RULES
    from bot.table.checks._support.registry import CHECKS

    for name, level in around.config.rules.items():
        try:
            CHECKS.lookup(name) or RULES.find(name)
        except UserError as error:
            remedy = message(
                "Correct the key rules.{name} ({level}) of .rlbot.yml.", name=name, level=level
            )
            yield CheckAnswer("rules", "wrong", sentence_of(error), remedy)
