"""The stand-in for GitHub, fresh for each test; what breaks GitHub's description fails the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
