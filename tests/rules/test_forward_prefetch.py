from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "forward-prefetch"
A = "actor_rollout_ref.actor"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = f"{A}.fsdp_config.forward_prefetch"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(before=MIN),
        verl(f"{KEY}=True", before=RECOMMENDED),
        verl("trainer.n_gpus_per_node=1", before=RECOMMENDED),
        verl("model_engine=megatron", before=RECOMMENDED),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(before=RECOMMENDED),
        verl(f"{KEY}=False", before=RECOMMENDED),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
