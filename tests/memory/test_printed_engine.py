"""What vLLM's share of the card bounds, by the releases of verl that came with each of its ways."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memory.printed import component, stage
from tests.memory.test_printed import GIB, P, verl

_ACTOR = "actor_rollout_ref.actor.fsdp_config"
_TOTAL = 81_559 / 1024
"""GiB of the H100 that the launches are estimated for."""
_SHARE = 0.4
_PARTS = ("engine weights", "engine cache", "engine activations")
_SHARD = 4 * P / 8
"""GiB of the actor's weights on each of eight GPUs, in fp32."""


def _engine(made: dict[str, Any]) -> float:
    return sum(component(made, "rollout", name) for name in _PARTS)


@pytest.mark.parametrize("release", ["0.5.0", "0.7.0", "0.9.1"])
@pytest.mark.parametrize("offload", [False, True])
def test_since_091_it_is_what_the_engine_takes(release: str, offload: bool) -> None:
    made = verl(f"{_ACTOR}.param_offload={offload}", release=release)
    assert _engine(made) == pytest.approx(_SHARE * _TOTAL, abs=0.05)


@pytest.mark.parametrize(
    ("release", "offload", "there"),
    [
        ("0.4.1", False, _SHARD),
        ("0.4.1", True, 0.0),
        ("0.3.0.post1", False, _SHARD),
        # Its workers offload the actor after the engine has started.
        ("0.3.0.post1", True, _SHARD),
    ],
)
def test_before_it_is_what_all_take_together(release: str, offload: bool, there: float) -> None:
    made = verl(f"{_ACTOR}.param_offload={offload}", release=release)
    contexts = component(made, "rollout", "contexts")
    assert _engine(made) == pytest.approx(_SHARE * _TOTAL - there - contexts, abs=0.05)


def test_states_that_come_with_the_first_step_are_not_part_of_it() -> None:
    """AdamW's moments are there when the engine wakes for the second time."""
    made = verl(release="0.4.1")
    idle = component(made, "rollout", "actor, idle")
    assert idle == pytest.approx(3 * _SHARD, rel=0.01)
    whole = stage(made, "rollout")["expected_gib"]
    assert whole == pytest.approx(_SHARE * _TOTAL + idle - _SHARD, abs=0.05)


def test_verls_own_worker_gives_the_cache_a_share_of_what_is_free() -> None:
    """vLLM up to 0.6.3, with which verl 0.2 came."""
    made = verl(release="0.2")
    besides = component(made, "rollout", "contexts") + _SHARD
    besides += component(made, "rollout", "engine weights") + component(
        made, "rollout", "engine activations"
    )
    assert component(made, "rollout", "engine cache") == pytest.approx(
        _SHARE * (_TOTAL - besides), abs=0.05
    )


def test_a_set_size_of_the_cache_is_no_share() -> None:
    given = "+actor_rollout_ref.rollout.engine_kwargs.vllm.kv_cache_memory_bytes=8589934592"
    assert component(verl(given, release="0.4.1"), "rollout", "engine cache") == pytest.approx(
        8 * 2**30 / GIB, abs=0.01
    )


def test_a_reward_models_own_gpus_are_not_the_rollouts() -> None:
    """Only the rollout's own nodes make it one apart (`rollout.nnodes`)."""
    reward = "reward.reward_model"
    made = verl(
        f"{reward}.enable=True",
        f"{reward}.enable_resource_pool=True",
        f"{reward}.n_gpus_per_node=8",
        f"{reward}.nnodes=1",
        f"{reward}.model_path=Qwen/Qwen2.5-7B",
        release="0.9.1",
    )
    assert stage(made, "rollout")["pool"] == "all roles"
    assert component(made, "rollout", "actor, idle") > 0
    own = "actor_rollout_ref.rollout"
    made = verl(f"{own}.nnodes=1", f"{own}.n_gpus_per_node=8", release="0.9.1")
    assert stage(made, "rollout")["pool"] == "rollout"
