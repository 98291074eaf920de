"""A change is read once: each script parsed, its header read and its launch estimated one time."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.check import read as check_read
from bot.github import remote
from bot.rules._support import base
from tests.command import rlbot
from tests.github.objects import Link
from tests.github.runner import pull_event, step
from tests.github.world import GOOD, PAGE, SCRIPT, World
from tests.isolation import run_here
from tests.service.test_whole_app import Running, app, shown
from tests.table.checks.helpers import link, page, row, section

__all__ = ["app"]

SECOND = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp2_vllm.sh"
SMALLER = GOOD.replace(b"train_batch_size=1024", b"train_batch_size=512")
OTHER = SMALLER.replace(b"# tag: MIN", b"# tag: RECOMMENDED")
ROWS = page(section(row(Link=link(SCRIPT)), row(Link=link(SECOND))))
FILES: dict[str, bytes | str | Link | None] = {SCRIPT: GOOD, SECOND: OTHER, PAGE: ROWS}


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[object, ...]]:
    """How often what was read; the true functions do the work."""
    counted: Counter[tuple[object, ...]] = Counter()

    def count(module: object, name: str, key: Callable[..., tuple[object, ...]]) -> None:
        real = getattr(module, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted[name, *key(*given, **named)] += 1
            return real(*given, **named)

        monkeypatch.setattr(module, name, counting)

    # A process of its own could not be counted in.
    monkeypatch.setattr("bot.review.reading.isolated", run_here)
    count(
        check_read,
        "readings",
        lambda data, path, *_, **__: (path, hashlib.sha256(data).hexdigest()),
    )
    count(check_read, "read_header", lambda comments, *_: (tuple(comments),))
    count(
        base,
        "estimate_plan",
        lambda plan, device, *, run, gpus, **_: (plan.launch.command.argv, device, run, gpus),
    )
    count(remote, "read_pull", lambda _client, pull, *_: (pull,))
    return counted


def once(readings: Counter[tuple[object, ...]]) -> None:
    """Both scripts were read, and nothing twice."""
    assert [key[:3] for key in readings if readings[key] > 1] == []
    parsed = {key[1:] for key in readings if key[0] == "readings"}
    changed = {(SCRIPT, GOOD), (SECOND, OTHER)}
    assert {(path, hashlib.sha256(data).hexdigest()) for path, data in changed} <= parsed
    kinds = Counter(key[0] for key in readings)
    assert kinds["read_header"] == kinds["readings"]
    assert kinds["estimate_plan"] >= 2
    assert kinds["read_pull"] == 1


def test_the_app_reads_a_change_once(app: Running, readings: Counter[tuple[object, ...]]) -> None:
    pull = app.here.pull(FILES)
    app.deliver(pull)
    app.wait(1)
    (body,) = shown(pull)
    assert SCRIPT in body
    once(readings)


def test_the_action_reads_a_change_once(
    here: World, tmp_path: Path, readings: Counter[tuple[object, ...]]
) -> None:
    pull = here.pull(FILES)
    step(here, tmp_path, "pull_request_target", pull_event(here, pull))
    assert SECOND in pull.comments[0].body
    once(readings)


def test_the_command_line_reads_a_change_once(
    here: World, readings: Counter[tuple[object, ...]]
) -> None:
    pull = here.pull(FILES)
    token = here.store.workflow_token(here.base)
    environment = here.server.environment(token)
    rlbot("pr", "verl-project/verl#1", "--publish", "--offline", environment=environment)
    assert SECOND in pull.comments[0].body
    once(readings)


CONFIGURATION = """\
actor_rollout_ref: {actor: {own: 1}}
trainer: {n_gpus_per_node: 1, nnodes: 1, logger: [console]}
"""


UNSTATED = GOOD.replace(b"# verl: 0.9.1\n", b"")
TREE: dict[str, bytes | str | Link | None] = {
    SCRIPT: UNSTATED,
    "training/verl/trainer/config/ppo_trainer.yaml": CONFIGURATION,
}
SAID = "read with training/verl/trainer/config of this repository"


def test_the_app_reads_with_the_configuration_of_the_repository(app: Running) -> None:
    pull = app.here.pull(TREE)
    app.deliver(pull)
    app.wait(1)
    (body,) = shown(pull)
    assert SAID in body


def test_the_action_reads_with_the_configuration_of_the_repository(
    here: World, tmp_path: Path
) -> None:
    pull = here.pull(TREE)
    step(here, tmp_path, "pull_request_target", pull_event(here, pull))
    assert SAID in pull.comments[0].body


def test_the_command_line_reads_with_the_configuration_of_the_repository(
    here: World, tmp_path: Path
) -> None:
    here.pull(TREE)
    environment = here.server.environment(here.store.workflow_token(here.base))
    asked = ("pr", "verl-project/verl#1", "--offline", "--format", "json")
    from_github = json.loads(rlbot(*asked, environment=environment).out)["scripts"][0]
    for path, data in TREE.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else str(data).encode())
    from_disk = json.loads(rlbot("lint", SCRIPT, "--format", "json", cwd=tmp_path).out)["scripts"][
        0
    ]
    assert from_disk["configurations"] == ["training/verl/trainer/config of this repository"]
    for part in ("configurations", "launches", "findings", "sha256"):
        assert from_disk[part] == from_github[part]
