"""T22: nothing that a whole run of the App says holds a secret."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.base.secrets import Secret
from bot.service.logs import JsonLines
from tests.github.hooks import Hook
from tests.github.server import Server
from tests.github.store import Fault
from tests.github.world import BROKEN, SCRIPT, world
from tests.service.app_process import free_port
from tests.service.process import eventually
from tests.service.server import fetched

WEBHOOK, WANDB = "a-webhook-secret-nobody-sees", "0123456789abcdef0123456789abcdef01234567"


def test_t22_a_whole_run_prints_no_secret_and_ends(tmp_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "key.pem").write_text(private)
    port = free_port()
    with Server(tmp_path / "github") as server:
        here = world(server)
        app = server.store.app("rlbot", public.decode())
        installation = server.store.install(app, here.base)
        hook = Hook(app, f"http://127.0.0.1:{port}/webhook", WEBHOOK)
        server.hooks.append(hook)
        log = tmp_path / "log"
        command = "from bot.commands.cli import script; script()"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-c", command, "serve", "--port", str(port)],
                cwd=tmp_path,
                env={
                    **{k: v for k, v in os.environ.items() if not k.startswith("RLBOT_")},
                    **server.environment(),
                    "RLBOT_WEBHOOK_SECRET": WEBHOOK,
                    "RLBOT_APP_ID": str(app.id),
                    "RLBOT_PRIVATE_KEY_FILE": str(tmp_path / "key.pem"),
                    "WANDB_API_KEY": WANDB,
                },
                stdout=out,
                stderr=out,
            )
        try:
            eventually(lambda: _up(port), what=log.read_text())
            pull = here.pull({SCRIPT: BROKEN})
            payload = {
                "action": "opened",
                "repository": {"id": here.base.id, "full_name": here.base.full_name},
                "sender": {"login": "ada-l", "type": "User"},
                "installation": {"id": installation.id},
                "pull_request": {
                    "number": pull.number,
                    "state": "open",
                    "head": {"sha": pull.head},
                    "updated_at": server.store.now(),
                },
            }
            server.store.faults.append(Fault("POST", "/access_tokens", 500, times=1))
            assert hook.send("pull_request", payload).status == 202
            forged = Hook(app, hook.url, "another secret")
            assert forged.send("pull_request", payload).status == 401
            eventually(lambda: any(not c.deleted for c in pull.comments))
            assert fetched(port, "/readyz").is_success
            # GitHub goes down while a job is under way: the end does not wait for it.
            server.store.faults.append(Fault("POST", "/graphql", 503, times=1_000))
            again = {**payload, "action": "reopened"}
            assert hook.send("pull_request", again).status == 202
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=600) == 0
        finally:
            process.kill()
            process.wait()
        tokens = [token for token in server.store.tokens if token.startswith("ghs_")]
    said = log.read_text()
    assert "the job ended: published" in said
    lines = [json.loads(line) for line in said.splitlines()]
    assert all({"time", "level", "message"} <= set(line) for line in lines)
    assert tokens
    hidden = [WEBHOOK, WANDB, *tokens, *(x for x in private.splitlines() if "-----" not in x)]
    for secret in hidden:
        assert secret not in said


def _up(port: int) -> bool:
    try:
        return fetched(port, "/healthz").is_success
    except httpx.HTTPError:
        return False


@pytest.mark.parametrize("secret", [WEBHOOK, 'quo"ted-secret', "line-one-of-it\nline-two-of-it"])
def test_t22_a_secret_that_somebody_logs_is_taken_out(secret: str) -> None:
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines([Secret(secret)]))
    logger = logging.getLogger("tests.secrets")
    logger.propagate = False
    logger.addHandler(handler)
    try:
        raise ValueError(f"could not use {secret}")
    except ValueError:
        logger.exception("failed with %s", secret, extra={"given": secret})
    finally:
        logger.removeHandler(handler)
    line = json.loads(stream.getvalue())
    assert "***" in line["message"]
    for part in secret.splitlines():
        assert part not in json.dumps(line, ensure_ascii=False)
        assert part not in line["exception"]
