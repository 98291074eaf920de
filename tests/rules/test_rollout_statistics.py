from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "rollout-statistics"
R = "actor_rollout_ref.rollout"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = f"{R}.disable_log_stats"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{KEY}=True"),
        verl(before=MIN),
        verl(f"{KEY}=False", before=RECOMMENDED),
        verl(f"{KEY}=$QUIET", before=RECOMMENDED),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(before=RECOMMENDED),
        verl(f"{KEY}=True", before=RECOMMENDED),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
