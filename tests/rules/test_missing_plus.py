from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "missing-plus"
FREE = "actor_rollout_ref.model.override_config"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"+{FREE}.attn_implementation=eager"),
        verl(f"++{FREE}.attn_implementation=eager"),
        verl(f"+{FREE}.a=1", f"{FREE}.a=2"),
        verl("trainer.nothing=1"),
        verl("trainer.nnodes=1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


def test_a_new_key_below_a_free_mapping(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{FREE}.attn_implementation=eager")) == snapshot


def test_points_into_an_array(snapshot: SnapshotAssertion) -> None:
    key = "actor_rollout_ref.rollout.engine_kwargs.vllm.disable_mm_preprocessor_cache"
    script = f"ARGS=(\n    {key}=True\n)\n" + verl('"${ARGS[@]}"', before="# verl: 0.9.1")
    assert marked(SLUG, script) == snapshot
