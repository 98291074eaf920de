"""The scripts of the repository: clean, and each with its row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bot.table import read_page
from bot.table.judge import judge
from tests.command import ROOT, rlbot
from tools.schemas import report_schema

PAGE = "docs/perf/device_tuning.rst"
SCRIPTS = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("examples/tuning/*/*.sh"))


def test_every_size_and_style_that_the_guide_promises_is_there() -> None:
    sizes = {Path(script).parent.name for script in SCRIPTS}
    assert {"0.5b", "1.5b", "7b", "32b"} <= sizes
    text = "".join((ROOT / script).read_text(encoding="utf-8") for script in SCRIPTS)
    for style in ("ACTOR=(", "model_engine=megatron", "ray job submit", "openrlhf.cli"):
        assert style in text


def test_nothing_wrong_is_found_in_any_of_them() -> None:
    result = rlbot("lint", "examples/tuning", "--format", "json")
    report = json.loads(result.out)
    Draft202012Validator(report_schema()).validate(report)
    assert result.status == 0
    assert [script["path"] for script in report["scripts"]] == SCRIPTS
    for script in report["scripts"]:
        # Notes are advice; what a row's script has and has not is its author's choice.
        wrong = [finding for finding in script["findings"] if finding["severity"] != "note"]
        assert (wrong, script["unchecked"]) == ([], []), script["path"]
        assert len(script["launches"]) == 1
        assert script["name"]["valid"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_has_its_row_in_the_page(script: str) -> None:
    link = f"https://github.com/rlbot-tuning/rlbot/blob/main/{script}"
    result = rlbot(
        *("table", "add", PAGE, script, "--dry-run"),
        *("--link", link, "--contributor", "rlbot-tuning"),
    )
    assert (result.status, result.err) == (0, "")
    assert result.out == f"{PAGE} holds this row already.\n"


def test_the_page_holds_nothing_else_and_is_valid() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    rows = [row for _, row in read_page(text, PAGE).rows()]
    assert sorted(row.file_name or "" for row in rows) == sorted(Path(s).name for s in SCRIPTS)
    assert judge(text, PAGE).warnings() == {}
