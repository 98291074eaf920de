"""A change whose files take too much: what is left out is named, and the rest is checked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.base.config import Config
from bot.base.isolated import IsolationLimits
from bot.check.request import CheckOptions
from bot.github.change import ChangeFiles, FileSelection
from bot.report import Report
from bot.review.check import CheckRequest, check_change
from tests.hostile.scripts import SCRIPTS
from tests.review.test_runs import OTHER, PATH, PLAIN, Change

HEAVY = SCRIPTS["conditions without a launch"]
# Reading this takes some 23 MiB.
LONG = "echo a b c\n" * 20_000


@dataclass
class PageChange(Change):
    """A change that alters the page too."""

    def read(self, wanted: FileSelection) -> ChangeFiles:
        return replace(super().read(wanted), page_changed=True)


def report(change: Change, limits: IsolationLimits) -> Report:
    def options(config: Config) -> CheckOptions:
        return CheckOptions(config=config)

    return check_change(change, CheckRequest(options=options, limits=limits)).report


def test_what_used_up_its_time_is_left_out_by_name() -> None:
    # Hundreds of scripts for the page to be compared with: no machine reads them in two seconds.
    standing = {f"examples/tuning/7b/x{n}_grpo_1_h800_fsdp_vllm.sh": HEAVY for n in range(300)}
    standing |= {path: f"{text}# {path}\n" for path, text in standing.items()}
    change = PageChange({PATH: PLAIN}, standing=standing)
    found = report(change, IsolationLimits(processor=2))
    assert [script.path for script in found.scripts] == [PATH]
    reasons = {item.check: item.reason for item in found.unchecked}
    assert reasons["page"] == (
        "Reading it takes more than 2 seconds of processor time; simplify it."
    )
    assert not found.pages
    assert found.verdict == "inconclusive"


def test_memory_is_bounded_too() -> None:
    found = report(
        PageChange({PATH: PLAIN + LONG, OTHER: PLAIN + LONG}),
        IsolationLimits(memory=14 << 20, processor=300),
    )
    assert not found.scripts
    reasons = {item.check: item.reason for item in found.unchecked}
    assert "memory" in reasons[PATH]
