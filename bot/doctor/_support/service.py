"""What the checks of the App share: its settings, and a client that does not wait."""

from __future__ import annotations

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


def client_of(around: Surroundings, settings: ServiceSettings) -> Client:
    """A client that speaks as the App. Raises UserError when its key is none."""
    from bot.service.settings import identity_of

    patience = Patience(attempts=1, longest_wait=0, timeout=TIMEOUT)
    return identity_of(settings, around.environment, patience).client()
