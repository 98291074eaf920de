"""The Action against the stand-in: called directly, or whole workflows run by `act`."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.commands import action
from tests.github.store import FULL, READ_ONLY, Account, Comment, Pull
from tests.github.world import ROOT, World

WORKFLOWS = ROOT / "docs" / "workflows"
ACT = Path(sys.executable).with_name("act")
_USES = re.compile(r"uses:\s+(\S+@[0-9a-f]{40})")

# Takes the place of actions/cache, which needs Node and GitHub's own store: it finds at once what
# an earlier run would have kept, the environment that the tests run in.
_CACHE = """\
name: cache
description: stands in for actions/cache
inputs:
  path: {description: where, required: true}
  key: {description: which, required: true}
outputs:
  cache-hit: {description: found, value: "${{ steps.find.outputs.hit }}"}
runs:
  using: composite
  steps:
    - id: find
      shell: bash
      env: {PLACE: "${{ inputs.path }}", KEY: "${{ inputs.key }}"}
      run: |
        test -n "$KEY" && ln -sfn "$RLBOT_TEST_ENVIRONMENT" "$PLACE"
        echo hit=true >> "$GITHUB_OUTPUT"
"""


@dataclass(frozen=True)
class Ran:
    """What a step, or a whole workflow, came to."""

    status: int
    out: str
    summary: str = ""
    outputs: Mapping[str, str] | None = None
    report: str = ""


def account(found: Account) -> dict[str, Any]:
    return {"login": found.login, "id": found.id, "type": found.kind}


def pull_event(here: World, pull: Pull, event_action: str = "synchronize") -> dict[str, Any]:
    """The payload of pull_request and pull_request_target."""
    return {
        "action": event_action,
        "number": pull.number,
        "pull_request": here.server.views.pull(pull),
        "repository": here.server.views.repository(pull.repository),
        "sender": account(pull.author),
    }


def run_event(here: World, pull: Pull) -> dict[str, Any]:
    """The payload of workflow_run; GitHub names no pull requests when they come from forks."""
    assert pull.head_repository
    return {
        "action": "completed",
        "workflow_run": {
            "id": 77,
            "event": "pull_request",
            "conclusion": "success",
            "head_sha": pull.head,
            "head_branch": pull.head_branch,
            "head_repository": here.server.views.repository(pull.head_repository),
            "pull_requests": [],
        },
        "repository": here.server.views.repository(pull.repository),
        "sender": account(pull.author),
    }


def comment_event(
    here: World, comment: Comment, *, before: str | None = None, sender: Account | None = None
) -> dict[str, Any]:
    """The payload of issue_comment; with `before`, of an edit."""
    pull = comment.pull
    payload: dict[str, Any] = {
        "action": "created" if before is None else "edited",
        "issue": {
            "number": pull.number,
            "state": "open" if pull.state == "open" else "closed",
            "pull_request": {"url": "https://example.org/"},
        },
        "comment": here.server.views.comment(comment),
        "repository": here.server.views.repository(pull.repository),
        "sender": account(sender or comment.author),
    }
    if before is not None:
        payload["changes"] = {"body": {"from": before}}
    return payload


def step(
    here: World,
    folder: Path,
    event: str,
    payload: Mapping[str, Any],
    *,
    token: str | None = None,
    **more: str,
) -> Ran:
    """The step `Check`, in this process; `more` are variables of its environment."""
    temp = folder / f"step-{len(list(folder.glob('step-*')))}"
    temp.mkdir(parents=True)
    (temp / "event.json").write_text(json.dumps(payload), encoding="utf-8")
    summary, output = temp / "summary.md", temp / "output"
    forked = event == "pull_request"
    given = token or here.store.workflow_token(here.base, READ_ONLY if forked else FULL)
    environment = {
        **here.server.environment(given),
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(output),
        "RUNNER_TEMP": str(temp),
        "RLBOT_TRACEBACK": "1",
        **more,
    }
    out = io.StringIO()
    status = action.run(environment, out)
    outputs = read_outputs(output.read_text(encoding="utf-8"))
    report = Path(outputs["report"]).read_text(encoding="utf-8") if outputs["report"] else ""
    shown = summary.read_text(encoding="utf-8") if summary.exists() else ""
    return Ran(status, out.getvalue(), shown, outputs, report)


def read_outputs(text: str) -> dict[str, str]:
    """What the runner reads from GITHUB_OUTPUT."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        name, _, end = line.partition("<<")
        value = []
        while (part := next(lines)) != end:
            value.append(part)
        found[name] = "\n".join(value)
    return found


@dataclass(frozen=True)
class Runner:
    """A machine that runs workflows: a clean checkout of this repository, `act`, no Docker."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Runner:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        for name in listed.stdout.decode().split("\0"):
            if name.startswith(("bot/", "schemas/", "requirements/")) or name == "action.yml":
                (folder / "rlbot" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / "rlbot" / name)
        (folder / "cache").mkdir()
        (folder / "cache" / "action.yml").write_text(_CACHE, encoding="utf-8")
        return cls(folder)

    def act(
        self,
        here: World,
        workflow: str,
        event: str,
        payload: Mapping[str, Any],
        *,
        token: str,
        **more: str,
    ) -> Ran:
        """Run a workflow of docs/workflows; `more` are variables of its environment."""
        project = self.folder / f"project-{len(list(self.folder.glob('project-*')))}"
        place = project / ".github" / "workflows"
        place.mkdir(parents=True)
        shutil.copy2(WORKFLOWS / workflow, place)
        subprocess.run(["git", "init", "--quiet", "."], cwd=project, check=True)
        (project / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        text = (WORKFLOWS / workflow).read_text() + (ROOT / "action.yml").read_text()
        local = {name: self._local(name) for name in _USES.findall(text)}
        variables = {**here.server.environment(), "RLBOT_TEST_ENVIRONMENT": sys.prefix, **more}
        command = [
            str(ACT),
            event,
            *("-W", str(place / workflow), "-e", "event.json"),
            *("-P", "ubuntu-latest=-self-hosted", "-s", f"GITHUB_TOKEN={token}"),
            *(
                word
                for name, path in local.items()
                for word in ("--local-repository", f"{name}={path}")
            ),
            *(word for name, value in variables.items() for word in ("--env", f"{name}={value}")),
        ]
        done = subprocess.run(
            command,
            cwd=project,
            # `act` keeps its own things below HOME.
            env={
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "HOME": str(self.folder),
                "XDG_CACHE_HOME": str(self.folder / "act"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return Ran(done.returncode, done.stdout + done.stderr)

    def _local(self, name: str) -> Path:
        return self.folder / ("cache" if name.startswith("actions/cache@") else "rlbot")
