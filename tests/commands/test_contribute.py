"""`rlbot contribute`: from a run to its script, its row, its branch and its pull request."""

from __future__ import annotations

import importlib
import os
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.command import Result, rlbot
from tests.github.conftest import here, server
from tests.github.world import PAGE, SCRIPT, World
from tests.runs.kept import kept_run
from tests.runs.recipe import RunRecipe

__all__ = ["here", "server"]

CONFIG = importlib.import_module("examples.demo.__main__").CONFIG
RECIPE = RunRecipe(config=CONFIG)
ROOT = Path(__file__).resolve().parents[2]
BRANCH = "tuning/qwen2.5-7b_grpo_2_h800_fsdp_vllm"


def git(folder: Path, *arguments: str) -> str:
    """What git prints, without the machine's own configuration."""
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=quiet).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a repository with the page, by a person whom GitHub knows as ada-l."""
    folder = tmp_path / "clone"
    (folder / PAGE).parent.mkdir(parents=True)
    (folder / PAGE).write_bytes((ROOT / PAGE).read_bytes())
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(folder))
    _person(folder)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "The page")
    return folder


def _person(folder: Path) -> None:
    git(folder, "config", "user.name", "Ada Lovelace")
    git(folder, "config", "user.email", "1+ada-l@users.noreply.github.com")


def _contribute(folder: Path, *arguments: str | Path, **more: object) -> Result:
    return rlbot("contribute", *arguments, cwd=folder, **more)  # type: ignore[arg-type]


def test_one_command_from_a_run_to_a_branch(clone: Path, snapshot: SnapshotAssertion) -> None:
    run = kept_run(RECIPE)
    (clone / "other.txt").write_text("not a part of it")
    done = _contribute(clone, run, "--yes")
    assert done.status == 0
    assert done.out.replace(str(run), "RUN").replace(run.name, "RUN") == snapshot

    assert git(clone, "branch", "--show-current") == f"{BRANCH}\n"
    changed = git(clone, "diff", "--name-only", "main", BRANCH).split()
    assert sorted(changed) == sorted([PAGE, SCRIPT])
    assert (clone / SCRIPT).stat().st_mode & 0o111
    assert rlbot("lint", SCRIPT, cwd=clone).status == 0
    checked = rlbot("pr", "--base", "main", "--run", run, cwd=clone)
    assert checked.out.startswith("**Ready")


def test_nothing_is_written_unless_somebody_agrees(clone: Path) -> None:
    run = kept_run(RECIPE)
    for options in ((), ("--dry-run",)):
        done = _contribute(clone, run, *options)
        assert done.status == 0
        assert git(clone, "status", "--porcelain") == ""
        assert git(clone, "branch", "--list") == "* main\n"
    assert "--yes writes without asking" in _contribute(clone, run).err


def test_a_branch_that_is_there_is_left_alone(clone: Path) -> None:
    git(clone, "branch", BRANCH)
    done = _contribute(clone, kept_run(RECIPE), "--yes")
    assert (done.status, git(clone, "status", "--porcelain")) == (2, "")
    assert f"There is a branch {BRANCH} already" in done.err


def test_what_the_run_does_not_say_is_asked_for(clone: Path) -> None:
    nameless = kept_run(RECIPE.but(gpu=None))
    done = _contribute(clone, nameless, "--yes")
    assert (done.status, git(clone, "status", "--porcelain")) == (2, "")
    assert "needs [device], which the run does not say" in done.err
    other = kept_run(RECIPE.but(config={"lr": 1e-5}))
    assert "not those of verl or OpenRLHF" in _contribute(clone, other).err
    assert "is not inside a git repository" in _contribute(clone.parent, nameless).err


def test_without_a_folder_of_scripts_the_script_is_asked_for(clone: Path) -> None:
    (clone / ".rlbot.yml").write_text("scripts: []\n")
    done = _contribute(clone, kept_run(RECIPE), "--yes")
    assert done.status == 2
    assert "names no folder of scripts" in done.err


def test_a_script_that_is_there_gets_its_row(clone: Path) -> None:
    (clone / SCRIPT).parent.mkdir(parents=True)
    (clone / SCRIPT).write_bytes((ROOT / SCRIPT).read_bytes())
    run = kept_run(RECIPE)
    done = _contribute(clone, run, "--script", SCRIPT, "--yes")
    assert done.status in (0, 1)
    committed = git(clone, "log", "--format=%s", "main..HEAD").strip()
    assert bool(committed) == (done.status == 0)


def test_the_script_of_the_run_is_known_where_it_stands(clone: Path) -> None:
    (clone / SCRIPT).parent.mkdir(parents=True)
    (clone / SCRIPT).write_bytes((ROOT / SCRIPT).read_bytes())
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message", "The script")
    done = _contribute(clone, kept_run(RECIPE), "--yes")
    assert done.status == 0
    assert f"{SCRIPT} is there already, and is what the run ran: its row is made" in done.err
    assert git(clone, "diff", "--name-only", "main", BRANCH) == f"{PAGE}\n"


@pytest.mark.parametrize(
    ("setting", "other"),
    [("train_batch_size=1024", "train_batch_size=512"), ("trainer.critic_warmup=0\n", "\n")],
)
def test_another_script_of_that_name_is_left_alone(clone: Path, setting: str, other: str) -> None:
    """One with another setting, and one that leaves to the release what the run was given."""
    (clone / SCRIPT).parent.mkdir(parents=True)
    text = (ROOT / SCRIPT).read_text(encoding="utf-8")
    (clone / SCRIPT).write_text(text.replace(setting, other), encoding="utf-8")
    trainer = {**CONFIG["trainer"], "critic_warmup": 3} if other == "\n" else CONFIG["trainer"]
    run = kept_run(RECIPE.but(config={**CONFIG, "trainer": trainer}))
    for options in ((), ("--yes",), ("--dry-run",), ("--dry-run", "--yes")):
        done = _contribute(clone, run, *options)
        assert (done.status, done.out) == (2, "")
        assert f"{SCRIPT} is there already, and is not the script that the run gives" in done.err
    assert git(clone, "branch", "--list") == "* main\n"


def test_what_opening_needs_is_asked_for_first(clone: Path) -> None:
    done = _contribute(clone, kept_run(RECIPE), "--yes", "--open")
    assert (done.status, done.out) == (2, "")
    assert "--open needs GITHUB_TOKEN, a remote origin, and --to OWNER/REPO" in done.err
    assert git(clone, "branch", "--list") == "* main\n"


def test_errors_are_settled_first(clone: Path) -> None:
    broken = kept_run(RECIPE.but(peak_gib=200.0))
    done = _contribute(clone, broken, "--yes")
    assert done.status == 1
    assert "Nothing was written: settle the errors first." in done.err
    assert git(clone, "status", "--porcelain") == ""


def test_it_opens_the_pull_request_and_that_is_ready(here: World, tmp_path: Path) -> None:
    address, run = "https://github.com/verl-project/verl", kept_run(RECIPE)
    folder, base = tmp_path / "clone", here.base
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(folder))
    # The repositories of the stand-in are folders of references in one of git's.
    for key, value in {
        "remote.origin.url": address,
        f"url.{base.objects.folder}.insteadOf": address,
        "remote.origin.fetch": f"+{base.ref('*')}:refs/remotes/origin/*",
        "remote.origin.push": f"refs/heads/*:{base.ref('*')}",
    }.items():
        git(folder, "config", key, value)
    git(folder, "fetch", "--quiet", "origin")
    git(folder, "reset", "--quiet", "--hard", "origin/main")
    _person(folder)
    environment = here.server.environment(here.store.workflow_token(here.base))
    done = _contribute(folder, run, "--yes", "--open", environment=environment)
    assert done.status == 0, done.err
    assert "Opened " in done.out
    (pull,) = here.store.pulls.values()
    assert (pull.head_branch, pull.title.split(":")[0]) == (BRANCH, "Add a tuning script")
    assert pull.head == git(folder, "rev-parse", "HEAD").strip()
    said = rlbot("pr", "verl-project/verl#1", "--run", run, "--offline", environment=environment)
    assert said.out.startswith("**Ready"), said.out
