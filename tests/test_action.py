"""The Action's own steps, taken from `action.yml` and run by real bash and git."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_local_change import Repository

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"


def _action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def _step(name: str) -> dict[str, Any]:
    steps: list[dict[str, Any]] = _action()["runs"]["steps"]
    return next(step for step in steps if step["name"] == name)


def test_no_step_interpolates_anything_into_its_script() -> None:
    for step in _action()["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_the_installation_takes_only_what_the_locks_name() -> None:
    lines = [line.strip() for line in _step("Install")["run"].splitlines() if "pip install" in line]
    assert len(lines) == 3
    assert all("--require-hashes" in line or "--no-deps" in line for line in lines)


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    folder = tmp_path / "upstream"
    folder.mkdir()
    repository = Repository(folder)
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repository.write("README.md", "a project\n")
    repository.commit()
    return repository


def _check(upstream: Repository, tmp_path: Path) -> tuple[int, str, str]:
    """Exit status, step summary and output of the check of the newest commit."""
    temp = tmp_path / "runner"
    temp.mkdir()
    (temp / "rlbot").symlink_to(Path(sys.executable).parents[1])
    summary, output = tmp_path / "summary.md", tmp_path / "output"
    output.touch()
    done = subprocess.run(
        ["bash", "-c", _step("Check")["run"]],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "RUNNER_TEMP": str(temp),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
            "BASE": upstream.git("rev-parse", "HEAD~1"),
            "HEAD": upstream.git("rev-parse", "HEAD"),
            "REPOSITORY": upstream.folder.as_uri(),
            "TOKEN": "not-a-token",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert "not-a-token" not in done.stdout + done.stderr
    return done.returncode, summary.read_text(encoding="utf-8"), output.read_text(encoding="utf-8")


def test_a_change_without_tuning_scripts_gets_no_word(upstream: Repository, tmp_path: Path) -> None:
    upstream.write("README.md", "another word\n")
    upstream.commit("docs")
    assert _check(upstream, tmp_path) == (0, "", "verdict=pass\n")


def test_a_script_without_a_run_is_inconclusive_and_does_not_fail(
    upstream: Repository, tmp_path: Path
) -> None:
    upstream.write(SCRIPT, (ROOT / SCRIPT).read_bytes())
    upstream.commit("script")
    status, summary, output = _check(upstream, tmp_path)
    assert (status, output) == (0, "verdict=inconclusive\n")
    assert "No run is linked" in summary


def test_a_broken_script_fails(upstream: Repository, tmp_path: Path) -> None:
    broken = (ROOT / SCRIPT).read_text(encoding="utf-8").replace("lora_rank", "lora_rnk")
    upstream.write(SCRIPT, broken)
    upstream.commit("script")
    status, summary, output = _check(upstream, tmp_path)
    assert (status, output) == (1, "verdict=fail\n")
    assert "RLB020" in summary
