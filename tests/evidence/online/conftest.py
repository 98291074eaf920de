"""A W&B of one's own for every test, with runs that the real SDK put there."""

from __future__ import annotations

import copy
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from bot.base.secrets import Secret
from bot.evidence.facts import EvidenceError, Facts
from bot.evidence.links import parse_link
from bot.evidence.online import Access, Bounds, process, read_online
from tests.evidence.samples import MATCHING
from tests.forked import Forked
from tests.runs.recipe import RunRecipe
from tests.wandb_server.server import KEY, Wandb
from tests.wandb_server.store import StoredRun
from tests.wandb_server.upload import kept_upload

Uploaded: TypeAlias = Callable[[RunRecipe], StoredRun]


@pytest.fixture(scope="session")
def uploaded() -> Uploaded:
    """What W&B holds of a recipe's run after `wandb sync`; a copy."""
    kept: dict[str, StoredRun] = {}

    def stored(recipe: RunRecipe) -> StoredRun:
        key = recipe.to_json()
        if key not in kept:
            kept[key] = kept_upload(recipe)
        return copy.deepcopy(kept[key])

    return stored


@pytest.fixture
def server() -> Iterator[Wandb]:
    """An empty server."""
    with Wandb().serving() as made:
        yield made


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading processes are forked from one that has the SDK, for tests of what they read."""

    def start(_: object, *, env: dict[str, str], cwd: str, **__: object) -> Forked:
        streams = (subprocess.PIPE, subprocess.PIPE, subprocess.DEVNULL)
        return Forked("bot.evidence.online.child:main", env=env, cwd=cwd, streams=streams)

    instead = SimpleNamespace(**vars(subprocess))
    instead.Popen = start
    monkeypatch.setattr(process, "subprocess", instead)


@dataclass
class Room:
    """A place to read in, where whatever is left behind is seen."""

    folder: Path
    server: Wandb

    def read(
        self,
        run: str = "abc123",
        *,
        key: str | None = None,
        allow_private: bool = False,
        siblings: int = 0,
        progress: Any = None,
        **bounds: Any,
    ) -> Facts:
        """The facts of a run on the server, or of another link; with so many siblings."""
        access = Access(
            base_url=self.server.url,
            key=Secret(key) if key else None,
            allow_private_runs=allow_private,
        )
        return read_online(
            parse_link(run if "://" in run else self.server.link(run), access.run_hosts()),
            access,
            bounds=Bounds(siblings=siblings, retry_seconds=0.05, **bounds),
            progress=progress,
        )

    def refused(self, *, within: float = 600.0, **more: Any) -> str:
        """The sentence of a reading that fails, `within` so many seconds."""
        begun = time.monotonic()
        with pytest.raises(EvidenceError) as caught:
            self.read(**more)
        assert time.monotonic() - begun < within
        message = str(caught.value)
        assert message.endswith(".")
        assert "\n" not in message
        assert KEY not in message
        assert caught.value.__cause__ is None
        return message.replace(self.server.url.partition("://")[2], "HOST")


def processes_of(folder: Path) -> list[int]:
    """Processes in `folder`, or whose environment names it: readers and the SDK's services."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environment = (entry / "environ").read_bytes()
                place = (entry / "cwd").readlink()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            ours = str(folder).encode() in environment or place.is_relative_to(folder)
            if ours and state != "Z":
                found.append(int(entry.name))
    return found


@pytest.fixture
def room(server: Wandb, uploaded: Uploaded) -> Iterator[Room]:
    """A room with the matching run on the server; afterwards no process and no file may be left."""
    server.store.add(uploaded(MATCHING))
    # Not pytest's own folder, whose name the test process may have in its environment.
    folder = Path(tempfile.mkdtemp(prefix="room-"))
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield Room(folder, server)
        assert processes_of(folder) == []
        assert list(folder.iterdir()) == []
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)
