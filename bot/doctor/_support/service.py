"""What the checks of the App share: its settings, and a client that does not wait."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from bot.base.extras import missing_library
from bot.doctor._support.base import TIMEOUT, Surroundings
from bot.github.client import Client, Patience

if TYPE_CHECKING:
    from bot.service.settings import ServiceSettings


def settings_of(around: Surroundings) -> tuple[ServiceSettings, dict[str, str]]:
    """The App's settings, and for each variable that is wrong the sentence that says why.

    Raises UserError when the App's libraries are missing.
    """
    try:
        from bot.service.settings import known_settings
    except ModuleNotFoundError as error:
        raise missing_library(error) or error from None
    return known_settings(around.environment)


def signs_in(settings: ServiceSettings, wrong: Collection[str]) -> bool:
    """Whether number and key of the App are there and can be meant."""
    from bot.service.settings import APP_ID, PRIVATE_KEY

    there = settings.app_id is not None and settings.private_key is not None
    return there and APP_ID not in wrong and PRIVATE_KEY not in wrong


def client_of(around: Surroundings, settings: ServiceSettings) -> Client:
    """A client that speaks as the App. Raises UserError when its key is none."""
    from bot.service.settings import identity_of

    patience = Patience(attempts=1, longest_wait=0, timeout=TIMEOUT)
    return identity_of(settings, around.environment, patience).client()
