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


@pytest.mark.parametrize("release", ["0.8.0", "0.9.1"])
def test_tensorrt_gives_the_cache_a_share_of_what_is_free(release: str) -> None:
    """`free_gpu_memory_fraction` of verl's trtllm_async_server.py; its own argument wins."""
    rollout = "actor_rollout_ref.rollout"
    made = verl(f"{rollout}.name=trtllm", release=release)
    parts = [component(made, "rollout", name) for name in _PARTS]
    besides = component(made, "rollout", "contexts") + _SHARD + parts[0] + parts[2]
    assert parts[1] == pytest.approx(_SHARE * (_TOTAL - besides), abs=0.05)
    given = f"+{rollout}.engine_kwargs.trtllm.kv_cache_config.free_gpu_memory_fraction=0.2"
    other = verl(f"{rollout}.name=trtllm", given, release=release)
    assert component(other, "rollout", "engine cache") == pytest.approx(parts[1] / 2, abs=0.05)
    vllm = verl(release=release)
    assert made["allocated"]["engine_gib"] == vllm["allocated"]["engine_gib"]


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


_LEGACY = "trainer.use_legacy_worker_impl=disable"
_FSDP1 = "actor_rollout_ref.actor.strategy=fsdp"
_LORA = (
    _FSDP1,
    "actor_rollout_ref.model.lora_rank=16",
    "actor_rollout_ref.rollout.load_format=safetensors",
)


@pytest.mark.parametrize(
    ("release", "settings", "first"),
    [
        ("0.6.1", (), False),
        ("0.7.1", (), False),
        ("0.7.0", (_LEGACY,), False),
        ("0.7.1", (_LEGACY,), True),
        ("0.8.0", (), True),
        ("0.9.1", (), True),
    ],
)
def test_an_engine_may_wake_before_the_weights_are_collected(
    release: str, settings: tuple[str, ...], first: bool
) -> None:
    """`update_weights` of verl's `engine_workers.py`; the workers before collect first."""
    made = verl(*_LORA, *settings, release=release)
    assert component(made, "weight sync", "gathered weights") == pytest.approx(4 * P, rel=0.01)
    assert (component(made, "weight sync", "engine weights") > 0) is first


_CACHED = (f"{_ACTOR}.param_offload=False", f"{_ACTOR}.optimizer_offload=False")
_OFFLOADED = (f"{_ACTOR}.param_offload=True", f"{_ACTOR}.optimizer_offload=False")


def _beside(made: dict[str, Any], name: str) -> float:
    """GiB at the conservative level of a stage, but for contexts and the engine."""
    return float(stage(made, name)["conservative_gib"]) - component(made, name, "engine weights")


@pytest.mark.parametrize(
    ("release", "settings"),
    [
        ("0.7.1", _CACHED),
        ("0.7.0", (*_CACHED, _LEGACY)),
        ("0.9.0", _CACHED),
        ("0.9.1", _CACHED),
        ("0.8.0", _OFFLOADED),
        ("0.7.1", (*_OFFLOADED, _LEGACY)),
    ],
)
@pytest.mark.parametrize("strategy", ["fsdp", "fsdp2"])
def test_an_emptied_cache_is_not_beside_an_engine_that_wakes(
    release: str, settings: tuple[str, ...], strategy: str
) -> None:
    made = verl(f"actor_rollout_ref.actor.strategy={strategy}", *settings, release=release)
    assert _beside(made, "weight sync") < 0.8 * _beside(made, "update")


@pytest.mark.parametrize(("release", "settings"), [("0.8.0", ()), ("0.7.1", (_LEGACY,))])
@pytest.mark.parametrize("strategy", ["fsdp", "fsdp2"])
def test_the_updates_cache_is_beside_an_engine_that_wakes(
    release: str, settings: tuple[str, ...], strategy: str
) -> None:
    """An RTX 5090 ran out of memory as its engine woke beside 21.1 GiB that torch had reserved."""
    settings = (f"actor_rollout_ref.actor.strategy={strategy}", *_CACHED, *settings)
    made = verl(*settings, release=release)
    trained = max(_beside(made, name) for name in ("update", "optimizer"))
    assert _beside(made, "weight sync") == pytest.approx(trained, abs=0.05)
    # The level that is expected has what is allocated alone.
    assert component(made, "weight sync", "allocator") < 0.5


def test_fsdps_optimizer_leaves_blocks_behind_when_it_goes_to_the_host() -> None:
    """`FSDPEngine.to` empties the cache between the weights and the optimizer."""
    made = verl(*_OFFLOADED[:1], f"{_ACTOR}.optimizer_offload=True", release="0.8.0")
    less = verl(*_OFFLOADED[:1], f"{_ACTOR}.optimizer_offload=True", release="0.9.0")
    more = _beside(made, "weight sync") - _beside(less, "weight sync")
    gathered = component(made, "weight sync", "gathered weights")
    assert more == pytest.approx(2 * _SHARD - _SHARD - gathered, abs=0.1)


def test_an_engine_that_may_not_sleep_stays_awake() -> None:
    """`enable_sleep_mode`, since 0.7.0 beside `free_cache_engine`."""
    off, asleep, awake = (
        verl(f"actor_rollout_ref.rollout.{setting}", release="0.8.0")
        for setting in (
            "free_cache_engine=False",
            "enable_sleep_mode=True",
            "enable_sleep_mode=False",
        )
    )
    assert component(asleep, "update", "engine cache") == 0
    assert component(awake, "update", "engine cache") == component(off, "update", "engine cache")
    assert component(awake, "update", "engine cache") > 1


@pytest.mark.parametrize(
    ("release", "asleep"), [("0.3.0.post1", True), ("0.4.1", True), ("0.5.0", False)]
)
def test_an_engine_sleeps_whatever_is_asked_before_0_5(release: str, asleep: bool) -> None:
    """verl-agent and its copies write `free_cache_engine=False`, which their code never reads."""
    made = verl("actor_rollout_ref.rollout.free_cache_engine=False", release=release)
    assert (component(made, "update", "engine cache") == 0) == asleep
    helps = [str(option["setting"]) for option in made["options"]]
    assert any("free_cache_engine" in one for one in helps) != asleep


@pytest.mark.parametrize(
    ("off", "named"),
    [
        (("free_cache_engine",), "free_cache_engine=True"),
        (("enable_sleep_mode",), "enable_sleep_mode=True"),
        (
            ("free_cache_engine", "enable_sleep_mode"),
            "free_cache_engine=True {0}.enable_sleep_mode=True",
        ),
    ],
)
def test_what_lets_it_sleep_is_the_setting_that_is_off(off: tuple[str, ...], named: str) -> None:
    rollout = "actor_rollout_ref.rollout"
    made = verl(*(f"{rollout}.{key}=False" for key in off), release="0.8.0")
    helps = [str(option["setting"]) for option in made["options"]]
    assert [one for one in helps if one.startswith(rollout)] == [
        f"{rollout}.{named.format(rollout)}"
    ]


_UTILIZATION = "actor_rollout_ref.rollout.gpu_memory_utilization"


@pytest.mark.parametrize("release", ["0.4.1", "0.8.0", "0.9.1"])
def test_an_engine_does_not_start_in_a_share_below_its_weights(release: str) -> None:
    """Lowering the share only ever helped."""
    made = verl(f"{_UTILIZATION}=0.02", release=release)
    short = made["engine_short"]
    assert made["outcome"] == "impossible"
    assert short["components"] == {"engine weights": short["needed_gib"]}
    assert short["share_gib"] == pytest.approx(0.02 * made["memory_gib"], abs=0.01)
    assert verl(f"{_UTILIZATION}=0.6", release=release)["engine_short"] is None


def test_a_share_of_what_is_free_holds_no_weights() -> None:
    """verl's own worker for vLLM up to 0.6.3 gives the cache alone its share."""
    made = verl(f"{_UTILIZATION}=0.02", release="0.2.0.post2")
    assert made["stages"]
    assert made["engine_short"] is None


def test_a_small_share_beside_what_is_not_read_is_no_verdict() -> None:
    offloads = "+actor_rollout_ref.rollout.engine_kwargs.vllm.cpu_offload_gb=8"
    made = verl(f"{_UTILIZATION}=0.02", offloads, release="0.8.0")
    assert made["outcome"] == "no prediction"
    assert "cpu_offload_gb may change what the engine takes and is not modelled" in made["reason"]
