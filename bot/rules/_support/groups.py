"""The groups of rules: an id's number says which one a rule belongs to."""

from __future__ import annotations

from typing import Final

from bot.base.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that belong together, and the numbers that they take, in order."""

    finds: str
    numbers: tuple[range, ...]


GROUPS: Final = {
    "file": RuleGroup("what the file is, and what its header states", (range(1, 10),)),
    "name": RuleGroup("a name that contradicts the settings", (range(10, 20),)),
    "keys": RuleGroup(
        "settings that the framework's release does not take", (range(20, 30), range(130, 140))
    ),
    "values": RuleGroup("variables and placeholders in values", (range(30, 40),)),
    "launch": RuleGroup("the launch, its logs and its GPUs", (range(40, 50), range(150, 160))),
    "start": RuleGroup(
        "what the framework refuses at its start",
        (range(50, 70), range(100, 110), range(140, 150)),
    ),
    "advice": RuleGroup("advice of the tuning guide", (range(70, 90),)),
    "shell": RuleGroup("how the script is written as a shell script", (range(91, 100),)),
    "memory": RuleGroup("memory that does not fit its devices", (range(110, 120),)),
    "program": RuleGroup("the program that is started, and what starts it", (range(120, 130),)),
}


def group_of(rule_id: str) -> str | None:
    """The name of the group that a rule belongs to; None for an id of none."""
    number = int(rule_id.removeprefix("RLB"))
    for name, group in GROUPS.items():
        if any(number in numbers for numbers in group.numbers):
            return name
    return None
