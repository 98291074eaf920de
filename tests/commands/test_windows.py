"""What runs where Python has no more than on Windows: no folders held open, no locks, no forks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree

import pytest

from bot.base.extras import missing_library
from tests.command import ROOT

SCRIPT = ROOT / "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
RECORD = "record runs on Linux alone; elsewhere keep the console log or a tracker's run"
WINDOWS = """
import os, signal, sys
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for module, names in (
    (os, "O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fork getpgrp getuid killpg nice"),
    (os, "sched_getaffinity sysconf tcgetpgrp"),
    (signal, "SIGALRM SIGHUP SIGPIPE SIGQUIT SIGUSR1 pthread_sigmask setitimer sigwaitinfo"),
):
    for name in names.split():
        delattr(module, name)
os.supports_dir_fd = os.supports_fd = set()
real_open = os.open
def windows_open(path, flags, mode=0o777, *, dir_fd=None):
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return real_open(path, flags, mode)
os.open = windows_open
from bot.commands.cli import main
sys.exit(main(sys.argv[1:]))
"""


def windows(*arguments: str | Path, cwd: Path) -> tuple[int, str]:
    """Status and output of a command, started as on Windows."""
    done = subprocess.run(
        [sys.executable, "-c", WINDOWS, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={"PYTHONPATH": str(ROOT), "HOME": str(cwd)},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["lint", "estimate", "verify"])
def test_a_script_is_read(tmp_path: Path, command: str) -> None:
    status, said = windows(command, SCRIPT, cwd=tmp_path)
    assert status == (3 if command == "verify" else 0), said  # no run is linked


@pytest.mark.parametrize("words", [["--help"], ["recommend", "2x4090"]])
def test_what_needs_no_script(tmp_path: Path, words: list[str]) -> None:
    status, said = windows(*words, cwd=tmp_path)
    assert status == 0, said


def test_a_fix_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"python3 -m verl.trainer.main_ppo trainer.nnode=1\r\n")
    _, said = windows("lint", "--fix", "--unsafe", "--select", "unknown-key", path, cwd=tmp_path)
    assert path.read_bytes() == b"python3 -m verl.trainer.main_ppo trainer.nnodes=1\r\n", said
    assert list(tmp_path.iterdir()) == [path]


def test_scripts_are_written_and_never_over_others(tmp_path: Path) -> None:
    words = ("recommend", "2x4090", "Qwen3-8B", "lora", "--write", "scripts/")
    status, said = windows(*words, cwd=tmp_path)
    assert status == 0, said
    assert len(list((tmp_path / "scripts").glob("8b/*.sh"))) == 1
    status, said = windows(*words, cwd=tmp_path)
    assert (status, "is there already" in said) == (2, True)


def test_the_page_is_corrected(tmp_path: Path) -> None:
    copytree(ROOT / "examples/tuning", tmp_path / "examples/tuning")
    page = Path(copy(ROOT / "docs/perf/device_tuning.rst", tmp_path))
    right = page.read_bytes()
    page.write_bytes(right.replace(b"2*H800", b"4*H800"))
    windows("table", "check", "--fix", page.name, cwd=tmp_path)
    assert page.read_bytes() == right


def test_a_checkout_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "verl/trainer/config"
    folder.mkdir(parents=True)
    (folder / "ppo_trainer.yaml").write_text("trainer:\n  nodes: 1\n", encoding="utf-8")
    (tmp_path / "run.sh").write_text("python3 -m verl.trainer.main_ppo trainer.node=1\n", "utf-8")
    _, said = windows("lint", "--framework-tree", ".", "run.sh", cwd=tmp_path)
    assert "trainer.nodes" in said


def test_recording_says_where_it_runs(tmp_path: Path) -> None:
    status, said = windows("record", "--", "true", cwd=tmp_path)
    assert (status, RECORD in said) == (2, True)


def test_what_else_needs_locks_says_so() -> None:
    known = missing_library(ModuleNotFoundError(name="fcntl"))
    assert str(known) == "This runs on Linux and macOS alone: it needs what Windows does not have."
