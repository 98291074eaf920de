from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf, trl, verl
from tests.rules.helpers import marked, quiet

SLUG = "activations-kept"
MIN = "# tag: MIN"
RECOMMENDED = "# tag: RECOMMENDED"
KEY = "actor_rollout_ref.model.enable_gradient_checkpointing"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{KEY}=$CHECKPOINTING"),
        verl(f"{KEY}=False", before=RECOMMENDED),
        openrlhf("--actor.gradient_checkpointing_enable"),
        trl(),
        trl("--gradient_checkpointing False", "--config recipe.yaml") + "# tag: RECOMMENDED\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{KEY}=False"),
        openrlhf(),
        trl("--gradient_checkpointing False"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
