"""A row's cells and the reasons for open ones, by what was given: a run, its length, a device."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.report.manifest import RecordedGpu
from tests.command import ROOT, rlbot
from tests.record.made import recorded

NAME = "qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
SCRIPT = f"examples/tuning/7b/{NAME}"
PAGE = "docs/perf/device_tuning.rst"
OPEN = (
    "MaxBatch is left open. The run trained with 1024, but that it fits is open: 1 step is too few "
    "to have seen responses of full length."
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (SCRIPT, PAGE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


def test_one_step_shows_no_batch(folder: Path) -> None:
    run = recorded(folder / "run.jsonl", folder / SCRIPT)
    before = (folder / PAGE).read_bytes()
    added = rlbot("table", "add", PAGE, SCRIPT, "--run", run, "--link", _link(), cwd=folder)
    assert (added.status, added.err) == (0, "")
    assert OPEN in added.out
    assert (folder / PAGE).read_bytes() == before
    verified = rlbot("verify", SCRIPT, "--run", run, cwd=folder)
    assert "2*H800 · MaxBatch open · fsdp" in verified.out
    assert OPEN in verified.out


def test_twenty_steps_at_full_length_show_one(folder: Path) -> None:
    run = recorded(folder / "run.jsonl", folder / SCRIPT, steps=20)
    added = rlbot("table", "add", PAGE, SCRIPT, "--run", run, "--link", _link(), cwd=folder)
    assert added.status == 0
    assert "      - 2*H800\n      - 1024\n" in (folder / PAGE).read_text(encoding="utf-8")
    assert "MaxBatch" not in added.out


def _link() -> str:
    return f"https://github.com/rlbot-tuning/rlbot/blob/main/{SCRIPT}"


def test_the_device_that_is_given_is_the_rows(folder: Path) -> None:
    """Under a name that states none, of a run on a host without GPUs."""
    (folder / "s.sh").write_bytes((folder / SCRIPT).read_bytes())
    run = recorded(folder / "run.jsonl", folder / SCRIPT)
    given = rlbot("verify", "s.sh", "--run", run, "--device", "h800", cwd=folder)
    assert "Qwen2.5-7B · GRPO · 2*H800 · MaxBatch open" in given.out
    assert "The device H800 is taken from --device; the script's name states none." in given.out
    assert "device claimed h800" in given.out
    assert "give its run" not in given.out
    assert "give the run" not in given.out
    without = rlbot("verify", "s.sh", "--run", run, cwd=folder)
    assert (
        "The device is unknown because neither the script's name nor the run states one that is "
        "known; name the script"
    ) in without.out
    assert "give its run" not in without.out
    text = (folder / SCRIPT).read_text(encoding="utf-8")
    (folder / "s.sh").write_text(text.replace("# tag", "# device: A100-80GB\n# tag"))
    stated = rlbot("verify", "s.sh", "--run", run, cwd=folder)
    assert "2*A100 ·" in stated.out
    assert "The device A100 is taken from the script's comment;" in stated.out


def test_a_card_that_the_run_names_is_compared_with_the_one_that_is_given(folder: Path) -> None:
    (folder / "s.sh").write_bytes((folder / SCRIPT).read_bytes())
    gpu = RecordedGpu(name="NVIDIA H800", memory_bytes=85_520_809_984, uuid="GPU-1")
    run = recorded(folder / "run.jsonl", folder / SCRIPT, gpus=(gpu, gpu))
    same = rlbot("verify", "s.sh", "--run", run, "--device", "h800", "-v", cwd=folder)
    assert "consistent    device claimed h800, observed 2 × NVIDIA H800" in same.out
    other = rlbot("verify", "s.sh", "--run", run, "--device", "h20", cwd=folder)
    assert other.status == 1
    assert "Neither name nor memory allow h20: the run was on another device." in other.out
    maker = rlbot("verify", "s.sh", "--run", run, "--device", "nvidia", "-v", cwd=folder)
    assert "consistent    device observed 2 × NVIDIA H800" in maker.out


def test_a_run_that_was_not_read_is_not_asked_for_again(folder: Path) -> None:
    (folder / "s.sh").write_bytes((folder / SCRIPT).read_bytes())
    run = recorded(folder / "run.jsonl", folder / SCRIPT)
    run.write_bytes(run.read_bytes().replace(b"grpo", b"gppo", 1))
    done = rlbot("verify", "s.sh", "--run", run, cwd=folder)
    assert "run.jsonl was changed after it was recorded" in done.out
    for cell in ("MaxBatch is left open", "The version of vllm is unknown"):
        assert f"{cell} because the run was not read." in done.out
    assert "states none, and the run was not read; name the script" in done.out
    without = rlbot("verify", "s.sh", cwd=folder)
    assert "or give its run" in without.out
    assert "because no run shows which batch fits; give the run" in without.out


def test_a_page_that_is_too_long_is_told_beside_the_row(folder: Path) -> None:
    (folder / "long.rst").write_text("x\n" * 3_000_000)
    for words in (("table", "add", "long.rst", SCRIPT), ("table", "check", "long.rst")):
        done = rlbot(*words, cwd=folder)
        assert done.status in (2, 3)
        assert "long.rst has 6,000,000 characters, more than the" in done.out + done.err


def test_what_is_no_page_has_no_rows_to_check(folder: Path) -> None:
    (folder / "README.md").write_text("# A repository\n")
    for page in ("README.md", SCRIPT):
        checked = rlbot("table", "check", page, cwd=folder)
        assert checked.status == 3
        assert f"{page} has no section named after a model size and no table" in checked.out
        assert "table add" not in checked.out
    assert rlbot("table", "add", "README.md", SCRIPT, cwd=folder).status == 3


@pytest.mark.parametrize(
    "words",
    [
        ("estimate", SCRIPT, "--run"),
        ("verify", SCRIPT, "--run"),
        ("table", "add", PAGE, SCRIPT, "--run"),
        ("bisect", "read", SCRIPT),
    ],
)
@pytest.mark.parametrize("run", ["train.lgo", "runs.db#one"])
def test_a_run_that_is_not_there_is_wrong_usage(
    folder: Path, words: tuple[str, ...], run: str
) -> None:
    done = rlbot(*words, run, cwd=folder)
    assert (done.status, done.out) == (2, "")
    assert f"{run} does not exist: a run is a link, what a tracker wrote, such as" in done.err


@pytest.mark.parametrize("words", [("estimate", SCRIPT, "--run"), ("verify", SCRIPT, "--run")])
def test_a_run_that_says_nothing_could_not_be_checked(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "empty").mkdir()
    done = rlbot(*words, "empty", cwd=folder)
    assert done.status == 3
    assert "empty is an empty folder: give the folder of a run." in done.out + done.err
