from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import lines, verl
from tests.rules.helpers import PATH, marked, quiet

SLUG = "name-algorithm"
KEY = "algorithm.adv_estimator"
PPO = PATH.replace("grpo", "ppo")


@pytest.mark.parametrize(
    ("script", "path"),
    [
        (verl(f"{KEY}=grpo"), PATH),
        (verl(f"{KEY}=gae"), PPO),
        (lines("trainer.nnodes=1"), PPO),
        (verl(f"{KEY}=grpo"), PATH.replace("grpo", "grpo-lora")),
        (verl(f"{KEY}=grpo"), PATH.replace("grpo", "dapo")),
        (verl(f"{KEY}=grpo"), PATH.replace("grpo", "gspo")),
        (verl(f"{KEY}=my_own"), PATH),
        (verl(f"{KEY}=$ADV"), PATH),
    ],
)
def test_stays_silent(script: str, path: str) -> None:
    assert quiet(SLUG, script, path)


def test_names_both_algorithms(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{KEY}=rloo")) == snapshot


def test_grpo_in_the_name_and_ppo_by_default(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, lines("trainer.nnodes=1")) == snapshot


def test_ppo_in_the_name_and_grpo_in_the_settings(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(f"{KEY}=$adv", before="adv=grpo"), PPO) == snapshot
