from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "costly-option"
A = "actor_rollout_ref.actor"
R = "actor_rollout_ref.rollout"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = f"{A}.fsdp_config.param_offload"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=True"),
        verl(f"{KEY}=True", before=MIN),
        verl(f"{KEY}=$OFFLOAD", before=RECOMMENDED),
        verl(before=RECOMMENDED),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=True", f"{R}.enforce_eager=True", before=RECOMMENDED),
        verl("model_engine=megatron", f"{A}.megatron.optimizer_offload=True", before=RECOMMENDED),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
