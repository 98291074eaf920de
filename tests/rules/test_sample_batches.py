from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf
from tests.rules.helpers import marked, quiet

SLUG = "sample-batches"
BATCH, MICRO = "--rollout.batch_size", "--rollout.micro_batch_size"


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(),
        openrlhf(f"{BATCH} 8", f"{MICRO} 8"),
        openrlhf(f"{BATCH} 1", f"{MICRO} 2", "--ds.ring_attn_size 2"),
        openrlhf(f"{BATCH} $BATCH", f"{MICRO} 64"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(f"{BATCH} 8", f"{MICRO} 16"),
        openrlhf(f"{BATCH} 1", f"{MICRO} 4", "--ds.ring_attn_size 2"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
