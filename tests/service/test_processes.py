"""The App's processes: stopped, refused, and without their database for a while."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.base.errors import UserError
from bot.service.database import Database, parse_database
from bot.service.jobs import JobClient, migrate
from bot.service.verifications import Verifications
from tests.service.app_process import AppProcess, free_port
from tests.service.payloads import pull_request
from tests.service.process import ServiceProcess, eventually
from tests.service.server import client_to, deliver, fetched
from tests.service.storm import KEY, job_of
from tests.service.test_app_doctor import pem
from tests.service.work import DiaryWork, job

LOCKER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


def done(folder: Path, line: str) -> None:
    eventually(lambda: line in DiaryWork(folder).diary(), what=line)


def answer(app: AppProcess, payload: dict[str, object]) -> int:
    with client_to(app.port) as client:
        return deliver(client, "pull_request", payload, secret=KEY).status_code


def test_a_locked_database_is_answered_and_recovers_alone(sqlite: Database, tmp_path: Path) -> None:
    app = AppProcess("both", "one", sqlite, tmp_path)
    app.start()
    try:
        locker = subprocess.Popen(
            [sys.executable, "-c", LOCKER, str(sqlite.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert locker.stdout is not None
        assert locker.stdout.readline() == b"locked\n"
        assert answer(app, pull_request()) == 503
        assert fetched(app.port, "/healthz").text == "ok\n"
        locker.communicate()
        assert answer(app, pull_request()) == 202
        wanted = f"publish {job_of(pull_request()).id}"
        eventually(lambda: wanted in DiaryWork(tmp_path).diary(), what=app.log.read_text())
        assert app.stop() == 0
    finally:
        app.end()


def test_a_database_that_is_down_for_a_while_loses_nothing(
    own_server: tuple[Database, object], tmp_path: Path
) -> None:
    database, server = own_server
    web = AppProcess("web", "web", database, tmp_path)
    worker = AppProcess("worker", "w1", database, tmp_path)
    blocked = pull_request(number=1)
    try:
        web.start()
        worker.start()
        assert answer(web, blocked) == 202
        server.stop()  # type: ignore[attr-defined]
        assert answer(web, pull_request(number=2)) == 503
        assert fetched(web.port, "/healthz").is_success
        ready = fetched(web.port, "/readyz")
        assert ready.status_code == 503
        assert "rlbot_database_up 0" in fetched(web.port, "/metrics").text
        # Its lease is gone with the connection: another worker may have its jobs now.
        assert worker.process is not None
        assert worker.process.wait(timeout=600) == 75
        server.ensure_postgres_running()  # type: ignore[attr-defined]
        worker.start()
        assert answer(web, pull_request(number=2)) == 202
        for number in (1, 2):
            wanted = f"publish {job_of(pull_request(number=number)).id}"
            done(tmp_path, wanted)
        assert web.stop() == 0
        assert worker.stop() == 0
    finally:
        web.end()
        worker.end()


def test_two_processes_under_one_id_are_refused(sqlite: Database, tmp_path: Path) -> None:
    app, twin = (AppProcess("both", "one", sqlite, tmp_path) for _ in range(2))
    app.start()
    try:
        with pytest.raises(AssertionError, match='the id "one" is already running'):
            twin.start()
        # The first one does not mind.
        assert answer(app, pull_request()) == 202
    finally:
        app.end()
        twin.end()


def test_lines_of_the_log_are_json_with_their_job(sqlite: Database, tmp_path: Path) -> None:
    app = AppProcess("both", "one", sqlite, tmp_path)
    app.start()
    try:
        flaky = JobClient(sqlite)
        wanted = job(1, flaky=1)
        flaky.submit(wanted)
        flaky.close()
        eventually(lambda: "the job ended: published" in app.log.read_text())
        assert app.stop() == 0
    finally:
        app.end()
    lines = [json.loads(line) for line in app.log.read_text().splitlines()]
    mine = [line for line in lines if line.get("job") == wanted.id]
    assert [line["message"] for line in mine] == [
        "the step check is tried again in 2 s: GitHub is down",
        "the job ended: published",
    ]
    assert not any("exception" in line for line in lines)


def test_a_port_in_use_is_a_sentence(sqlite: Database, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = refused(sqlite, tmp_path, "serve", "--no-worker", "--port", port)
    assert "is in use" in said


@pytest.mark.parametrize("command", [("serve", "--no-worker"), ("worker",), ("jobs", "list")])
def test_a_database_that_cannot_be_reached_is_a_sentence(
    tmp_path: Path, command: tuple[str, ...], key: rsa.RSAPrivateKey
) -> None:
    nowhere = parse_database("postgresql://user:topsecretpassword@127.0.0.1:1/rlbot")
    said = refused(nowhere, tmp_path, *command, key=key)
    assert "did not answer" in said
    assert "topsecretpassword" not in said


def test_a_sqlite_that_is_too_old_for_the_python_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """DBOS's tables ask SQLite for milliseconds from Python 3.12 on."""
    file = str(tmp_path / "rlbot.sqlite")
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 40, 1))
    monkeypatch.setattr("bot.service.database._PYTHON", (3, 11))
    assert parse_database(file).path == Path(file)
    monkeypatch.setattr("bot.service.database._PYTHON", (3, 13))
    for text in (file, f"sqlite:///{file}"):
        with pytest.raises(UserError, match=r"too old for the App with Python 3\.13"):
            parse_database(text)
    assert not parse_database("postgresql://u:p@h/d").is_sqlite
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 42, 0))
    assert parse_database(file).is_sqlite


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_database_that_takes_nothing_more_is_a_sentence(
    sqlite: Database, tmp_path: Path, key: rsa.RSAPrivateKey, command: str
) -> None:
    """As on a full disk, once the tables are there."""
    migrate(sqlite)
    Verifications(sqlite).migrate()
    with sqlite3.connect(sqlite.path) as stored:
        stored.execute(
            "CREATE TRIGGER full BEFORE INSERT ON application_versions "
            "BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
        )
    said = refused(sqlite, tmp_path, command, key=key)
    assert "did not answer: database or disk is full." in said


def test_a_database_that_is_not_there_says_what_to_do(tmp_path: Path) -> None:
    away = parse_database("postgresql://rlbot:hidden@127.0.0.1:1/jobs")
    engine = away.engine(1)
    with pytest.raises(UserError) as told:
        away.carry_out(lambda: engine.connect().close())
    said = str(told.value)
    assert said.startswith("The database postgresql://rlbot:***@127.0.0.1:1/jobs did not answer: ")
    assert said.endswith(" Start it, or name the right one with RLBOT_DATABASE_URL.")
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot be opened: .*\. RLBOT_DATABASE_URL names it; "):
        parse_database(str(tmp_path / "file" / "rlbot.sqlite")).prepare()


def test_a_user_who_may_make_no_tables_is_told_so(postgres: Database) -> None:
    engine = postgres.engine(1)
    with pytest.raises(UserError) as told, engine.connect() as connection:
        postgres.carry_out(lambda: connection.execute(sa.text("SELECT 1 FROM never_made")))
    engine.dispose()
    assert ' refused: relation "never_made" does not exist' in str(told.value)
    assert str(told.value).endswith("Its user must own it, and `rlbot serve` makes its tables.")


def refused(
    database: Database, folder: Path, *arguments: str, key: rsa.RSAPrivateKey | None = None
) -> str:
    """What a command says that ends with wrong usage."""
    environment = {
        "PATH": os.environ["PATH"],
        "RLBOT_DATABASE_URL": database.url.replace("+psycopg", ""),
        "RLBOT_WEBHOOK_SECRET": KEY.reveal(),
    }
    if key is not None:
        environment |= {"RLBOT_APP_ID": "7", "RLBOT_PRIVATE_KEY": pem(key)}
    if arguments[0] == "serve" and "--port" not in arguments:
        arguments += ("--port", str(free_port()))
    with (folder / "said").open("wb") as said:
        streams = (subprocess.DEVNULL, said.fileno(), said.fileno())
        command = "bot.commands.cli:script"
        process = ServiceProcess(command, arguments, env=environment, cwd=folder, streams=streams)
        assert process.wait() == 2
    # The engine logs its own account of it before, as one line of JSON.
    text = (folder / "said").read_text().splitlines()[-1]
    assert text.startswith("rlbot: ")
    return text
