"""`python -m tools.next_rule_id [GROUP]`: the next free id of a group of rules, or of each."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final, NamedTuple

from bot.rules._support.registry import RULES


class Group(NamedTuple):
    """Rules that belong together, and the numbers that they take, in order."""

    finds: str
    numbers: tuple[range, ...]


GROUPS: Final = {
    "file": Group("what the file is, and what its header states", (range(1, 10),)),
    "name": Group("a name that contradicts the settings", (range(10, 20),)),
    "keys": Group(
        "settings that the framework's release does not take", (range(20, 30), range(130, 140))
    ),
    "values": Group("variables and placeholders in values", (range(30, 40),)),
    "launch": Group("the launch, its logs and its GPUs", (range(40, 50), range(120, 130))),
    "start": Group(
        "what the framework refuses at its start",
        (range(50, 70), range(100, 110), range(140, 150)),
    ),
    "advice": Group("advice of the tuning guide", (range(70, 90),)),
    "shell": Group("how the script is written as a shell script", (range(91, 100),)),
    "memory": Group("memory that does not fit its devices", (range(110, 120),)),
}


def next_id(group: Group, used: Iterable[str]) -> str:
    """The id after the last one of the group: one that was given up is not used again.

    Raises ValueError when the group's numbers are used up.
    """
    taken = {int(one.removeprefix("RLB")) for one in used}
    for numbers in group.numbers:
        last = max((number for number in numbers if number in taken), default=numbers.start - 1)
        if last + 1 in numbers:
            return f"RLB{last + 1:03}"
    raise ValueError("Every number of this group is used: give it another range of GROUPS.")


def main(arguments: list[str]) -> int:
    """Print one id, or a line for each group."""
    used = [rule.meta.id for rule in RULES.rules]
    if not arguments:
        for name, group in GROUPS.items():
            sys.stdout.write(f"{name:8} {next_id(group, used)}  {group.finds}\n")
        return 0
    if len(arguments) > 1 or arguments[0] not in GROUPS:
        sys.stderr.write(f"The groups are {', '.join(GROUPS)}.\n")
        return 2
    sys.stdout.write(next_id(GROUPS[arguments[0]], used) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
