"""The App's settings: from the environment alone, since a file would be one more place to leak."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.base.secrets import Secret
from bot.github.app import AppIdentity
from bot.github.client import Addresses, Patience
from bot.service.database import Database, parse_database

DEFAULT_DATABASE = "rlbot.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What `rlbot serve` and `rlbot worker` run with."""

    database: Database
    webhook_secrets: tuple[Secret, ...] = ()
    """Several are valid while one is replaced by the next."""
    app_id: int | None = None
    private_key: Secret | None = None
    worker_id: str = "rlbot"
    """Unique among running processes, the same after a restart."""
    concurrency: int = 8
    """Jobs that run at once in this process."""
    retention_days: int = 90
    """How long ended jobs are kept."""
    private_runs: bool = False
    """Whether the W&B key may read private runs where a repository's configuration asks for it."""
    public_url: str | None = None
    """Where people reach the App's pages."""

    def secrets(self, environment: Mapping[str, str]) -> list[Secret]:
        """Everything that no log may show."""
        from sqlalchemy import make_url

        secrets = [*self.webhook_secrets]
        if self.private_key is not None:
            secrets.append(self.private_key)
        if not self.database.is_sqlite and (password := make_url(self.database.url).password):
            secrets.append(Secret(password))
        secrets += [
            Secret(environment[name])
            for name in ("WANDB_API_KEY", "GITHUB_TOKEN")
            if environment.get(name)
        ]
        return secrets


def read_settings(environment: Mapping[str, str]) -> ServiceSettings:
    """The settings of an environment; raises UserError for a value that cannot be meant."""
    key = environment.get("RLBOT_PRIVATE_KEY", "").strip()
    file = environment.get("RLBOT_PRIVATE_KEY_FILE", "").strip()
    if file:
        try:
            key = Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                message(
                    "RLBOT_PRIVATE_KEY_FILE: {file} cannot be read: {error}.",
                    file=file,
                    error=sentence_of(error),
                )
            ) from None
    # One line in a unit file or a container's environment stands for the lines of the key.
    key = key.replace("\\n", "\n")
    return ServiceSettings(
        database=parse_database(environment.get("RLBOT_DATABASE_URL", DEFAULT_DATABASE)),
        webhook_secrets=tuple(
            Secret(text) for text in environment.get("RLBOT_WEBHOOK_SECRET", "").split()
        ),
        app_id=_whole(environment, "RLBOT_APP_ID", None),
        private_key=Secret(key) if key else None,
        worker_id=environment.get("RLBOT_WORKER_ID", "").strip() or f"rlbot@{socket.gethostname()}",
        concurrency=_whole(environment, "RLBOT_CONCURRENCY", 8) or 8,
        retention_days=_whole(environment, "RLBOT_RETENTION_DAYS", 90) or 90,
        private_runs=_yes(environment, "RLBOT_PRIVATE_RUNS"),
        public_url=environment.get("RLBOT_PUBLIC_URL", "").strip().rstrip("/") or None,
    )


def require_secret(settings: ServiceSettings) -> None:
    """Raise UserError when no webhook secret is set: an App that takes any webhook must not run."""
    if not settings.webhook_secrets:
        raise UserError(
            message(
                "RLBOT_WEBHOOK_SECRET is not set, so forged webhooks could not be told from real "
                "ones. Set it to the secret of the GitHub App (two, separated by a space, while it "
                "changes)."
            )
        )
    if any(len(secret.reveal()) < 16 for secret in settings.webhook_secrets):
        raise UserError(
            message(
                "A secret in RLBOT_WEBHOOK_SECRET has fewer than 16 characters; make one with "
                "`openssl rand -hex 32` and set it in the GitHub App too."
            )
        )


JOBS = Patience(longest_wait=10.0)
"""A longer limit is waited for by the steps of jobs, once for all of an installation."""


def identity_of(
    settings: ServiceSettings, environment: Mapping[str, str], patience: Patience = JOBS
) -> AppIdentity:
    """The App's identity; raises UserError when its id or key is not set."""
    if settings.app_id is None or settings.private_key is None:
        raise UserError(
            message(
                "RLBOT_APP_ID and RLBOT_PRIVATE_KEY_FILE are needed to sign in as the GitHub App; "
                "`rlbot app create` makes an App and writes both."
            )
        )
    return AppIdentity(
        app_id=settings.app_id,
        private_key=settings.private_key,
        addresses=Addresses.of(environment),
        patience=patience,
    )


def _whole(environment: Mapping[str, str], name: str, default: int | None) -> int | None:
    text = environment.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 53):
        raise UserError(
            message('{name} must be a whole number above 0; it is "{text}".', name=name, text=text)
        )
    return int(text)


def _yes(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "").strip().lower()
    if text not in ("", "no", "yes"):
        raise UserError(
            message('{name} must be "yes" or "no"; it is "{text}".', name=name, text=text)
        )
    return text == "yes"
