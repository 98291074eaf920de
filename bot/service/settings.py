"""The App's settings: from the environment alone, since a file would be one more place to leak."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from sqlalchemy import make_url

from bot.base.digits import is_digits
from bot.base.errors import UserError, system_reason
from bot.base.fast_dataclass import dataclass
from bot.base.messages import message, sentence_of
from bot.base.secrets import Secret
from bot.github.addresses import Addresses
from bot.github.app import AppIdentity
from bot.github.client import Patience
from bot.service.database import Database, parse_database

DEFAULT_DATABASE = "rlbot.sqlite"
DATABASE: Final = "RLBOT_DATABASE_URL"
APP_ID: Final = "RLBOT_APP_ID"
PRIVATE_KEY: Final = "RLBOT_PRIVATE_KEY_FILE"


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
        secrets = [*self.webhook_secrets]
        if self.private_key is not None:
            secrets.append(self.private_key)
        if not self.database.is_sqlite and (password := make_url(self.database.url).password):
            secrets.append(Secret(password))
        secrets += [Secret(environment[name]) for name in _KEYS if environment.get(name)]
        return secrets


_KEYS = (
    "WANDB_API_KEY",
    "MLFLOW_TRACKING_TOKEN",
    "MLFLOW_TRACKING_PASSWORD",
    "SWANLAB_API_KEY",
    "HF_TOKEN",
    "GITHUB_TOKEN",
)
MOST_AT_ONCE = 256
MOST_DAYS = 36_500
_T = TypeVar("_T")
_UNREAD = Secret("-")


def read_settings(
    environment: Mapping[str, str], *, webhooks: bool = False, github: bool = False
) -> ServiceSettings:
    """The settings of an environment.

    Raises UserError that names every value that cannot be meant, and all that is missing for a
    process that takes `webhooks`, or works on `github` as the App. Touches neither database nor
    network.
    """
    settings, wrong = known_settings(environment)
    problems = [*wrong.values()]
    needed: list[Callable[[], object]] = []
    if webhooks:
        needed.append(lambda: require_secret(settings))
    if github:
        needed.append(lambda: require_identity(settings))
        needed.append(lambda: _require_addresses(environment))
    for require in needed:
        try:
            require()
        except UserError as error:
            problems.append(sentence_of(error))
    if problems:
        raise UserError(
            reduce(lambda one, more: message("{one} {more}", one=one, more=more), problems)
        )
    return settings


def known_settings(environment: Mapping[str, str]) -> tuple[ServiceSettings, dict[str, str]]:
    """The settings, and for each variable whose value cannot be meant the sentence that says why.

    Something else stands in the place of such a value, so that it is not reported as missing too.
    """
    wrong: dict[str, str] = {}

    def taken(name: str, read: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return read()
        except UserError as error:
            wrong[name] = sentence_of(error)
            return otherwise

    def whole(name: str, most: int, otherwise: int | None) -> int | None:
        return taken(name, lambda: _whole_number(environment, name, most), otherwise)

    unread_key: Secret | None = _UNREAD
    url = environment.get(DATABASE, "").strip() or DEFAULT_DATABASE
    settings = ServiceSettings(
        database=taken(DATABASE, lambda: parse_database(url), parse_database(DEFAULT_DATABASE)),
        webhook_secrets=tuple(
            Secret(text) for text in _unquoted(environment.get("RLBOT_WEBHOOK_SECRET", "")).split()
        ),
        app_id=whole(APP_ID, (1 << 53) - 1, 1),
        private_key=taken(PRIVATE_KEY, lambda: _private_key(environment), unread_key),
        worker_id=environment.get("RLBOT_WORKER_ID", "").strip() or f"rlbot@{socket.gethostname()}",
        concurrency=whole("RLBOT_CONCURRENCY", MOST_AT_ONCE, None) or 8,
        retention_days=whole("RLBOT_RETENTION_DAYS", MOST_DAYS, None) or 90,
        private_runs=taken(
            "RLBOT_PRIVATE_RUNS", lambda: _yes(environment, "RLBOT_PRIVATE_RUNS"), False
        ),
        public_url=taken("RLBOT_PUBLIC_URL", lambda: _public_url(environment), None),
    )
    return settings, wrong


def _unquoted(text: str) -> str:
    """A value without the double quotes that systemd and a shell take away, and Docker leaves."""
    match = re.fullmatch(r'\s*"(.*)"\s*', text)
    return match[1] if match else text


def _private_key(environment: Mapping[str, str]) -> Secret | None:
    """The App's key; raises UserError when it cannot be read."""
    key = environment.get("RLBOT_PRIVATE_KEY", "").strip()
    if file := environment.get("RLBOT_PRIVATE_KEY_FILE", "").strip():
        try:
            key = Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = system_reason(error) if isinstance(error, OSError) else message("it is not text")
            raise UserError(
                "RLBOT_PRIVATE_KEY_FILE: {file} cannot be read: {why}.", file=file, why=why
            ) from None
    if not key.strip():
        return None
    # One line in a unit file or a container's environment stands for the lines of the key.
    key = key.replace("\\n", "\n")
    return Secret(key)


def require_secret(settings: ServiceSettings) -> None:
    """Raise UserError when no webhook secret is set: an App that takes any webhook must not run."""
    if not settings.webhook_secrets:
        raise UserError(
            "RLBOT_WEBHOOK_SECRET is not set, so forged webhooks could not be told from real "
            "ones. Set it to the secret of the GitHub App (two, separated by a space, while it "
            "changes)."
        )
    if any(len(secret.reveal()) < 16 for secret in settings.webhook_secrets):
        raise UserError(
            "A secret in RLBOT_WEBHOOK_SECRET has fewer than 16 characters; make one with "
            "`openssl rand -hex 32` and set it in the GitHub App too."
        )


def require_identity(settings: ServiceSettings) -> tuple[int, Secret]:
    """The App's number and key; raises UserError when one is missing, or the key is none."""
    if settings.app_id is None or settings.private_key is None:
        raise UserError(
            "RLBOT_APP_ID and RLBOT_PRIVATE_KEY_FILE are needed to sign in as the GitHub App; "
            "`rlbot app create` makes an App and writes both."
        )
    if settings.private_key is not _UNREAD and not _is_rsa(settings.private_key):
        raise UserError(
            "What RLBOT_PRIVATE_KEY_FILE or RLBOT_PRIVATE_KEY holds is no RSA private key in "
            "PEM form; make a new one on the App's page."
        )
    return settings.app_id, settings.private_key


def _is_rsa(key: Secret) -> bool:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        found = load_pem_private_key(key.reveal().encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
    return isinstance(found, RSAPrivateKey)


def _require_addresses(environment: Mapping[str, str]) -> None:
    """Raise UserError for an address of GitHub or of W&B that no token may be sent to."""
    from bot.evidence.online.access import Access

    Addresses.of(environment)
    Access.from_environment(environment)


JOBS = Patience(longest_wait=10.0)
"""A longer limit is waited for by the steps of jobs, once for all of an installation."""


def identity_of(
    settings: ServiceSettings, environment: Mapping[str, str], patience: Patience = JOBS
) -> AppIdentity:
    """The App's identity; raises UserError when its id or key is not set, or wrong."""
    app_id, private_key = require_identity(settings)
    return AppIdentity(
        app_id=app_id,
        private_key=private_key,
        addresses=Addresses.of(environment),
        patience=patience,
    )


def _whole_number(environment: Mapping[str, str], name: str, most: int) -> int | None:
    text = environment.get(name, "").strip()
    if not text:
        return None
    if not (is_digits(text) and len(text) < 20 and 0 < int(text) <= most):
        raise UserError(
            '{name} must be a whole number from 1 to {most}; it is "{text}".',
            name=name,
            most=most,
            text=text[:40],
        )
    return int(text)


def _public_url(environment: Mapping[str, str]) -> str | None:
    text = environment.get("RLBOT_PUBLIC_URL", "").strip().rstrip("/")
    parts = urlsplit(text)
    if text and not (parts.scheme in ("http", "https") and parts.hostname):
        raise UserError('RLBOT_PUBLIC_URL must be an address; it is "{text}".', text=text[:200])
    return text or None


def _yes(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "").strip().lower()
    if text not in ("", "no", "yes"):
        raise UserError('{name} must be "yes" or "no"; it is "{text}".', name=name, text=text)
    return text == "yes"
