"""The command line: what a person sees, what is written, and what is refused."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.bisect.samples import FLAT, FLAT_KEYS, PATH, VARIABLES, run_of
from tests.command import Result, rlbot
from tests.conftest import WrittenRun
from tests.schemas import holds_to
from tools.schemas import bisect_schemas


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_text(VARIABLES, encoding="utf-8")
    file.chmod(0o755)
    return tmp_path


def _plan(folder: Path, *more: str) -> Result:
    return rlbot("bisect", "plan", PATH, *more, cwd=folder)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_series_in_words(folder: Path, snapshot: SnapshotAssertion, language: str) -> None:
    result = _plan(folder, "--lang", language)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("--ran", "57", "--failed", "61"),
        ("--ran", "58", "--failed", "59"),
        ("--ran", "200"),
        ("--failed", "65"),
    ],
    ids=" ".join,
)
def test_other_series_in_words(
    folder: Path, snapshot: SnapshotAssertion, arguments: tuple[str, ...]
) -> None:
    result = _plan(folder, *arguments)
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot


def test_the_script_is_written_once(folder: Path) -> None:
    arguments = ("--ran", "57", "--failed", "61", "--to", "series")
    result = _plan(folder, *arguments)
    made = "series/1-59/14b/" + Path(PATH).name
    assert (result.status, result.err) == (0, f"rlbot: wrote {made}\n")
    assert f"  bash {made}\n" in result.out
    assert result.out.endswith(" RUN… --to series\n")
    assert stat.S_IMODE((folder / made).stat().st_mode) == 0o755
    before = (folder / made).read_bytes()
    result = _plan(folder, "--ran", "58", "--failed", "61", "--to", "series")
    assert (result.status, result.err) == (0, ""), "the same launch stays"
    assert (folder / made).read_bytes() == before
    (folder / made).write_bytes(b"mine")
    again = _plan(folder, *arguments)
    assert again.status == 2
    assert "is there already; nothing was written." in again.err
    assert (folder / made).read_bytes() == b"mine"
    assert (folder / PATH).read_text(encoding="utf-8") == VARIABLES


def test_a_written_script_as_it_is(folder: Path, snapshot: SnapshotAssertion) -> None:
    text = VARIABLES.replace("=58", "=58 # 40√ → 80×")
    (folder / PATH).write_text(text, encoding="utf-8")
    assert _plan(folder, "--to", "series").status == 0
    made = sorted((folder / "series").iterdir())
    assert made[0].name.startswith("1-")
    (file,) = made[0].rglob("*.sh")
    assert file.read_text(encoding="utf-8") == snapshot


def test_reading_writes_the_next_script_until_the_end(folder: Path, written: WrittenRun) -> None:
    runs: list[Path] = []

    def start(value: int) -> Result:
        text = VARIABLES.replace("=58", f"={value}")
        runs.append(written(run_of(text, fits=value <= 58, run_id=f"batch{value}")))
        return rlbot("bisect", "read", PATH, *runs, "--to", "series", cwd=folder)

    result = start(44)
    for number in range(2, 20):
        if result.out.startswith("MaxBatch 116: "):
            break
        (path,) = (folder / "series").glob(f"{number}-*/14b/*.sh")
        written_there = f"rlbot: wrote {path.relative_to(folder).as_posix()}\n"
        assert (result.status, result.err) == (0, written_there)
        assert f"  bash {path.relative_to(folder).as_posix()}\n" in result.out
        head = path.read_text(encoding="utf-8").partition("\n\n")[0]
        assert f", run {number}" in head
        (line,) = [n for n in path.read_text().splitlines() if n.startswith("nproc_per_gpu=")]
        result = start(int(line.partition("=")[2]))
    else:
        pytest.fail("the series never ends")
    assert result.err == ""


def test_without_a_prediction_the_status_says_so(folder: Path) -> None:
    (folder / PATH).write_text(VARIABLES.replace("Qwen/Qwen2.5-14B-Instruct", "me/other"))
    result = _plan(folder)
    assert result.status == 3
    assert "No prediction: The shape of the model me/other is not known." in result.out


def test_what_is_wrong_is_a_sentence(folder: Path) -> None:
    assert "--ran: takes a number from 1 to 1000000000; got 0." in _plan(folder, "--ran", "0").err


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_value_that_memory_does_not_follow_is_an_answer(
    folder: Path, snapshot: SnapshotAssertion, language: str
) -> None:
    (folder / PATH).write_text(FLAT, encoding="utf-8")
    result = _plan(folder, "--lang", language, "--to", "series")
    assert (result.status, result.err) == (3, "")
    assert result.out == snapshot
    assert not (folder / "series").exists()
    result = _plan(folder, "--format", "json")
    assert (result.status, result.err) == (3, "")
    content = json.loads(result.out)
    holds_to(bisect_schemas()["bisect-plan-v1"], content)
    assert content["vary_instead"] == [FLAT_KEYS[2]]
    assert _plan(folder, "--vary", content["vary_instead"][0]).status == 0


def test_the_next_command_reads_the_script_as_this_one(folder: Path) -> None:
    said = ("--env", "A=b c", "--framework", "verl@0.4.1", "--device", "h800")
    result = _plan(folder, *said, "--ran", "57", "--failed", "61", "--to", "series")
    end = "RUN… --framework verl@0.4.1 --device h800 --env 'A=b c' --to series\n"
    assert result.out.endswith(end)


def test_where_nothing_fits_that_is_said(folder: Path) -> None:
    (folder / PATH).write_text(FLAT, encoding="utf-8")
    result = _plan(folder, "--device", "l4")
    assert "the peak is 80.8 of 22.0 GiB at 116" in result.out
    assert "By the prediction no value fits; rlbot estimate names the options" in result.out
    result = _plan(folder, "--device", "l4", "--vary", FLAT_KEYS[2])
    assert " of 22.0\n" in result.out
    assert "By the prediction no value fits" in result.out
    assert "no value fits" not in _plan(folder, "--vary", FLAT_KEYS[2]).out


def test_the_memory_of_the_card_is_what_an_estimate_says(folder: Path) -> None:
    (folder / PATH).write_text(FLAT, encoding="utf-8")
    estimate = rlbot("estimate", PATH, "--device", "4090", cwd=folder).out
    assert "(23.6 GiB usable)" in estimate
    assert " of 23.6 GiB at 116" in _plan(folder, "--device", "4090").out


def test_json_is_as_its_schema_says(folder: Path, written: WrittenRun) -> None:
    schemas = bisect_schemas()
    for arguments in ((), ("--ran", "200"), ("--ran", "57", "--failed", "59")):
        result = _plan(folder, "--format", "json", "--to", f"to{len(arguments)}", *arguments)
        assert result.status == 0
        content = json.loads(result.out)
        holds_to(schemas["bisect-plan-v1"], content)
        (run,) = content["probes"]
        assert (folder / run["path"]).is_file()
    ran = written(run_of(VARIABLES, fits=True, run_id="batch58"))
    result = rlbot("bisect", "read", PATH, ran, "--format", "json", cwd=folder)
    assert result.status == 0
    holds_to(schemas["bisect-read-v1"], json.loads(result.out))


def test_runs_are_read_and_the_log_is_written(
    folder: Path, written: WrittenRun, snapshot: SnapshotAssertion
) -> None:
    for value, fits in ((58, True), (59, False)):
        text = VARIABLES.replace("=58", f"={value}")
        run = written(run_of(text, fits=fits, run_id=f"batch{value}"))
        (folder / f"run{value}").symlink_to(run)
    result = rlbot("bisect", "read", PATH, "run58", "run59", "--write", cwd=folder)
    assert result.status == 0
    assert result.out == snapshot
    text = (folder / PATH).read_text(encoding="utf-8")
    assert text == VARIABLES.replace("=58", "=58 # 58√ → 59×")
    again = rlbot("bisect", "read", PATH, "run58", "run59", "--write", cwd=folder)
    assert again.err == ""
    assert (folder / PATH).read_text(encoding="utf-8") == text
    chinese = rlbot("bisect", "read", PATH, "run58", "--lang", "zh", cwd=folder)
    assert chinese.out == snapshot(name="zh")
    lint = rlbot("lint", PATH, "--select", "trial-log", cwd=folder)
    assert lint.status == 0


def test_a_run_that_cannot_be_read_keeps_no_other_from_being_read(
    folder: Path, written: WrittenRun
) -> None:
    ran = str(written(run_of(VARIABLES, fits=True)))
    result = rlbot("bisect", "read", PATH, "nowhere", ran, cwd=folder)
    assert (result.status, result.err) == (0, "")
    assert "nowhere does not exist: a run is a link, what a tracker wrote" in result.out
    alone = rlbot("bisect", "read", PATH, "nowhere", cwd=folder)
    assert (alone.status, alone.out) == (2, "")
    chinese = rlbot("bisect", "read", PATH, "nowhere", ran, "--lang", "zh", cwd=folder)
    assert "does not exist" not in chinese.out
