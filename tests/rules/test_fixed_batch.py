from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "fixed-batch"
A = "actor_rollout_ref.actor"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{A}.use_dynamic_bsz=$DYNAMIC"),
        verl(f"{A}.use_dynamic_bsz=False", before=MIN),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{A}.use_dynamic_bsz=False", f"{A}.ppo_micro_batch_size_per_gpu=4"),
        verl(f"{A}.use_dynamic_bsz=False", before=RECOMMENDED),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
