"""How long the Action takes to start: cold with the installation, warm from the cache.

`python -m benchmarks.action_start` runs the Action's own steps, as they stand in `action.yml`,
for a pull request without a tuning script, against the tests' stand-in for GitHub. Cold fetches
every wheel from the package index; warm begins with what the cache would have brought.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from tests.github.runner import pull_event
from tests.github.server import Server
from tests.github.world import ROOT, World, world

WANTED = {"cold": 20.0, "warm": 3.0}


def main() -> None:
    """Print seconds for each step, cold and warm."""
    folder = Path(tempfile.mkdtemp(prefix="rlbot-action-"))
    try:
        with Server(folder / "github") as server:
            here = world(server)
            pull = here.pull({"README.md": "another word\n"})
            (folder / "event.json").write_text(json.dumps(pull_event(here, pull)))
            for kind, wanted in WANTED.items():
                steps = _start(here, folder, cold=kind == "cold")
                shown = ", ".join(f"{name} {seconds:.1f}" for name, seconds in steps.items())
                print(f"{kind}: {sum(steps.values()):.1f} s, wanted {wanted:.0f} ({shown})")
    finally:
        shutil.rmtree(folder)


def _start(here: World, folder: Path, *, cold: bool) -> dict[str, float]:
    steps: list[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    took = {}
    known = {"inputs.python": "python3"}
    for step in steps:
        if "run" not in step or (step["name"] == "Install" and not cold):
            continue
        output = folder / "output"
        output.unlink(missing_ok=True)
        begun = time.perf_counter()
        _run(step, here, folder, known)
        took[str(step["name"])] = time.perf_counter() - begun
        if output.exists() and step["name"] == "Prepare":
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                known[f"steps.prepare.outputs.{name}"] = value
    return took


def _run(step: dict[str, Any], here: World, folder: Path, known: dict[str, str]) -> None:
    token = here.store.workflow_token(here.base)
    given = {
        name: known.get(str(value).removeprefix("${{ ").removesuffix(" }}"), "")
        for name, value in step.get("env", {}).items()
    }
    environment = {
        **os.environ,
        **given,
        **here.server.environment(token),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_EVENT_NAME": "pull_request_target",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "RUNNER_ARCH": "X64",
        "RUNNER_OS": "Linux",
        "RUNNER_TEMP": str(folder),
    }
    subprocess.run(["bash", "-c", step["run"]], env=environment, check=True, capture_output=True)


if __name__ == "__main__":
    main()
