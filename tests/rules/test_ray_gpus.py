from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "ray-gpus"
EIGHT = ("trainer.n_gpus_per_node=8", "trainer.nnodes=1")


@pytest.mark.parametrize(
    "before",
    [
        "ray start --head",
        "ray start --head --num-gpus 8",
        "ray start --head --num-gpus=16 --port 6379",
        'ray start --head --num-gpus "$GPUS"',
        "ray start --head --num-gpus 4 --address $HEAD",
        "ray start --head --num-gpus 4\nray start --address 10.0.0.1:6379 --num-gpus 4",
        "ray start --head --num-gpus 4\nray stop\nray start --head --num-gpus 8",
        "if nvidia-smi; then ray start --head --num-gpus 4; fi",
        "ray start --head --num-gpus 4\nexport RAY_ADDRESS=10.0.0.1:6379",
        "echo ray start --head --num-gpus 4",
        "# ray start --head --num-gpus 4",
    ],
)
def test_stays_silent(before: str) -> None:
    assert quiet(SLUG, verl(*EIGHT, before=before))


@pytest.mark.parametrize(
    "settings",
    [
        ("trainer.n_gpus_per_node=8", "trainer.nnodes=2"),
        ("trainer.n_gpus_per_node=4", "trainer.nnodes=1"),
        ("trainer.n_gpus_per_node=$N", "trainer.nnodes=1"),
        ("trainer.n_gpus_per_node=8", "trainer.nnodes=$N"),
    ],
)
def test_stays_silent_where_it_fits_or_is_not_known(settings: tuple[str, ...]) -> None:
    assert quiet(SLUG, verl(*settings, before="ray start --head --num-gpus 4"))


def test_a_head_that_is_started_afterwards_is_for_the_next_launch() -> None:
    assert quiet(SLUG, verl(*EIGHT) + "\nray start --head --num-gpus 4\n")


@pytest.mark.parametrize(
    "before",
    ["ray start --head --num-gpus 4", "N=4\nray start --head --num-gpus=$N --block &"],
)
def test_a_cluster_that_is_too_small(before: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(*EIGHT, before=before)) == snapshot
