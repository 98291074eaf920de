"""Whether the rules that the configuration names exist."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.errors import UserError
from bot.doctor._support.base import Answer, Surroundings


def check(around: Surroundings) -> Iterator[Answer]:
    """Every id and name under `rules:`; a check without rules says nothing."""
    from bot.rules._support.registry import find
    from bot.table.checks._support import registry as table

    for name, level in around.config.rules.items():
        if table.find(name) is not None:
            continue
        try:
            find(name)
        except UserError as error:
            yield Answer(
                subject="rules",
                state="wrong",
                said=str(error),
                remedy=f"Correct the key rules.{name} ({level}) of .rlbot.yml.",
            )
