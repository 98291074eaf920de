"""The stand-in for GitHub, as the tests of `bot/github` have it."""

from __future__ import annotations

from tests.github.conftest import here, server, unpaced

__all__ = ["here", "server", "unpaced"]
