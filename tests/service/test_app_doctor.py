"""What the doctor says of an App's surroundings: each fault once, with its remedy."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.service.database import Database
from tests.command import rlbot
from tests.github.hooks import Hook
from tests.github.server import Server
from tests.github.store import App

PUBLIC = "https://bot.example.org"
OURS = ("GitHub App", "permissions", "events", "webhook", "deliveries", "database")


@dataclass
class Clinic:
    """An App, its settings, and the doctor."""

    server: Server
    app: App
    hook: Hook
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def examine(self, *more: str, **changes: str) -> dict[str, tuple[str, str, str | None]]:
        """Subject to state, sentence and remedy."""
        environment = {
            "WANDB_BASE_URL": self.server.url,
            **self.server.environment(),
            **self.environment,
            **changes,
        }
        arguments = ("doctor", "--format=json", *more)
        done = rlbot(*arguments, cwd=self.folder, environment=environment)
        assert "horse-battery" not in done.out
        return {
            check["subject"]: (check["state"], check["said"], check["remedy"])
            for check in json.loads(done.out)["checks"]
        }


def pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


@pytest.fixture
def clinic(tmp_path: Path, key: rsa.RSAPrivateKey) -> Iterator[Clinic]:
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "key.pem").write_text(pem(key))
    with Server(tmp_path / "github") as server:
        app = server.store.app("rlbot", public.decode())
        hook = Hook(app, f"{PUBLIC}/webhook", "x")
        server.hooks.append(hook)
        yield Clinic(
            server,
            app,
            hook,
            tmp_path,
            {
                "RLBOT_APP_ID": str(app.id),
                "RLBOT_PRIVATE_KEY_FILE": str(tmp_path / "key.pem"),
                "RLBOT_WEBHOOK_SECRET": "correct-horse-battery-staple",
                "RLBOT_DATABASE_URL": str(tmp_path / "rlbot.sqlite"),
                "RLBOT_PUBLIC_URL": PUBLIC,
            },
        )


def test_a_user_without_an_app_hears_nothing_of_it(clinic: Clinic) -> None:
    clinic.environment = {}
    assert not set(clinic.examine()) & {*OURS, "RLBOT_WEBHOOK_SECRET"}


def test_an_app_that_is_well(clinic: Clinic, sqlite: Database) -> None:
    sqlite.prepare()
    found = clinic.examine()
    assert {subject: found[subject][0] for subject in OURS} == dict.fromkeys(OURS, "ok")
    assert found["RLBOT_WEBHOOK_SECRET"][0] == "ok"
    assert "journal mode wal" in found["database"][1]


def test_who_runs_the_app_needs_neither_a_checkout_nor_a_token(clinic: Clinic) -> None:
    assert not set(clinic.examine()) & {"git", "repository", "GITHUB_TOKEN"}
    clinic.environment["GITHUB_TOKEN"] = "x"  # noqa: S105
    assert "GITHUB_TOKEN" in clinic.examine()


def test_a_key_of_another_app_and_one_that_is_none(clinic: Clinic) -> None:
    other = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    for text in (pem(other), "no key at all"):
        (clinic.folder / "key.pem").write_text(text)
        state, said, remedy = clinic.examine()["GitHub App"]
        assert state == "wrong"
        assert "key" in said
        assert remedy is not None
        # A key that GitHub refuses may be right, and the clock off; one that is none is not.
        assert ("clock" in remedy) == ("PRIVATE" in text)


def test_what_the_app_may_not_do_or_hear_is_named(clinic: Clinic) -> None:
    clinic.app.permissions = {"metadata": "read", "contents": "read", "checks": "read"}
    clinic.app.events = ("pull_request",)
    found = clinic.examine()
    assert found["permissions"][:2] == (
        "wrong",
        "The App lacks checks: write, issues: write, pull_requests: write.",
    )
    assert found["events"][:2] == (
        "wrong",
        "The App does not hear of check_run, issue_comment, repository.",
    )


def test_a_webhook_that_goes_elsewhere_and_deliveries_that_failed(clinic: Clinic) -> None:
    clinic.hook.url = "https://old.example.org/webhook"
    clinic.hook.send("ping", {"zen": "x"}, lost=True)
    found = clinic.examine()
    assert found["webhook"][0] == "wrong"
    assert "GitHub sends to https://old.example.org/webhook" in found["webhook"][1]
    assert found["deliveries"][:2] == ("wrong", "The last delivery did not arrive.")


def test_a_secret_that_is_missing_or_short(clinic: Clinic) -> None:
    assert clinic.examine(RLBOT_WEBHOOK_SECRET="")["RLBOT_WEBHOOK_SECRET"][0] == "wrong"
    assert clinic.examine(RLBOT_WEBHOOK_SECRET="short")["RLBOT_WEBHOOK_SECRET"][0] == "wrong"


def test_a_setting_that_is_wrong_is_reported_once(clinic: Clinic) -> None:
    found = clinic.examine(RLBOT_CONCURRENCY="many", WANDB_BASE_URL="http://wandb.example.org")
    wrong = {name: said for name, (state, said, _) in found.items() if state == "wrong"}
    assert list(wrong) == ["RLBOT_CONCURRENCY", "W&B"]
    assert "RLBOT_CONCURRENCY must be a whole number" in wrong["RLBOT_CONCURRENCY"]


def test_databases_that_do_not_answer(clinic: Clinic) -> None:
    nowhere = "postgresql://user:horse-battery@127.0.0.1:1/rlbot"
    state, said, _ = clinic.examine(RLBOT_DATABASE_URL=nowhere)["database"]
    assert (state, "***" in said) == ("wrong", True)
    with sqlite3.connect(clinic.folder / "plain.sqlite") as plain:
        plain.execute("CREATE TABLE t (x)")
    plain.close()
    found = clinic.examine(RLBOT_DATABASE_URL=str(clinic.folder / "plain.sqlite"))
    assert found["database"][0] == "missing"
    (clinic.folder / "text.sqlite").write_text("this is no database at all " * 20)
    found = clinic.examine(RLBOT_DATABASE_URL=str(clinic.folder / "text.sqlite"))
    assert found["database"][0] == "wrong"


def test_postgresql_is_shown_with_its_version(clinic: Clinic, postgres: Database) -> None:
    found = clinic.examine(RLBOT_DATABASE_URL=postgres.url.replace("+psycopg", ""))
    assert found["database"][0] == "ok"
    assert found["database"][1].startswith("PostgreSQL ")


def test_offline_asks_nobody(clinic: Clinic) -> None:
    found = clinic.examine("--offline")
    assert found["GitHub App"][0] == "skipped"
    assert clinic.server.store.calls == []
