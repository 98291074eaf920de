"""The writer of real runs as a command, as the demonstration uses it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from bot.evidence import read
from tests.evidence.samples import CONFIG

ROOT = Path(__file__).resolve().parents[2]


def processes() -> set[str]:
    """Command lines of W&B's service that run on this machine."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes()
        except OSError:
            continue
        if b"wandb-core" in line:
            found.add(entry.parent.name)
    return found


def test_the_command_writes_a_run_quietly_and_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    before = processes()
    command = (
        *(sys.executable, "-m", "tests.runs.writer", str(tmp_path / "out")),
        *("--config", str(tmp_path / "config.json"), "--steps", "30", "--gpu", "NVIDIA H800"),
        *("--gpus", "8", "--memory-bytes", "85520809984", "--peak-gib", "71.2"),
        *("--run-id", "demo1", "--entity", "someone", "--project", "tuning"),
        *("--package", "vllm==0.8.3", "--line", "hello"),
    )
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stderr == ""
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path / "out" / "wandb"
    deadline = time.monotonic() + 300
    while processes() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes() <= before
    facts = read(folder)
    assert (facts.run.id, facts.run.entity, facts.run.project) == ("demo1", "someone", "tuning")
    assert (facts.history_rows, facts.host_gpu_count, facts.exit_code) == (30, 8, 0)
    assert facts.system[0].maximum == round(71.2 * 2**30)
    assert facts.requirements["vllm"] == "0.8.3"
    assert facts.config == CONFIG
    assert "hello" in (folder / "files" / "output.log").read_text()
    assert not any(path.is_symlink() and not path.exists() for path in folder.rglob("*"))
