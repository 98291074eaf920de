"""The workflows and the Action as files: linted, pinned, documented, and installed by hash."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.github.runner import WORKFLOWS
from tests.github.world import ROOT

FILES = [*sorted(WORKFLOWS.glob("*.yml")), *sorted((ROOT / ".github/workflows").glob("*.yml"))]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def _tool(name: str, *arguments: str | Path) -> tuple[int, str]:
    tool = Path(sys.executable).with_name(name)
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _zizmor(*paths: Path) -> tuple[int, str]:
    return _tool("zizmor", "--offline", "--quiet", "--no-config", *paths)


def _read(path: Path) -> dict[str, Any]:
    # YAML 1.1 takes `on` for true.
    text = re.sub(r"^on:", '"on":', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


@pytest.mark.process
def test_actionlint_finds_nothing() -> None:
    assert len(FILES) >= 6
    assert _tool("actionlint", *FILES) == (0, "")


@pytest.mark.process
def test_zizmor_finds_nothing() -> None:
    status, said = _zizmor(*FILES, ROOT / "action.yml")
    assert status == 0, said


@pytest.mark.process
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "      - uses:",
            '      - run: echo "${{ github.event.pull_request.title }}"\n      - uses:',
        ),
        ("      - uses:", "      - uses: a/b@main\n      - uses:"),
        (" # zizmor: ignore[dangerous-triggers] nothing of the pull request is run", ""),
    ],
)
def test_t2_zizmor_would_find_it(tmp_path: Path, old: str, new: str) -> None:
    place = tmp_path / ".github" / "workflows" / "x.yml"
    place.parent.mkdir(parents=True)
    text = (WORKFLOWS / "pull-request-target.yml").read_text(encoding="utf-8")
    assert old in text
    place.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert _zizmor(place)[0] != 0


def test_t2_no_script_holds_an_expression() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    for path in FILES:
        for job in _read(path)["jobs"].values():
            scripts += [step["run"] for step in job["steps"] if "run" in step]
    assert len(scripts) >= 4
    assert [script for script in scripts if "${{" in script] == []


@EACH
def test_t1_no_privileged_workflow_checks_anything_out(path: Path) -> None:
    workflow = _read(path)
    privileged = {"pull_request_target", "workflow_run", "issue_comment"} & set(workflow["on"])
    text = path.read_text(encoding="utf-8")
    if privileged:
        assert "checkout@" not in text
        assert "run:" not in re.sub(r"workflow_run|#.*", "", text)
        assert "secrets." not in text


@EACH
def test_workflows_are_bounded(path: Path) -> None:
    workflow = _read(path)
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["group"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60


@EACH
def test_t21_actions_are_pinned_to_commits(path: Path) -> None:
    for name in re.findall(r"uses:\s*(\S+)", path.read_text(encoding="utf-8")):
        assert re.search(r"@[0-9a-f]{40}\Z", name), name


def test_t21_the_action_uses_pinned_actions_and_no_container() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert all(re.search(r"@[0-9a-f]{40}\Z", name) for name in used)
    assert ACTION["runs"]["using"] == "composite"
    assert "docker" not in (ROOT / "action.yml").read_text(encoding="utf-8").lower()


def test_t21_the_installation_takes_only_what_the_locks_name() -> None:
    (install,) = [step["run"] for step in STEPS if step["name"] == "Install"]
    commands = re.findall(r"pip .*install.*", install.replace("\\\n", " "))
    assert len(commands) == 2  # uv, and the function that installs with it
    for command in commands:
        assert "--require-hashes" in command
        assert "--no-deps" in command
    for name in re.findall(r"\$locks/(\w+\.txt)", install):
        lock = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        pinned = re.findall(
            r"^[A-Za-z0-9_.-]+==\S+.*(?:\n +--hash=sha256:[0-9a-f]{64}.*)+", lock, re.M
        )
        assert len(pinned) == len(re.findall(r"^[A-Za-z]", lock, re.MULTILINE)) > 0
    # The App's own dependencies are no part of it.
    assert "service" not in install
    assert "dev" not in install


def test_the_guide_shows_the_files() -> None:
    guide = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    files = {path.read_text(encoding="utf-8") for path in WORKFLOWS.glob("*.yml")}
    assert set(blocks) == files
    short = re.search(r"```yaml\n(.*?)```", (ROOT / "docs/maintainers.md").read_text(), re.DOTALL)
    assert short
    assert len(short[1].splitlines()) == 10


def test_the_action_is_pinned_to_a_commit_that_the_reader_fills_in() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*FILES, ROOT / "docs/maintainers.md")]
    pins = {pin for text in texts for pin in re.findall(r"rlbot-tuning/rlbot@(\S+)", text)}
    # A commit of ours would be an old one for every reader, and could be gone from the history.
    assert pins == {"0" * 40}
    for guide in ("docs/action.md", "docs/maintainers.md"):
        text = (ROOT / guide).read_text(encoding="utf-8")
        assert "in the place of the zeros" in text
        assert len(re.findall(r"rlbot@0{40} # put a commit here\n", text)) == text.count("rlbot@")


def test_the_inputs_that_the_front_end_reads_are_those_of_the_action() -> None:
    (check,) = [step for step in STEPS if step["name"] == "Check"]
    code = (ROOT / "bot" / "commands" / "action.py").read_text(encoding="utf-8")
    read = set(re.findall(r'_(?:input|yes|choice)\((?:self\.)?environment, "(\w+)"[,)]', code))
    given = {name.removeprefix("RLBOT_INPUT_") for name in check["env"] if "_INPUT_" in name}
    assert read == given
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])
    assert set(re.findall(r'"([a-z-]+)": step\.', code)) == set(ACTION["outputs"])
