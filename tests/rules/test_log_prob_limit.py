from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "log-prob-limit"
A = "actor_rollout_ref.actor"
R = "actor_rollout_ref.rollout"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{A}.ppo_max_token_len_per_gpu=32768"),
        verl(f"{A}.ppo_max_token_len_per_gpu=8192", f"{R}.log_prob_max_token_len_per_gpu=8192"),
        verl(f"{R}.log_prob_max_token_len_per_gpu=$TOKENS"),
        verl(f"{R}.log_prob_micro_batch_size_per_gpu=1", f"{A}.ppo_micro_batch_size_per_gpu=4"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{A}.ppo_max_token_len_per_gpu=16384", f"{R}.log_prob_max_token_len_per_gpu=8192"),
        verl(
            f"{A}.use_dynamic_bsz=False",
            f"{A}.ppo_micro_batch_size_per_gpu=4",
            "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=2",
        ),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
