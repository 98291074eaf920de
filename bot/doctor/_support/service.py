"""What the checks of the App share: its settings, and a client that does not wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.base.extras import missing_library
from bot.doctor._support.base import TIMEOUT, Surroundings
from bot.github.client import Client, Patience

if TYPE_CHECKING:
    from bot.service.settings import ServiceSettings


def settings_of(around: Surroundings) -> ServiceSettings:
    """The App's settings. Raises UserError when one is wrong, or its libraries are missing."""
    try:
        from bot.service.settings import read_settings
    except ModuleNotFoundError as error:
        raise missing_library(error) or error from None
    return read_settings(around.environment)


@contextmanager
def client_of(around: Surroundings, settings: ServiceSettings) -> Iterator[Client]:
    """Signs in as the App. Raises UserError when it cannot, GitHubError when refused."""
    from bot.service.settings import identity_of

    patience = Patience(attempts=1, longest_wait=0, timeout=TIMEOUT)
    client = replace(identity_of(settings, around.environment), patience=patience).client()
    try:
        yield client
    finally:
        client.close()
