"""`rlbot verify --again`: a run that was edited is told from one that says what it said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import rlbot
from tests.commands.test_cli import NAME, RECIPE, SCRIPT
from tests.conftest import WrittenRun


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    script = tmp_path / "examples/tuning/7b" / NAME
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def report(folder: Path, run: Path) -> dict[str, Any]:
    """The report of a first check, written to `report.json`."""
    made = rlbot("verify", f"examples/tuning/7b/{NAME}", "--run", run, "--format=json", cwd=folder)
    (folder / "report.json").write_text(made.out, encoding="utf-8")
    loaded: dict[str, Any] = json.loads(made.out)
    return loaded


def test_a_run_that_says_what_it_said(folder: Path, written: WrittenRun) -> None:
    run = written(RECIPE)
    facts = report(folder, run)["scripts"][0]["evidence"]["facts"]
    assert facts["kind"] == "folder"
    assert facts["values"]["config data.train_batch_size"] == 128
    result = rlbot("verify", "--again", "report.json", "--run", run, cwd=folder)
    assert (result.status, result.err) == (0, "")
    count = len(facts["values"])
    assert result.out == f"examples/tuning/7b/{NAME}: the run says what it said ({count} facts).\n"


def test_an_edited_run_is_told_with_what_was_edited(folder: Path, written: WrittenRun) -> None:
    report(folder, written(RECIPE))
    edited = written(RECIPE.but(config={**RECIPE.config, "data": {"train_batch_size": 256}}))
    result = rlbot("verify", "--again", "report.json", "--run", edited, cwd=folder)
    assert (result.status, result.err) == (1, "")
    assert "3 facts of the run are not what the report holds" in result.out
    assert "  config data.train_batch_size: was 128, is 256\n" in result.out
    assert "  config data.max_prompt_length: was 512, is not there\n" in result.out
    as_json = rlbot(
        *("verify", "--again", "report.json", "--run", edited, "--format", "json"), cwd=folder
    )
    (found,) = json.loads(as_json.out)
    assert found["unchanged"] is False
    assert {"fact": "config data.train_batch_size", "before": 128, "now": 256} in found[
        "differences"
    ]


def test_an_edited_report_is_told(folder: Path, written: WrittenRun) -> None:
    made = report(folder, written(RECIPE))
    made["scripts"][0]["evidence"]["facts"]["values"]["config data.train_batch_size"] = 256
    (folder / "report.json").write_text(json.dumps(made), encoding="utf-8")
    result = rlbot("verify", "--again", "report.json", "--run", written(RECIPE), cwd=folder)
    assert result.status == 1
    assert "the report itself was edited" in result.out


def test_it_is_said_in_the_language_of_the_terminal(folder: Path, written: WrittenRun) -> None:
    made = report(folder, written(RECIPE))
    edited = written(RECIPE.but(config={**RECIPE.config, "data": {"train_batch_size": 256}}))
    command = ("verify", "--again", "report.json")
    chinese = {"LC_ALL": "zh_CN.UTF-8"}
    out = rlbot(*command, "--run", edited, cwd=folder, environment=chinese).out
    assert "运行记录有 3 项事实与报告所存" in out
    assert "  config data.train_batch_size：原为 128，现为 256\n" in out
    assert "  config data.max_prompt_length：原为 512，现为不存在\n" in out
    made["scripts"][0]["evidence"]["run"]["url"] = None
    (folder / "report.json").write_text(json.dumps(made), encoding="utf-8")
    out = rlbot(*command, cwd=folder, environment=chinese).out
    assert "未比较。报告未说明运行记录的位置" in out
    assert "not compared. " in rlbot(*command, "--lang", "en", cwd=folder, environment=chinese).out
    as_json = rlbot(*command, "--format", "json", cwd=folder, environment=chinese).out
    assert json.loads(as_json)[0]["problem"].startswith("The report does not say where the run")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (b"[]", "is no report of this or an older version"),
        (b'{"schema": "report-v2"}', "is no report of this or an older version"),
        (b'{"schema": "report-v1", "tool": {"name": "rlbot", "version": "1"}, "verdict": 1}', "no"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "r.json").write_bytes(content)
    result = rlbot("verify", "--again", "r.json", cwd=tmp_path)
    assert result.status == 2
    assert says in result.err


def test_what_cannot_be_compared_is_no_edit(folder: Path, written: WrittenRun) -> None:
    report(folder, written(RECIPE))
    (folder / "empty").mkdir()
    for more in (("--offline",), ("--run", "empty")):
        result = rlbot("verify", "--again", "report.json", *more, cwd=folder)
        assert result.status == 3, result.err
        assert "not compared." in result.out
    assert rlbot("verify", "--again", "report.json", "--run", "nowhere", cwd=folder).status == 2
    none = {"schema": "report-v1", "tool": {"name": "rlbot", "version": "1"}, "verdict": "pass"}
    (folder / "none.json").write_text(json.dumps(none), encoding="utf-8")
    result = rlbot("verify", "--again", "none.json", cwd=folder)
    assert (result.status, result.out) == (3, "The report compares no script with a run.\n")


def test_verify_needs_a_script_or_a_report(tmp_path: Path) -> None:
    result = rlbot("verify", cwd=tmp_path)
    assert result.status == 2
    assert "verify needs the SCRIPT" in result.err
    for run in (".", "https://wandb.ai/team/proj/runs/abc"):
        result = rlbot("verify", run, cwd=tmp_path)
        assert result.status == 2
        assert f"is no script; if it is the run: rlbot verify SCRIPT --run {run}" in result.err
