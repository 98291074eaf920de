"""What `rlbot contribute` does to the clone: a commit that says what it is, or nothing at all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.command import ROOT, Result, rlbot
from tests.record.made import recorded

SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
PAGE = "docs/perf/device_tuning.rst"
BRANCH = "tuning/qwen2.5-7b_grpo_2_h800_fsdp_vllm"
ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    environment = {**os.environ, **ALONE}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a person whom only git knows, with the script and its row of another one."""
    folder = tmp_path / "clone"
    for name in (SCRIPT, PAGE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / SCRIPT).chmod(0o755)
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(folder))
    git(folder, "remote", "add", "origin", "https://github.com/rlbot-tuning/rlbot.git")
    git(folder, "config", "user.name", "me")
    git(folder, "config", "user.email", "a@b.c")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


def contribute(folder: Path, steps: int, *words: str, **environment: str) -> Result:
    run = folder.parent / f"{steps}.jsonl"
    if not run.exists():
        recorded(run, ROOT / SCRIPT, steps=steps)
    return rlbot("contribute", run, *words, cwd=folder, environment={**ALONE, **environment})


def without_script(folder: Path) -> None:
    """The clone before the script and its row."""
    (folder / SCRIPT).unlink()
    page = (folder / PAGE).read_text(encoding="utf-8")
    start = page.index("    * - MIN\n      - Qwen2.5-7B\n      - GRPO\n      - 2*H800\n")
    end = page.index("\n8B\n")
    (folder / PAGE).write_text(page[:start] + page[end:], encoding="utf-8")
    git(folder, "commit", "--quiet", "--all", "--message", "Before")


def state(folder: Path) -> tuple[str, ...]:
    """What git and the disk hold."""
    files = sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if ".git" not in f.parts)
    return (
        git(folder, "status", "--porcelain"),
        git(folder, "for-each-ref"),
        git(folder, "symbolic-ref", "HEAD"),
        git(folder, "diff", "--cached"),
        *files,
    )


def test_a_row_keeps_its_contributor_and_the_commit_says_what_it_changes(clone: Path) -> None:
    done = contribute(clone, 20, "--script", SCRIPT, "--yes")
    assert "rlbot-tuning <https://github.com/rlbot-tuning>" in done.out
    title = "Update the row of a tuning script: Qwen2.5-7B, GRPO, 2*H800"
    assert git(clone, "log", "-1", "--format=%s") == f"{title}\n"
    added = git(clone, "diff", "--unified=0", "main", BRANCH).splitlines()
    assert [line for line in added if line[0] in "+-"][2:] == ["-      - \\", "+      - 1024"]
    # The change holds no script that a run could be compared with.
    assert f"rlbot verify {SCRIPT} --run {clone.parent}/20.jsonl --format markdown" in done.out
    compared = rlbot("pr", "--base", "main", "--run", clone.parent / "20.jsonl", cwd=clone)
    assert compared.status == 3
    assert "--run was not compared: the change holds no tuning script" in compared.err


def test_a_run_that_is_not_there_is_wrong_usage(clone: Path) -> None:
    done = rlbot("contribute", "nope", cwd=clone)
    assert (done.status, done.out) == (2, "")
    assert "nope does not exist: a run is a link" in done.err


def test_a_person_whom_only_git_knows_is_not_credited(clone: Path) -> None:
    without_script(clone)
    done = contribute(clone, 20, "--device", "h800", "--yes")
    assert git(clone, "log", "-1", "--format=%s").startswith("Add a tuning script: Qwen2.5-7B")
    added = git(clone, "show", "--format=", BRANCH)
    assert "a@b.c" not in added
    assert "The contributor is unknown; write a comment `# contributor: LOGIN`" in done.out
    compared = rlbot("pr", "--base", "main", "--run", clone.parent / "20.jsonl", cwd=clone)
    assert "a@b.c" not in compared.out + compared.err
    assert "was not compared" not in compared.err


def test_a_login_is_credited_where_nobody_stands(clone: Path) -> None:
    without_script(clone)
    git(clone, "config", "user.email", "1+ada-l@users.noreply.github.com")
    contribute(clone, 20, "--device", "h800", "--yes")
    assert "+      - `ada-l <https://github.com/ada-l>`_" in git(clone, "show", BRANCH)


def test_what_stands_already_is_not_committed(clone: Path) -> None:
    before = state(clone)
    done = contribute(clone, 1, "--script", SCRIPT, "--yes")
    assert "Nothing was written: the script and its row are there already." in done.err
    assert state(clone) == before


def test_a_script_that_stands_there_is_known_by_its_settings(clone: Path) -> None:
    done = contribute(clone, 1, "--device", "h800", "--dry-run")
    assert f"{SCRIPT} is there already, and is what the run ran" in done.err
    assert "37 of 37 settings" in done.out
    text = (clone / SCRIPT).read_text(encoding="utf-8")
    (clone / SCRIPT).write_text(text.replace("rollout.n=5", "rollout.n=8"), encoding="utf-8")
    done = contribute(clone, 1, "--device", "h800", "--dry-run")
    assert (done.status, done.out) == (2, "")
    assert f"{SCRIPT} is there already, and is not the script that the run gives" in done.err


def test_a_written_script_has_the_release_of_the_one_that_ran(clone: Path) -> None:
    done = contribute(clone, 1, "--device", "h20", "--dry-run")
    assert done.out.startswith("#!/usr/bin/env bash\n# verl: 0.9.1\n")
    assert "the run does not say the release" not in done.err
    # What the run is called stays, and that it says another card is told.
    assert "trainer.experiment_name=qwen2.5-7b-grpo-2-h800 " in done.out
    assert '"qwen2.5-7b-grpo-2-h800", which says H800; the script is for H20' in done.err
    shouted = contribute(clone, 1, "--device", "H20", "--dry-run")
    assert (shouted.out, shouted.err) == (done.out, done.err)
    (clone / SCRIPT).unlink()
    same = contribute(clone, 1, "--device", "h800", "--dry-run")
    assert "which says" not in same.err


def test_without_a_release_the_newest_that_has_the_settings_is_taken(clone: Path) -> None:
    text = (ROOT / SCRIPT).read_text(encoding="utf-8").replace("# verl: 0.9.1\n", "")
    (clone.parent / "bare.sh").write_text(text, encoding="utf-8")
    run = recorded(clone.parent / "bare.jsonl", clone.parent / "bare.sh")
    words = ("contribute", run, "--device", "h20", "--dry-run")
    done = rlbot(*words, cwd=clone)
    assert "the run does not say the release of verl; 0.9.1 is the newest that has" in done.err
    (clone / ".rlbot.yml").write_text('framework: {verl: "0.8.0"}\n')
    assert "# verl: 0.8.0\n" in rlbot(*words, cwd=clone).out


def test_a_recorded_run_of_openrlhf_gives_its_script(clone: Path) -> None:
    name = "examples/tuning/8b/llama-3.1-8b_ppo_8_a100_deepspeed_vllm.sh"
    text = (ROOT / name).read_text(encoding="utf-8").replace(': "${WANDB_API_KEY', '# "${X')
    (clone.parent / "ppo.sh").write_text(text.replace('"$WANDB_API_KEY"', "True"), encoding="utf-8")
    run = recorded(clone.parent / "ppo.jsonl", clone.parent / "ppo.sh")
    done = rlbot("contribute", run, "--device", "b200", "--dry-run", cwd=clone)
    assert "# openrlhf: 0.11.2\nset -x\n\npython3 -m openrlhf.cli.train_ppo_ray" in done.out
    assert "8b/llama-3.1-8b_ppo_8_b200_deepspeed_vllm.sh" in done.out


def test_without_a_person_nothing_is_touched(clone: Path) -> None:
    for key in ("user.name", "user.email"):
        git(clone, "config", "--unset", key)
    git(clone, "config", "user.useConfigOnly", "true")
    before = state(clone)
    done = contribute(clone, 20, "--script", SCRIPT, "--yes", HOME="/nonexistent")
    assert done.status == 2
    assert "`git config user.name NAME` and `git config user.email ADDRESS`" in done.err
    assert state(clone) == before


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize("hook", ["pre-commit", "post-checkout"])
def test_a_commit_that_fails_leaves_the_clone_as_it_was(clone: Path, new: bool, hook: str) -> None:
    if new:
        without_script(clone)
    (clone / "other.txt").write_text("staged")
    git(clone, "add", "other.txt")
    (clone / "other.txt").write_text("and changed")
    before = state(clone)
    refusal = clone / ".git" / "hooks" / hook
    refusal.parent.mkdir(exist_ok=True)
    refusal.write_text("#!/bin/sh\necho refused >&2\nexit 1\n")
    refusal.chmod(0o755)
    script = ("--device", "h800") if new else ("--script", SCRIPT)
    done = contribute(clone, 20, *script, "--yes")
    assert done.status == 2
    assert "Nothing was committed, and the clone is as it was. git " in done.err
    assert " failed: refused\n" in done.err
    assert state(clone) == before
    refusal.unlink()
    contribute(clone, 20, *script, "--yes")
    assert git(clone, "branch", "--show-current") == f"{BRANCH}\n"


def test_a_detached_head_stays_one(clone: Path) -> None:
    git(clone, "switch", "--quiet", "--detach")
    head = (clone / ".git" / "HEAD").read_text()
    refusal = clone / ".git" / "hooks" / "pre-commit"
    refusal.parent.mkdir(exist_ok=True)
    refusal.write_text("#!/bin/sh\nexit 1\n")
    refusal.chmod(0o755)
    assert contribute(clone, 20, "--script", SCRIPT, "--yes").status == 2
    assert (clone / ".git" / "HEAD").read_text() == head
    assert git(clone, "branch", "--list", BRANCH) == ""


def test_a_branch_that_is_checked_out_is_not_to_be_removed_at_once(clone: Path) -> None:
    assert "committed" in contribute(clone, 20, "--script", SCRIPT, "--yes").err
    git(clone, "reset", "--quiet", "--hard", "main")
    again = contribute(clone, 20, "--script", SCRIPT, "--yes")
    assert again.status == 2
    assert "switch to another branch and remove it with `git branch -D" in again.err
