"""`rlbot doctor`: what is in force and from where, and what is missing, with its remedy."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.base.http import ask
from bot.doctor._support.registry import checks
from bot.doctor._support.settings import VARIABLES
from tests.command import rlbot
from tests.listener import Listener


class _Server(BaseHTTPRequestHandler):
    """Answers as GitHub's /rate_limit and W&B's GraphQL API do, for one good token and key."""

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/rate_limit")
            self.end_headers()
        elif self.path == "/rate_limit":
            good = self.headers["Authorization"] == "Bearer good-token"
            core = {"limit": 5000, "remaining": 4321}
            self._say(200 if good else 401, {"resources": {"core": core}})
        elif self.path == "/broken/rate_limit":
            self._say(503, {})
        else:
            self._say(404, {})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        good = self.headers["Authorization"] == "Basic " + b64encode(b"api:good-key").decode()
        self._say(200, {"data": {"viewer": {"username": "ada"} if good else None}})

    def _say(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-OAuth-Scopes", "public_repo")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = Listener(("127.0.0.1", 0), _Server)
    with made.serving():
        yield f"http://127.0.0.1:{made.server_port}"


def _doctor(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    done = rlbot("doctor", *arguments, cwd=folder, environment=environment)
    assert done.err == ""
    secrets = {environment.get(name) for name in ("GITHUB_TOKEN", "WANDB_API_KEY")} - {None}
    assert not [secret for secret in secrets if secret and secret in done.out]
    return done.status, done.out


def _answers(folder: Path, *arguments: str, **environment: str) -> tuple[int, dict[str, Any]]:
    status, out = _doctor(folder, "--format", "json", *arguments, **environment)
    content = json.loads(out)
    assert content["schema"] == "doctor-v1"
    assert content["status"] == status
    for answer in content["checks"]:
        # Each that is not well has its remedy, but for what was not asked.
        assert (answer["remedy"] is None) == (answer["state"] in ("ok", "skipped")), answer
        assert answer["said"].endswith((".", "?"))
    return status, {answer["subject"]: answer for answer in content["checks"]}


def test_everything_is_well(tmp_path: Path, server: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    status, found = _answers(
        tmp_path,
        GITHUB_TOKEN="good-token",
        GITHUB_API_URL=server,
        WANDB_API_KEY="good-key",
        WANDB_BASE_URL=server,
    )
    assert status == 0
    assert {answer["state"] for answer in found.values()} == {"ok"}
    assert found["GITHUB_TOKEN"]["said"] == (
        "127.0.0.1 takes the token, 4321 of 5000 requests left; its scopes are public_repo."
    )
    assert found["WANDB_API_KEY"]["said"] == "127.0.0.1 takes the key, of ada."


def test_refused_secrets_are_wrong(tmp_path: Path, server: str) -> None:
    status, found = _answers(
        tmp_path,
        GITHUB_TOKEN="bad-token",
        GITHUB_API_URL=server,
        WANDB_API_KEY="bad-key",
        WANDB_BASE_URL=server,
    )
    assert status == 1
    assert found["GITHUB_TOKEN"]["state"] == found["WANDB_API_KEY"]["state"] == "wrong"
    assert found["repository"]["state"] == "missing"


@pytest.mark.parametrize(
    ("path", "state", "status"), [("/broken", "unknown", 3), ("/nowhere", "wrong", 1)]
)
def test_a_server_that_is_down_or_another_one(
    tmp_path: Path, server: str, path: str, state: str, status: int
) -> None:
    code, found = _answers(
        tmp_path, GITHUB_TOKEN="x" * 20, GITHUB_API_URL=server + path, WANDB_BASE_URL=server
    )
    asked = found.get("GITHUB_API_URL") or found["GITHUB_TOKEN"]
    assert (asked["state"], code) == (state, status)


def test_a_host_that_does_not_answer_is_unknown(tmp_path: Path) -> None:
    closed = "http://127.0.0.1:9"
    status, found = _answers(
        tmp_path,
        GITHUB_TOKEN="x" * 20,
        GITHUB_API_URL=closed,
        WANDB_API_KEY="y" * 20,
        WANDB_BASE_URL=closed,
    )
    assert status == 3
    assert "connection refused" in found["GITHUB_TOKEN"]["said"]
    assert "connection refused" in found["127.0.0.1:9"]["said"]


def test_offline_asks_nobody(tmp_path: Path) -> None:
    status, found = _answers(
        tmp_path,
        "--offline",
        GITHUB_TOKEN="x" * 20,
        GITHUB_API_URL="http://127.0.0.1:9",
        WANDB_API_KEY="y" * 20,
    )
    assert status == 0
    assert found["GITHUB_TOKEN"]["state"] == found["WANDB_API_KEY"]["state"] == "skipped"


@pytest.mark.parametrize(
    ("name", "value", "subject"),
    [
        ("GITHUB_API_URL", "http://api.example.org", "GITHUB_API_URL"),
        ("WANDB_BASE_URL", "http://wandb.example.org", "W&B"),
        ("WANDB_BASE_URL", "file:///etc/passwd", "W&B"),
    ],
)
def test_an_address_that_no_key_may_go_to_is_wrong(
    tmp_path: Path, name: str, value: str, subject: str
) -> None:
    status, found = _answers(tmp_path, "--offline", **{name: value})
    assert status == 1
    assert found[subject]["state"] == "wrong"


CONFIG = """\
language: zh
scripts: [tuning/]
rules:
  RLB043: off
permissions:
  apply: maintain
"""


def test_what_is_in_force_and_from_where(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".rlbot.yml").write_text(CONFIG, encoding="utf-8")
    below = tmp_path / "tuning"
    below.mkdir()
    status, out = _doctor(below, "--offline", "--lang", "en", GITHUB_TOKEN="x" * 20, NO_COLOR="1")
    assert status == 0
    shown = re.sub(r"git \d[\w.]*", "git 2", out).replace(str(tmp_path), "/FOLDER")
    assert shown == snapshot


def test_the_value_of_no_secret_is_shown(tmp_path: Path) -> None:
    values = {name: f"value of {name}" for name in VARIABLES}
    out = json.loads(_doctor(tmp_path, "--offline", "--format", "json", **values)[1])
    hidden = {each["key"] for each in out["settings"] if each["value"] == "***"}
    assert hidden == {
        "GITHUB_TOKEN",
        "WANDB_API_KEY",
        "MLFLOW_TRACKING_TOKEN",
        "MLFLOW_TRACKING_PASSWORD",
        "SWANLAB_API_KEY",
        "HF_TOKEN",
        "HTTPS_PROXY",
        "RLBOT_PRIVATE_KEY",
        "RLBOT_WEBHOOK_SECRET",
        "RLBOT_DATABASE_URL",
    }


def test_a_wrong_configuration_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / ".rlbot.yml").write_text("scrpts: [a]\n", encoding="utf-8")
    status, found = _answers(tmp_path, "--offline")
    assert status == 2
    assert found["configuration"]["said"] == (
        '.rlbot.yml, line 1: unknown key "scrpts"; did you mean "scripts"?'
    )
    assert found["git"]["state"] == "ok"
    result = rlbot("doctor", "--config", "nowhere.yml", cwd=tmp_path)
    assert result.status == 2
    assert result.err == "rlbot: The configuration nowhere.yml does not exist.\n"


def test_an_unknown_rule_of_the_configuration_is_told(tmp_path: Path) -> None:
    (tmp_path / ".rlbot.yml").write_text("rules: {trail-log: off}\n", encoding="utf-8")
    status, found = _answers(tmp_path, "--offline")
    # As for every other command, which does not begin with it.
    assert status == 2
    assert found["configuration"]["state"] == "wrong"
    assert "did you mean RLB041 (trial-log)?" in found["configuration"]["said"]


def test_names_of_rules_and_of_checks_of_the_page_are_known(tmp_path: Path) -> None:
    (tmp_path / ".rlbot.yml").write_text("rules: {trial-log: off, dead-link: off}\n", "utf-8")
    status, found = _answers(tmp_path, "--offline")
    assert (status, found["configuration"]["state"]) == (0, "ok")


def test_what_a_configuration_names_and_is_not_there(tmp_path: Path) -> None:
    """`rlbot lint` refuses the release; the other commands find no page and no script."""
    (tmp_path / ".git").mkdir()
    named = 'framework: {verl: "9.9", trl: "1.16.0"}\npage: nowhere.rst\nscripts: [none/, here/]\n'
    (tmp_path / ".rlbot.yml").write_text(named, "utf-8")
    (tmp_path / "here").mkdir()
    for folder in (tmp_path, tmp_path / "here"):
        status, found = _answers(folder, "--offline")
        assert (status, found["framework"]["state"]) == (2, "wrong")
        assert found["framework"]["said"].startswith("verl 9.9 is not known: use one of ")
        assert found["page"]["said"] == f"There is no file nowhere.rst in {tmp_path}."
        assert found["scripts"]["said"] == f"There is no folder none/ in {tmp_path}."
    (tmp_path / "run.sh").write_text("python3 -m verl.trainer.main_ppo\n")
    assert rlbot("lint", "run.sh", cwd=tmp_path).status == 2


@pytest.mark.parametrize(
    "named",
    ["", "page: null\n", "page: here/page.rst\nscripts: [here]\nframework: {trl: 1.16.0}\n"],
)
def test_what_is_there_or_named_by_nobody_is_well(tmp_path: Path, named: str) -> None:
    (tmp_path / ".rlbot.yml").write_text(named, "utf-8")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "page.rst").write_text("")
    status, found = _answers(tmp_path, "--offline")
    assert status == 0
    assert not found.keys() & {"framework", "page", "scripts"}


def test_every_wrong_setting_of_the_app_is_named(tmp_path: Path) -> None:
    status, found = _answers(
        tmp_path,
        "--offline",
        RLBOT_APP_ID="x",
        RLBOT_PRIVATE_KEY_FILE="nope",
        RLBOT_WEBHOOK_SECRET="short",
        RLBOT_CONCURRENCY="0",
        RLBOT_DATABASE_URL="mysql://x",
    )
    assert status == 1
    wrong = {name for name, answer in found.items() if answer["state"] == "wrong"}
    assert wrong == {
        "RLBOT_APP_ID",
        "RLBOT_PRIVATE_KEY_FILE",
        "RLBOT_WEBHOOK_SECRET",
        "RLBOT_CONCURRENCY",
        "RLBOT_DATABASE_URL",
    }


def test_a_key_that_is_none_is_told_without_asking_a_server(tmp_path: Path) -> None:
    status, found = _answers(tmp_path, "--offline", RLBOT_APP_ID="1", RLBOT_PRIVATE_KEY="none")
    assert (status, found["GitHub App"]["state"]) == (1, "wrong")
    assert "no RSA private key in PEM form" in found["GitHub App"]["said"]


def test_without_git_it_says_so(tmp_path: Path) -> None:
    status, found = _answers(tmp_path, "--offline", PATH=str(tmp_path))
    assert status == 0
    assert found["git"]["state"] == "missing"


def test_quiet_says_nothing_when_nothing_is_wrong(tmp_path: Path) -> None:
    assert _doctor(tmp_path, "--offline", "--quiet") == (0, "")


def test_a_redirect_is_not_followed_with_the_key(server: str) -> None:
    reply = ask(f"{server}/moved", headers={"Authorization": "Bearer good-token"}, timeout=5)
    assert reply.status == 302
    assert ask("file:///etc/passwd", timeout=5).problem == "it is no http or https address"


def test_each_check_is_a_file_of_its_own() -> None:
    user = {"configured", "git", "github", "hosts", "wandb"}
    assert set(checks()) == user | {"app", "database", "webhook"}
