"""How well `rlbot estimate` does on the peaks that unsloth's notebooks print.

    python -m tests.memory.judge_unsloth

Every figure is what the command prints of a program beside a requirement of the release that its
notebook prints, for the card it ran on. What the allocator held is compared with what the card is
said to show, without CUDA's context.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

from tests.command import rlbot

FOLDER = Path(__file__).parent / "unsloth"


@dataclass(frozen=True)
class Peak:
    """A notebook, and what is printed of its program."""

    row: dict[str, Any]
    expected: float
    """GiB."""
    conservative: float

    @property
    def error(self) -> float:
        """Expected over measured, less one."""
        return self.expected / float(self.row["measured_gib"]) - 1

    @property
    def cover(self) -> float:
        """Conservative over measured."""
        return self.conservative / float(self.row["measured_gib"])


def rows(*, seen: bool) -> list[dict[str, Any]]:
    """Those that the model was made with, or the others."""
    every: list[dict[str, Any]] = json.loads((FOLDER / "rows.json").read_text("utf-8"))
    return every[0 if seen else 1 :: 2]


def judged(*, seen: bool) -> Iterator[Peak]:
    """The rows for which there is an estimate."""
    with TemporaryDirectory() as folder:
        for row in rows(seen=seen):
            program = FOLDER / "scripts" / f"{row['id']}.txt"
            Path(folder, "train.py").write_bytes(program.read_bytes())
            Path(folder, "requirements.txt").write_text(f"unsloth=={row['unsloth']}\n")
            asked = ("--device", row["device"], "--gpus", "1", "--format", "json")
            made = json.loads(rlbot("estimate", "train.py", *asked, cwd=Path(folder)).out)
            stages = made["scripts"][0]["estimate"]["stages"]
            if stages:
                yield Peak(row, _most(stages, "card_gib"), _most(stages, "card_conservative_gib"))


def _most(stages: list[dict[str, Any]], level: str) -> float:
    return max(float(one[level]) - float(one["components"]["contexts"]) for one in stages)


def table(name: str, *, seen: bool) -> str:
    """The rows and what they come to, in lines."""
    found = list(judged(seen=seen))
    lines = [name, ""]
    for one in found:
        measured, shown = one.row["measured_gib"], f"{one.expected:6.1f} {one.conservative:6.1f}"
        lines.append(f"{one.row['id']:44} {shown} {measured:8.3f} {one.error:+8.1%}")
    errors = [abs(one.error) for one in found]
    worst = max((one.error for one in found), key=abs)
    below = sum(one.cover >= 1 for one in found)
    level = median(one.cover for one in found)
    sums = (
        f"{len(found)} of {len(rows(seen=seen))} have an estimate: mean {mean(errors):.1%}, median "
        f"{median(errors):.1%}, worst {worst:+.1%}; {below} below conservative, {level:.2f}"
    )
    return "\n".join([*lines, "", sums, ""])


if __name__ == "__main__":
    sys.stdout.write(table("Made with", seen=True) + "\n")
    sys.stdout.write(table("Not looked at before", seen=False))
