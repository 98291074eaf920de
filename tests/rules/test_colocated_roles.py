from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf
from tests.rules.helpers import marked, quiet

SLUG = "colocated-roles"
PPO = ("--algo.advantage.estimator gae", "--critic.num_nodes 1")


@pytest.mark.parametrize(
    "script",
    [
        openrlhf(),
        openrlhf("--ref.num_gpus_per_node $GPUS"),
        openrlhf("--ref.num_gpus_per_node 4", "--algo.kl.init_coef 0"),
        openrlhf("--ref.num_gpus_per_node 4", without=("--train.colocate_all",)),
        openrlhf(*PPO, "--critic.num_gpus_per_node 4"),
        openrlhf("--critic.num_gpus_per_node 4", "--train.colocate_critic_reward"),  # no critic
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        openrlhf("--ref.num_gpus_per_node 4"),
        openrlhf(
            "--ref.num_nodes 2", "--train.colocate_actor_ref", without=("--train.colocate_all",)
        ),
        openrlhf(*PPO, "--critic.num_gpus_per_node 4", "--train.colocate_critic_reward"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
