"""A run folder after `wandb sync`: the SDK's mark beside the log changes nothing that is read."""

from __future__ import annotations

import shutil
from pathlib import Path

from bot.evidence import read
from tests.conftest import WrittenRun
from tests.evidence.samples import MATCHING
from tests.wandb_server.server import Wandb
from tests.wandb_server.upload import sync


def test_a_folder_that_was_synced_reads_as_it_did_before(
    written: WrittenRun, tmp_path: Path
) -> None:
    folder = tmp_path / written(MATCHING).name
    shutil.copytree(written(MATCHING), folder)
    before = read(folder)
    with Wandb().serving() as server:
        sync(server, folder)
    assert [mark.name for mark in folder.glob("*.wandb.synced")], sorted(folder.iterdir())
    after = read(folder)
    assert after == before
    assert before.history
    for name, series in before.history.items():
        assert after.history[name].values == series.values, name
