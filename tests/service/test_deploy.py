"""What docs/deploy.md says of settings, backups and metrics is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

from bot.service.database import Database
from bot.service.metrics import Metrics
from bot.service.settings import read_settings
from tests.command import ROOT
from tests.service.process import eventually
from tests.service.test_jobs import client_of, worker_of
from tests.service.work import job

TEXT = (ROOT / "docs/deploy.md").read_text("utf-8")
UNIT = (ROOT / "deploy/rlbot.service").read_text("utf-8")


def test_every_variable_that_is_read_stands_in_the_table() -> None:
    read = set()
    for file in [*(ROOT / "bot/service").glob("*.py"), *(ROOT / "bot/commands").glob("*.py")]:
        read |= set(re.findall(r'"(RLBOT_[A-Z_]+)"', file.read_text("utf-8")))
    read -= {"RLBOT_TRACEBACK"}
    table = set(re.findall(r"^\| `(RLBOT_[A-Z_]+)` \|", TEXT, re.MULTILINE))
    assert table == read
    assert len(table) >= 9


def test_defaults_are_those_of_the_table() -> None:
    settings = read_settings({})
    rows = dict(re.findall(r"^\| `(RLBOT_[A-Z_]+)` \| ([^|]+) \|", TEXT, re.MULTILINE))
    assert rows["RLBOT_CONCURRENCY"] == str(settings.concurrency)
    assert rows["RLBOT_RETENTION_DAYS"] == str(settings.retention_days)
    assert settings.database.path.name in rows["RLBOT_DATABASE_URL"]


def test_alerts_ask_for_figures_that_exist() -> None:
    (rules,) = re.findall(r"```yaml\n(groups:.*?)```", TEXT, re.DOTALL)
    metrics = Metrics()
    metrics.watch_jobs(dict, lambda: None)
    known = set(re.findall(r"^# TYPE (\S+)", metrics.text().decode(), re.MULTILINE))
    for rule in yaml.safe_load(rules)["groups"][0]["rules"]:
        for name in re.findall(r"rlbot_\w+", rule["expr"]):
            assert name in known, name


def test_the_unit_starts_a_command_that_exists() -> None:
    (command,) = re.findall(r"^ExecStart=\S+/rlbot (.*)$", UNIT, re.MULTILINE)
    from bot.cli import parser

    assert parser().parse_args(command.split()).port == 8000
    assert "Restart=always" in UNIT


def test_the_image_is_built_from_locked_requirements_alone() -> None:
    lines = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    for install in re.findall(r"pip install [^&\n]*", lines):
        assert "--require-hashes" in install or "--no-deps" in install, install
    for source in re.findall(r"^COPY (.+) \S+$", lines, re.MULTILINE):
        for one in source.split():
            assert (ROOT / one).exists(), one


def test_a_backup_taken_while_it_runs_can_be_restored(sqlite: Database, tmp_path: Path) -> None:
    """By the command of the guide, with other paths."""
    (command,) = re.findall(r"python3 -c '(.+)'$", TEXT, re.MULTILINE)
    copy = tmp_path / "copy.sqlite"
    command = command.replace("/var/lib/rlbot/rlbot.sqlite", str(sqlite.path))
    command = command.replace("/var/backups/rlbot.sqlite", str(copy))
    ended: list[tuple[str, str]] = []
    with worker_of(sqlite, tmp_path, ended), client_of(sqlite) as client:
        client.submit(job(1))
        eventually(lambda: len(ended) == 1)
        subprocess.run([sys.executable, "-c", command], check=True)
        client.submit(job(2))
    for file in (sqlite.path, *(Path(f"{sqlite.path}{end}") for end in ("-wal", "-shm"))):
        file.unlink(missing_ok=True)
    copy.rename(sqlite.path)
    with worker_of(sqlite, tmp_path, ended), client_of(sqlite) as client:
        status = client.show(job(1).id)
        assert status is not None
        assert status.state == "done"
        # What came after the copy is delivered again, and the jobs go on.
        client.submit(job(2))
        eventually(lambda: (job(2).id, "published") in ended)
