"""What docs/deploy.md says of settings, backups and metrics is so."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest
import yaml

from bot.service.app import create_app
from bot.service.database import Database
from bot.service.metrics import Metrics
from bot.service.settings import ServiceSettings, read_settings
from tests.command import ROOT
from tests.github.world import World
from tests.service.app_process import free_port
from tests.service.installed import install
from tests.service.process import eventually
from tests.service.server import SECRET, client_to, served
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


def test_alerts_ask_for_figures_that_exist(sqlite: Database) -> None:
    (rules,) = re.findall(r"```yaml\n(groups:.*?)```", TEXT, re.DOTALL)
    metrics = Metrics()
    settings = ServiceSettings(database=sqlite, webhook_secrets=(SECRET,))
    with client_of(sqlite) as jobs:
        create_app(settings, jobs, metrics)
    metrics.watch_jobs(dict, lambda: None)
    known = set(re.findall(r"^# TYPE (\S+)", metrics.text().decode(), re.MULTILINE))
    for rule in yaml.safe_load(rules)["groups"][0]["rules"]:
        for name in re.findall(r"rlbot_\w+", rule["expr"]):
            assert name in known, name
        # Of a figure that begins with its first event Prometheus sees no increase.
        for name in re.findall(r"increase\((\w+)", rule["expr"]):
            assert re.search(rf"^{name}\{{.*503.* 0.0$", metrics.text().decode(), re.MULTILINE)


def test_the_requests_left_are_what_github_said(here: World) -> None:
    metrics = Metrics()
    figure = re.compile(rb"^rlbot_github_requests_remaining (\S+)$", re.MULTILINE)
    assert figure.findall(metrics.text()) == [b"NaN"]  # No alert that asks for few fires.
    with metrics.counted(here.client()) as client:
        client.get("/rate_limit")
        said = client.remaining
    assert said is not None
    assert [float(text) for text in figure.findall(metrics.text())] == [said]


def test_the_unit_starts_a_command_that_exists() -> None:
    (command,) = re.findall(r"^ExecStart=\S+/rlbot (.*)$", UNIT, re.MULTILINE)
    from bot.commands.cli import parser

    assert parser().parse_args(command.split()).port == 8000
    assert "Restart=always" in UNIT


def test_the_image_is_built_from_locked_requirements_alone() -> None:
    lines = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    installs = re.findall(r"pip .*?(?:install|wheel) [^&\n]*", lines)
    assert len(installs) == 4
    for one in installs:
        assert "--require-hashes" in one or "--no-deps" in one, one
    for source, _ in re.findall(COPIES, lines, re.MULTILINE):
        for one in source.split():
            assert (ROOT / one).exists(), one


COPIES = r"^COPY (?!--from)(.+) (\S+)$"
"""What is copied from the clone, and where."""
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text("utf-8")


def test_the_unit_bounds_memory_and_tasks() -> None:
    assert re.search(r"^MemoryMax=\d+%$", UNIT, re.MULTILINE)
    assert re.search(r"^TasksMax=\d+$", UNIT, re.MULTILINE)
    # Else systemd would stop the App where the kernel ends one reading.
    assert "OOMPolicy=continue" in UNIT


def test_the_base_image_is_named_by_a_digest() -> None:
    """There is no default to fall back on, and no command of ours builds without it."""
    stages = re.findall(r"^FROM (.+)$", DOCKERFILE, re.MULTILINE)
    assert stages == ["${PYTHON_IMAGE} AS base", "base AS build", "base"]
    assert re.findall(r"^ARG (.+)$", DOCKERFILE, re.MULTILINE) == ["PYTHON_IMAGE"] * 2
    texts = [DOCKERFILE, TEXT, (ROOT / "Makefile").read_text("utf-8")]
    texts += [file.read_text("utf-8") for file in (ROOT / ".github/workflows").iterdir()]
    builds = [found for text in texts for found in re.findall(r"docker (?:buildx )?build .*", text)]
    assert len(builds) == 3
    assert all("--build-arg PYTHON_IMAGE=" in build for build in builds)


@pytest.mark.process
@pytest.mark.parametrize(
    ("image", "status"),
    [(f"python:3.11-slim@sha256:{'0' * 64}", 0), ("python:3.11-slim", 1), ("", 1)],
)
def test_the_build_refuses_a_base_image_by_its_tag(image: str, status: int) -> None:
    (check,) = re.findall(r"^RUN (case .*)$", DOCKERFILE, re.MULTILINE)
    done = subprocess.run(
        ["sh", "-c", check], env={"PYTHON_IMAGE": image}, capture_output=True, check=False
    )
    assert done.returncode == status


def test_the_image_is_left_without_what_built_it() -> None:
    """Its last stage takes the program alone from the one before, and runs as no root."""
    last = DOCKERFILE.split("\nFROM ")[-1]
    assert re.findall(r"^COPY (.+)$", last, re.MULTILINE) == ["--from=build /opt/rlbot /opt/rlbot"]
    assert "pip" not in last
    assert re.findall(r"^USER (.+)$", last, re.MULTILINE) == ["rlbot"]


@pytest.mark.process
def test_a_worker_shows_its_state_and_its_figures(
    here: World, sqlite: Database, tmp_path: Path
) -> None:
    port = free_port()
    command = "from bot.commands.cli import script; script()"
    environment = {
        **os.environ,
        **install(here).environment(),
        "RLBOT_DATABASE_URL": str(sqlite.path),
    }
    worker = [sys.executable, "-c", command, "worker", "--id", "w1", "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(worker, cwd=tmp_path, env=environment, stdout=log, stderr=log)
        try:
            eventually(lambda: b"working as w1" in (tmp_path / "log").read_bytes())
            with client_to(port, timeout=60) as client:
                eventually(lambda: _answers(client))
                assert client.get("/readyz").json()["checks"] == {"database": "ok", "github": "ok"}
                figures = client.get("/metrics").text
                assert "rlbot_github_requests_remaining" in figures
                # Those of the database are the web process's, not one more for each worker.
                assert "rlbot_lag_seconds" not in figures
                assert client.post("/webhook").status_code == 404
            second = subprocess.run(
                worker, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert (second.returncode, "Traceback" in second.stderr) == (2, False)
            assert f"Port {port} of 127.0.0.1 is in use." in second.stderr
        finally:
            process.terminate()
            process.wait(600)
    assert process.returncode == 0, (tmp_path / "log").read_text()


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").text == "ok\n"
    except httpx.TransportError:
        return False


@pytest.mark.process
def test_the_health_check_of_the_image_asks_the_app(sqlite: Database) -> None:
    (command,) = re.findall(r"^HEALTHCHECK .*\\\n    CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)
    _, option, code = json.loads(command)
    settings = ServiceSettings(database=sqlite, webhook_secrets=(SECRET,))
    with client_of(sqlite) as jobs, served(create_app(settings, jobs, Metrics())) as client:
        here = code.replace("http://127.0.0.1:8000", str(client.base_url).rstrip("/"))
        assert here != code
        assert subprocess.run([sys.executable, option, here], check=False).returncode == 0
    gone = subprocess.run([sys.executable, option, here], capture_output=True, check=False)
    assert gone.returncode == 1


@pytest.mark.database
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


@pytest.mark.process
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_unit_and_finds_it_closed(tmp_path: Path) -> None:
    unit = tmp_path / "rlbot.service"
    installed = str(Path(sys.executable).with_name("rlbot"))
    unit.write_text(UNIT.replace("/var/lib/rlbot/venv/bin/rlbot", installed), "utf-8")
    assert _systemd_analyze("verify", str(unit)) == (0, "")
    status, said = _systemd_analyze("security", "--offline=true", "--threshold=20", str(unit))
    assert status == 0, said
    unit.write_text(unit.read_text("utf-8").replace("RestartSec=2", "RestartSec=soon"), "utf-8")
    assert "Failed to parse sec value" in _systemd_analyze("verify", str(unit))[1]


def _systemd_analyze(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        ["systemd-analyze", "--no-pager", *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.tools
def test_the_image_holds_all_that_the_program_is_built_from(tmp_path: Path) -> None:
    """The steps of the Dockerfile on the files that it copies, without Docker."""
    lines = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    for sources, target in re.findall(COPIES, lines, re.MULTILINE):
        for one in sources.split():
            if (ROOT / one).is_dir():
                leave = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / one, tmp_path / "src" / target, ignore=leave)
            else:
                (tmp_path / "src" / target).mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / one, tmp_path / "src" / target)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    subprocess.run([*build, "--outdir", str(tmp_path), str(tmp_path / "src")], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    packed = {p.relative_to(tmp_path / "site").as_posix() for p in tmp_path.glob("site/bot/**/*")}
    listed = subprocess.run(
        ["git", "ls-files", "bot", ":!*.po"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(listed.stdout.split()) <= packed
    ((entry, command),) = re.findall(r'^ENTRYPOINT \["(\w+)"\]\nCMD (\[.+\])$', lines, re.M)
    assert entry == "rlbot"
    done = subprocess.run(
        [sys.executable, "-m", "bot", *json.loads(command)],
        cwd=tmp_path / "site",
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    # It comes as far as its settings, which the operator gives it.
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "RLBOT_" in done.stderr
