"""Whole comments in Chinese: a run that could not be read, and one of which something was lost."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.base.config import Config
from bot.base.messages import Language
from bot.check.request import CheckOptions, PageText, ScriptFile
from bot.check.script import check_script, make_report
from bot.evidence import EvidenceError, Facts
from bot.evidence.folder import read_folder
from bot.evidence.links import RunLink
from bot.evidence.online.failure import ReadFailure, ReadStage, sentence
from bot.render.markdown import comment
from bot.report import Report
from tests.commands.test_cli import NAME, PAGE, RECIPE, SCRIPT
from tests.conftest import WrittenRun
from tests.sentences import english

PATH = f"examples/tuning/7b/{NAME}"
FAILURES = {
    "rate": ReadFailure(kind="rate", stage=ReadStage.HISTORY, status=429, seconds=120),
    "unreachable": ReadFailure(kind="unreachable", detail="connection refused"),
    "no key": ReadFailure(kind="no-key"),
}


def _report(read: Callable[[RunLink], Facts], language: Language = "zh") -> Report:
    options = CheckOptions(config=Config(language=language), evidence="required", linked=read)
    script = check_script(
        ScriptFile(path=PATH, data=SCRIPT.encode()), options, page=PageText(path="p.rst", text=PAGE)
    )
    # What the memory model assumes is its own room's to say.
    return make_report([replace(script, estimate=None)], language=language)


@pytest.mark.parametrize("name", FAILURES)
def test_a_run_that_could_not_be_read(name: str, snapshot: SnapshotAssertion) -> None:
    def read(link: RunLink) -> Facts:
        raise EvidenceError(sentence(FAILURES[name], link))

    made = comment(_report(read))
    assert english(made) == []
    assert made == snapshot


def _damaged(folder: Path) -> Facts:
    """A run whose log was cut in its last record, with a broken file beside it."""
    (log,) = folder.glob("*.wandb")
    log.write_bytes(log.read_bytes()[:-5])
    (folder / "files" / "wandb-metadata.json").write_text("[]", encoding="utf-8")
    return read_folder(folder)


def test_a_run_of_which_something_was_lost(
    written: WrittenRun, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(written(RECIPE), folder)
    facts = _damaged(folder)
    assert len(facts.gaps) == 2
    made = comment(_report(lambda _link: facts))
    assert english(made) == []
    assert re.sub(r"第 \d+ 字节", "第 BYTE 字节", made) == snapshot
    # In English each gap stands there as it was always said.
    (script,) = _report(lambda _link: facts, "en").scripts
    assert [item.reason for item in script.unchecked] == list(facts.gaps)
    assert script.verdict == "inconclusive"
    assert all(gap in comment(_report(lambda _link: facts, "en")) for gap in facts.gaps)


def test_links_that_are_refused(snapshot: SnapshotAssertion) -> None:
    for text in (
        "https://wandb.ai/ada/tuning",
        "https://wandb.ai/ada/tuning/reports/x--y",
        "https://wandb.example.com/ada/tuning/runs/abc123",
        "https://ada@wandb.ai/ada/tuning/runs/abc123",
    ):
        script = SCRIPT.replace("https://wandb.ai/ada/tuning/runs/abc123", text)
        options = CheckOptions(config=Config(language="zh"), evidence="required")
        report = check_script(ScriptFile(path=PATH, data=script.encode()), options)
        (item,) = report.unchecked
        assert english(item.reason) == []
        assert item.reason == snapshot(name=text)
