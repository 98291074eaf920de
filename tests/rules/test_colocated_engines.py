from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf
from tests.rules.helpers import marked, quiet

SLUG = "colocated-engines"
ENGINES = "--vllm.num_engines"


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(),
        openrlhf(f"{ENGINES} $ENGINES"),
        openrlhf(f"{ENGINES} 8", "--train.async_enable"),
        openrlhf(f"{ENGINES} 8", without=("--train.colocate_all",)),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(f"{ENGINES} 8"),
        openrlhf(f"{ENGINES} 1", "--vllm.tensor_parallel_size 3"),
        openrlhf(f"{ENGINES} 4", "--actor.num_nodes 2", "--ref.num_nodes 2"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
