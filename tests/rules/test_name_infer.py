from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import PATH, marked, quiet

SLUG = "name-infer"
KEY = "actor_rollout_ref.rollout.name"


@pytest.mark.parametrize(
    ("script", "path"),
    [
        (verl(f"{KEY}=vllm"), PATH),
        (verl(f"{KEY}=sglang"), PATH.replace("vllm", "sglang")),
        (verl(f"{KEY}=vllm"), PATH.replace("vllm", "vllm0.8.3")),
        (verl(f"{KEY}=$ENGINE"), PATH),
        (verl(f"{KEY}=${{ENGINE:-vllm}}"), PATH),
        (verl(f"{KEY}=naive"), PATH),
        (verl(f"{KEY}=vllm"), PATH.replace("vllm", "npu")),
    ],
)
def test_stays_silent(script: str, path: str) -> None:
    assert quiet(SLUG, script, path)


def test_names_both_engines(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{KEY}=sglang")) == snapshot


def test_points_at_the_default_in_the_script(snapshot: SnapshotAssertion) -> None:
    script = verl(f"{KEY}=$engine", before="engine=${ENGINE:-sglang}")
    assert marked(SLUG, script) == snapshot
