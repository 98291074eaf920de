"""The stand-in for GitHub, fresh for each test; what breaks GitHub's description fails the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.github.client import Pace
from tests.github.server import Server
from tests.github.world import World, world


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "github") as server:
        yield server
        assert not server.broken, "\n".join(server.broken)


@pytest.fixture
def here(server: Server) -> World:
    return world(server)


@pytest.fixture
def unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second passes between the writes of a command, whose client no test makes."""
    monkeypatch.setattr(Pace, "turn", lambda _self, _between: 0.0)
