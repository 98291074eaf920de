"""What must work before the App counts as ready, besides its database."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing

from bot.service.app import ReadinessCheck
from bot.service.settings import ServiceSettings, identity_of

KEPT = 60.0
"""Seconds for which GitHub's answer is believed: a probe every second must not cost requests."""


def checks(settings: ServiceSettings) -> Iterator[ReadinessCheck]:
    """The checks that the settings ask for."""
    if settings.app_id is not None or settings.private_key is not None:
        yield ReadinessCheck("github", GitHubCheck(settings))


class GitHubCheck:
    """Whether the App can sign in at GitHub."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._until = 0.0
        self._error: Exception | None = None

    def __call__(self) -> None:
        """Raise GitHubError or UserError when it cannot."""
        if time.monotonic() > self._until:
            self._error = None
            try:
                with closing(identity_of(self._settings, os.environ).client()) as client:
                    client.get("/app")
            except Exception as error:
                self._error = error
            self._until = time.monotonic() + KEPT
        if self._error is not None:
            raise self._error
