"""A run that was too short shows no batch: neither a row nor a page takes one from it."""

from __future__ import annotations

from pathlib import Path

import pytest

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
