from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "tee-without-pipefail"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(end=" > run.log 2>&1"),
        verl(before="set -o pipefail", end=" | tee run.log"),
        verl(before="set -xeuo pipefail", end=" 2>&1 | tee run.log"),
        verl(end=" | tee run.log\nexit ${PIPESTATUS[0]}"),
        "ls | tee files\n" + verl(),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize("end", [" 2>&1 | tee run.log", " | grep -v debug | tee run.log"])
def test_a_pipe_whose_status_is_lost(end: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(end=end)) == snapshot
