"""The demo, as `make demo` runs it: the comment is the one that a pull request would get."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from tests.command import ROOT
from tools.schemas import report_schema


def test_the_demo_prints_the_comment_with_a_correct_row(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    out = tmp_path / "demo"
    done = subprocess.run(
        [sys.executable, "-m", "examples.demo", "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    comment = (out / "comment.md").read_text(encoding="utf-8")
    assert comment in done.stdout
    assert "comment.html" in done.stdout
    # The one thing that differs from run to run is the time in the run folder's name.
    assert re.sub(r"offline-run-\d{8}\\?_\d{6}", "offline-run-TIME", comment) == snapshot

    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    Draft202012Validator(report_schema()).validate(report)
    (script,) = report["scripts"]
    row = script["row"]
    assert [row["tag"], row["model"], row["task"], row["resource"], row["max_batch"]] == [
        *("MIN", "Qwen2.5-7B", "GRPO", "2*H800", "1024")
    ]
    assert [row["train"], row["infer"], row["contributor"]] == ["fsdp", "vllm0.24.0", "ada"]
    assert script["evidence"]["peak_gib"] == 71.2
    verified = (out / "verify.md").read_text(encoding="utf-8")
    assert "sources agree" in verified
    assert "verify.md" in done.stdout
    page = (out / "comment.html").read_text(encoding="utf-8")
    assert "<table>" in page
    assert "<script" not in page
