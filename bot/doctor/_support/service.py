"""What the checks of the App have in common: its settings, and a client that does not wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.doctor._support.base import Surroundings
from bot.github.client import Client, Patience

if TYPE_CHECKING:
    from bot.service.settings import Settings


def is_asked(environment: Mapping[str, str]) -> bool:
    """True where somebody runs the App: its settings are nobody else's business."""
    return any(name.startswith("RLBOT_") and environment[name] for name in environment)


def settings_of(around: Surroundings) -> Settings:
    """The App's settings. Raises UserError when one is wrong, or its libraries are missing."""
    try:
        from bot.service.settings import read_settings
    except ModuleNotFoundError as error:
        raise UserError(
            f"The App's libraries are not installed ({error.name}): "
            '`pip install "rlbot-tuning[service]"`.'
        ) from None
    return read_settings(around.environment)


@contextmanager
def client_of(around: Surroundings) -> Iterator[Client]:
    """Speaks as the App. Raises UserError when it cannot sign in, GitHubError when refused."""
    from bot.service.settings import identity_of

    identity = identity_of(settings_of(around), around.environment)
    patience = Patience(attempts=1, longest_wait=0, timeout=int(around.timeout) or 1)
    client = replace(identity, patience=patience).client()
    try:
        yield client
    finally:
        client.close()
