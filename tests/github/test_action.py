"""The Action: events, outputs, what is printed, what a read-only token leaves."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from unittest import mock

import pytest

from bot.base.errors import UserError
from bot.github.actions import Ignored, OfHead, pulls_with, subject_of
from bot.service.metrics import Metrics
from tests.commands.test_branches import SCRIPT as TWO_WAYS
from tests.conftest import WrittenRun
from tests.github.runner import pull_event, run_event, step
from tests.github.store import READ_ONLY, Pull
from tests.github.world import BROKEN, GOOD, ROOT, SCRIPT, World
from tests.runs.recipe import RunRecipe
from tests.trackers.mlflow_server import Mlflow
from tests.wandb_server.server import Wandb
from tests.wandb_server.upload import sync

pytestmark = pytest.mark.usefixtures("unpaced")

TARGET = "pull_request_target"


def test_a_change_without_tuning_scripts_gets_no_word(here: World, tmp_path: Path) -> None:
    pull = here.pull({"README.md": "another word\n"})
    ran = step(here, tmp_path, TARGET, pull_event(here, pull))
    assert (ran.status, ran.summary) == (0, "")
    assert ran.outputs == {"verdict": "none", "report": "", "comment-url": ""}
    assert (pull.comments, here.store.checks) == ([], [])


def test_outputs(here: World, tmp_path: Path) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    ran = step(here, tmp_path, TARGET, pull_event(here, pull))
    assert ran.status == 1
    assert ran.outputs is not None
    assert ran.outputs["verdict"] == "fail"
    assert ran.outputs["comment-url"].endswith(f"#issuecomment-{pull.comments[0].id}")
    assert json.loads(ran.report)["verdict"] == "fail"
    assert ran.summary.startswith("**Not ready")
    # Who opens the log of a step that failed reads there why.
    assert f"verl-project/verl#{pull.number}: Not ready: 1 script has 1 error." in ran.out
    assert ran.outputs["comment-url"] in ran.out


@pytest.mark.parametrize(
    ("files", "fail_on", "status"),
    [
        (BROKEN, "fail", 1),
        (BROKEN, "never", 0),
        (GOOD, "fail", 0),
        (GOOD, "inconclusive", 1),
    ],
)
def test_what_fails_the_step(
    here: World, tmp_path: Path, files: bytes, fail_on: str, status: int
) -> None:
    pull = here.pull({SCRIPT: files})
    ran = step(here, tmp_path, TARGET, pull_event(here, pull), RLBOT_INPUT_FAIL_ON=fail_on)
    assert ran.status == status


def test_a_summary_that_cannot_be_written_is_said(
    here: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    nowhere = str(tmp_path / "none" / "summary")
    ran = step(here, tmp_path, TARGET, pull_event(here, pull), GITHUB_STEP_SUMMARY=nowhere)
    assert ran.status == 1
    assert "rlbot: GITHUB_STEP_SUMMARY could not be written: no such" in capsys.readouterr().err
    assert pull.comments


def test_a_token_that_can_only_read(here: World, tmp_path: Path) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    ran = step(here, tmp_path, "pull_request", pull_event(here, pull))
    assert ran.status == 1
    assert ran.summary.startswith("> The comment was not posted: The token may not do this here.")
    assert "**Not ready" in ran.summary
    assert "Not ready: 1 script has 1 error.\nThe summary of this workflow run" in ran.out
    assert f"::error file={SCRIPT}" in ran.out
    assert [call.path for call in here.store.calls].count("/graphql post") == 1
    assert pull.comments == []


def test_annotations_stand_once(here: World, tmp_path: Path) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    ran = step(here, tmp_path, TARGET, pull_event(here, pull))
    assert here.store.checks[0].annotations
    assert "::error" not in ran.out
    ran = step(here, tmp_path, TARGET, pull_event(here, pull), RLBOT_INPUT_ANNOTATIONS="always")
    assert "::error file=" in ran.out


@pytest.mark.parametrize("name", ["COMMENT", "CHECK", "FAIL_ON", "ANNOTATIONS", "PULL_REQUEST"])
def test_a_wrong_input_is_a_sentence(here: World, tmp_path: Path, name: str) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    more = {f"RLBOT_INPUT_{name}": "nonsense\n::error::x"}
    ran = step(here, tmp_path, TARGET, pull_event(here, pull), **more)
    assert ran.status == 2
    assert re.search(r"^::error title=rlbot::[a-z-_]+: 'nonsense", ran.out, re.MULTILINE)
    assert here.store.calls == []


def test_a_draft_and_a_closed_pull_request_wait(here: World, tmp_path: Path) -> None:
    payload = pull_event(here, here.pull({SCRIPT: BROKEN}))
    for change in ({"draft": True}, {"state": "closed"}):
        changed = {**payload, "pull_request": {**payload["pull_request"], **change}}
        assert step(here, tmp_path, TARGET, changed).status == 0
    assert here.store.calls == []


def test_a_merge_queue_is_not_held_up(here: World, tmp_path: Path) -> None:
    group = {
        "head_sha": here.base.head("main"),
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-1",
    }
    repository = here.server.views.repository(here.base)
    payload = {"action": "checks_requested", "merge_group": group, "repository": repository}
    ran = step(here, tmp_path, "merge_group", payload)
    assert ran.status == 0
    assert "A merge queue holds what was checked" in ran.out
    assert here.store.calls == []


@pytest.mark.parametrize("event", ["push", "workflow_run", TARGET, "issue_comment", ""])
def test_an_event_that_is_none(event: str) -> None:
    payload: dict[str, object] = {"repository": {"full_name": "verl-project/verl"}}
    with pytest.raises(UserError):
        subject_of(event, payload)
    parts: list[object] = [[], "x", 1.5, None]
    for part in parts:
        others = {"issue": part, "comment": part, "pull_request": part, "workflow_run": part}
        with pytest.raises(UserError):
            subject_of(event, payload | others)


def test_t16_the_pull_request_is_looked_up_by_its_head(here: World, tmp_path: Path) -> None:
    here.pull({"README.md": "first\n"}, branch="other")
    pull = here.pull({SCRIPT: BROKEN})
    payload = run_event(here, pull)
    # What an artifact, or the payload's own list, may claim is not looked at.
    payload["workflow_run"]["pull_requests"] = [{"number": 1}]
    payload["workflow_run"]["display_title"] = "#1"
    ran = step(here, tmp_path, "workflow_run", payload, RLBOT_ARTIFACT="1")
    assert ran.status == 1
    assert len(pull.visible()) == 1
    assert here.store.pulls[here.base.id, 1].comments == []


def test_t16_a_head_that_moved_on_gets_nothing(here: World, tmp_path: Path) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    payload = run_event(here, pull)
    here.push({SCRIPT: GOOD})
    ran = step(here, tmp_path, "workflow_run", payload)
    assert ran.status == 0
    assert "has the head" in ran.out
    assert (pull.comments, here.store.checks) == ([], [])


def test_t16_somebody_elses_branch_of_the_same_name_is_not_meant(here: World) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    other = here.store.fork(here.base, "mallory")
    other.commit("tuning", {SCRIPT: GOOD}, start=here.base.head("main"))
    here.store.pull(here.base, other, "tuning")
    subject = subject_of("workflow_run", run_event(here, pull))
    assert isinstance(subject, OfHead)
    assert [found.number for found in pulls_with(here.client(), subject)] == [pull.number]


@pytest.mark.parametrize("change", [{"event": "push"}, {"head_repository": None}])
def test_t16_a_run_that_is_of_no_pull_request(here: World, change: dict[str, object]) -> None:
    payload = run_event(here, here.pull({SCRIPT: BROKEN}))
    payload["workflow_run"] |= change
    assert isinstance(subject_of("workflow_run", payload), Ignored)


def test_t16_no_workflow_takes_an_artifact() -> None:
    for path in (ROOT / "docs" / "workflows").glob("*.yml"):
        assert "artifact@" not in path.read_text(encoding="utf-8")


def test_t22_nothing_that_is_printed_is_a_command_but_our_own(here: World, tmp_path: Path) -> None:
    name = "examples/tuning/7b/\n::error::owned\r::set-env name=A::b\x85%0A::x.sh"
    text = "::error::owned\n##[error]owned\n::add-mask::e"
    here.base.commit("main", {".rlbot.yml": f"{json.dumps(text)}: 1\n"})
    pull = here.pull({name: BROKEN}, title=text, body=text)
    broken = step(here, tmp_path, "pull_request", pull_event(here, pull))
    assert broken.status == 2
    here.base.commit("main", {".rlbot.yml": None})
    checked = step(here, tmp_path, "pull_request", pull_event(here, pull))
    assert checked.status == 1
    for ran in (broken, checked):
        obeyed = command_lines(ran.out)
        assert obeyed
        for line in obeyed:
            assert re.match(r"::(error|warning|notice) (title=rlbot|file=examples/)", line), line
        assert ran.outputs
        assert set(ran.outputs) == {"verdict", "report", "comment-url"}


def command_lines(out: str) -> list[str]:
    """The lines that the runner takes for commands: all with `::` or `##[`, unless stopped."""
    found, waiting = [], ""
    for line in re.split(r"\r\n|\r|\n", out):
        if waiting:
            waiting = "" if line.strip() == f"::{waiting}::" else waiting
        elif begun := re.match(r"\s*::stop-commands::(\S+)", line):
            waiting = begun[1]
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line)
    assert not waiting
    return found


def test_t22_the_token_and_the_key_stand_in_no_output(here: World, tmp_path: Path) -> None:
    pull = here.pull({SCRIPT: BROKEN})
    token = here.store.workflow_token(here.base, READ_ONLY)
    key = "0123456789abcdef0123456789abcdef01234567"
    ran = step(
        here, tmp_path, "pull_request", pull_event(here, pull), token=token, WANDB_API_KEY=key
    )
    for text in (ran.out, ran.summary, ran.report, str(ran.outputs)):
        assert token not in text
        assert key not in text
    del here.store.tokens[token]
    ran = step(here, tmp_path, "pull_request", pull_event(here, pull), token=token)
    assert ran.status == 2
    assert token not in ran.out + ran.summary


@pytest.mark.process
def test_a_run_on_an_mlflow_server_is_read_with_its_token(here: World, tmp_path: Path) -> None:
    run = "a" * 32
    with Mlflow().serving() as server:
        server.point(run, "perf/max_memory_allocated_gb", 61.0, 1, 1_700_000_000_001)
        server.add(run)
        server.locked = True
        linked = b"# mlflow: " + server.link(run).encode() + b"\n"
        first, _, rest = GOOD.partition(b"\n")
        text = first + b"\n" + linked + re.sub(rb"(?m)^# wandb:.*\n", b"", rest)
        here.base.commit("main", {".rlbot.yml": "allow_private_runs: true\n"})
        pull = here.pull({SCRIPT: text})
        environment = {"MLFLOW_TRACKING_URI": server.url, "MLFLOW_TRACKING_TOKEN": "a-token"}
        ran = step(here, tmp_path, TARGET, pull_event(here, pull), **environment)
        assert "a-token" not in ran.out + ran.summary + ran.report
        (script,) = json.loads(ran.report)["scripts"]
        assert script["evidence"]["run"]["url"] == server.link(run)
        assert {key for _, key in server.asked} > {None}


def three_reports(
    here: World, tmp_path: Path, pull: Pull, **environment: str
) -> tuple[bytes, bytes, bytes]:
    """What the Action, the command line and the App report on the pull request of the world."""
    from bot.github.pull import PullId
    from bot.github.remote import read_change
    from bot.render.json_report import to_json
    from bot.review.check import check_change
    from bot.service.work import check_request

    token = here.store.workflow_token(here.base)
    by_action = step(here, tmp_path, TARGET, pull_event(here, pull), token=token, **environment)
    by_command = subprocess.run(
        [sys.executable, "-m", "bot", "pr", "verl-project/verl#1", "--format", "json"],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            **here.server.environment(token),
            **environment,
        },
        capture_output=True,
        check=False,
    )
    assert by_command.stderr == b""
    with mock.patch.dict(os.environ, environment):
        change = read_change(here.client(token), PullId("verl-project/verl", 1))
        checked = check_change(change, check_request(Metrics()))
    return by_action.report.encode(), by_command.stdout, to_json(checked.report).encode()


def test_command_line_action_and_app_give_the_same_report(
    here: World, tmp_path: Path, written: WrittenRun
) -> None:
    recipe = RunRecipe(config=import_module("examples.demo.__main__").CONFIG)
    with Wandb().serving() as wandb:
        sync(wandb, written(recipe))
        pull = here.pull({SCRIPT: GOOD}, body=f"The run: {wandb.link('abc123')}")
        reports = three_reports(here, tmp_path, pull, WANDB_BASE_URL=wandb.url)
    assert json.loads(reports[0])["verdict"] == "pass"
    assert len(set(reports)) == 1


@pytest.mark.process
def test_they_read_the_same_vendored_configuration_and_recipe(here: World, tmp_path: Path) -> None:
    script = """\
python3 -m verl.trainer.main_ppo data.train_batch_size=64 data.max_prompt_length=512
trl grpo --config recipes/a.yaml --num_processes 2 --num_generations 3
"""
    vendored = {
        "third_party/verl/trainer/config/ppo_trainer.yaml": "data:\n  train_batch_size: 1024\n",
        "recipes/a.yaml": "model_name_or_path: Qwen/Qwen3-0.6B\nlearning_rte: 1e-6\n",
    }
    here.base.commit("main", vendored)
    reports = three_reports(here, tmp_path, here.pull({SCRIPT: script}))
    assert len(set(reports)) == 1
    (checked,) = json.loads(reports[0])["scripts"]
    assert sorted(
        (f["path"], f["line"], f["id"]) for f in checked["findings"] if f["severity"] == "error"
    ) == [(SCRIPT, 1, "RLB020"), (SCRIPT, 2, "RLB100"), ("recipes/a.yaml", 2, "RLB020")]
    version = checked["launches"][0]["framework_version"]
    assert version == "third_party/verl/trainer/config of this repository"


@pytest.mark.process
def test_they_read_the_same_configuration_on_top_of_an_installed_verl(
    here: World, tmp_path: Path
) -> None:
    """rllm's programs, whose configuration is a package elsewhere in the repository."""
    script = "python examples/math/train.py actor_rollout_ref.hybrid_engine=True agent.step=2\n"
    main = '@hydra.main(config_path="pkg://agents.config", config_name="agent_trainer")\n'
    files = {
        "requirements.txt": "verl==0.8.0\n",
        "agents/config/agent_trainer.yaml": "hydra: {searchpath: [pkg://verl.trainer.config]}\n"
        "defaults: [ppo_trainer, _self_]\nagent: {steps: 20}\n",
        "examples/math/train.py": f"import hydra\n\n{main}def main(config): ...\n",
    }
    here.base.commit("main", files)
    reports = three_reports(here, tmp_path, here.pull({SCRIPT: script}))
    assert len(set(reports)) == 1
    (checked,) = json.loads(reports[0])["scripts"]
    errors = [f["message"] for f in checked["findings"] if f["id"] == "RLB020"]
    assert errors == ["there is no agent.step here, nor in any release of verl"]
    assert checked["launches"][0]["framework_version"] == "0.8.0"


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "config", "batch"),
    [
        ("qwen3-8b_grpo_8_h100_fsdp_vllm.sh", None, 1024),
        ("qwen3-8b_grpo_8_910b_fsdp_vllm.sh", None, 16),
        ("run_qwen3_8b_fsdp.sh", "env:\n  DEVICE: npu\n", 16),
        ("run_qwen3_8b_fsdp.sh", None, None),
    ],
)
def test_they_take_the_same_launch_of_two(
    here: World, tmp_path: Path, name: str, config: str | None, batch: int | None
) -> None:
    if config:
        here.base.commit("main", {".rlbot.yml": config})
    pull = here.pull({f"examples/tuning/7b/{name}": TWO_WAYS})
    reports = three_reports(here, tmp_path, pull)
    assert len(set(reports)) == 1
    (script,) = json.loads(reports[0])["scripts"]
    assert (script["plan"] and script["plan"]["train_batch_size"]) == batch
    assert (script["row"] is None) is (batch is None)
