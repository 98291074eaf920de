from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.base.messages import translated
from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "memory-impossible"
STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
    "data.max_prompt_length=512",
    "data.max_response_length=1024",
    "trainer.nnodes=1",
)
FOLDER = "examples/tuning/7b/qwen2.5-7b_grpo"
SMALL = f"{FOLDER}_2_rtx4090_fsdp_vllm.sh"
TWO = "trainer.n_gpus_per_node=2"


@pytest.mark.parametrize(
    ("script", "path"),
    [
        (verl(*STATIC, TWO), f"{FOLDER}_2_h100_fsdp_vllm.sh"),  # fits
        (verl(*STATIC, TWO), f"{FOLDER}_2_x99_fsdp_vllm.sh"),  # no known device
        (verl(*STATIC, TWO), "examples/tuning/run_qwen2.5_fsdp.sh"),  # no device in the name
        (verl(*STATIC, TWO, "actor_rollout_ref.model.path=my/own-7b"), SMALL),  # no known shape
        (verl(*STATIC, TWO, "actor_rollout_ref.model.path=$MODEL"), SMALL),
        (verl(*STATIC, "trainer.n_gpus_per_node=$N"), SMALL),
        (
            verl(
                *STATIC,
                TWO,
                "actor_rollout_ref.actor.ppo_mini_batch_size=$batch",
                before="batch=8 # 4√ 8√ 16×",
            ),
            SMALL,
        ),  # its own log says that it ran
    ],
)
def test_stays_silent(script: str, path: str) -> None:
    assert quiet(SLUG, script, path)


def test_says_the_sum(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(*STATIC, TWO), SMALL) == snapshot


def test_the_defaults_of_an_unknown_configuration_give_a_warning(
    snapshot: SnapshotAssertion,
) -> None:
    own = verl(*STATIC, TWO).replace("verl.trainer.main_ppo", "mine.trainer.main_ppo")
    assert marked(SLUG, own, SMALL) == snapshot


def test_a_device_without_a_source_gives_a_warning(snapshot: SnapshotAssertion) -> None:
    big = verl(*STATIC, TWO, "actor_rollout_ref.model.path=Qwen/Qwen2.5-72B")
    assert (
        marked(SLUG, big, "examples/tuning/72b/qwen2.5-72b_grpo_2_mi355x_fsdp_vllm.sh") == snapshot
    )


_SHARE = "actor_rollout_ref.rollout.gpu_memory_utilization"
_TENSOR = "actor_rollout_ref.rollout.tensor_model_parallel_size"
ONE = f"{_TENSOR}=1"
EIGHT = "trainer.n_gpus_per_node=8"
LARGE = f"{FOLDER}_8_h100_fsdp_vllm.sh"


@pytest.mark.parametrize(
    "settings",
    [
        (f"{_SHARE}=0.3", ONE),
        # Weights of 14.2 GiB: what is left for the cache is another rule's.
        (f"{_SHARE}=0.18", ONE),
        # Half of them on each GPU.
        (f"{_SHARE}=0.1", f"{_TENSOR}=2"),
        # Another argument says what the cache has.
        (
            f"{_SHARE}=0.1",
            ONE,
            "+actor_rollout_ref.rollout.engine_kwargs.vllm.kv_cache_memory_bytes=8589934592",
        ),
        (f"{_SHARE}=0.1", ONE, "actor_rollout_ref.rollout.name=hf"),
    ],
)
def test_a_share_that_holds_the_weights_is_fine(settings: tuple[str, ...]) -> None:
    assert quiet(SLUG, verl(*STATIC, EIGHT, *settings), LARGE)


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_a_share_below_the_weights_stops_the_engine(engine: str) -> None:
    script = verl(*STATIC, EIGHT, f"{_SHARE}=0.1", ONE, f"actor_rollout_ref.rollout.name={engine}")
    (finding,) = found(SLUG, script, LARGE)
    assert finding.message == (
        "the engine needs 14.2 GiB of each GPU to start (engine weights 14.2), and its share of "
        "the H100 is 8.0 GiB"
    )
    assert script.splitlines()[finding.line - 1].strip().startswith(_SHARE)


def test_figures_are_those_of_the_estimate() -> None:
    """The card's 23.65 GiB were 23.6 there and 23.7 here."""
    (finding,) = found(SLUG, verl(*STATIC, TWO), SMALL)
    assert "and the RTX4090 gives 23.6 GiB" in finding.message


def test_names_of_parts_and_stages_are_translated_with_the_sentence() -> None:
    (finding,) = found(SLUG, verl(*STATIC, TWO), SMALL)
    chinese = translated(finding.message, "zh")
    assert chinese.startswith("更新阶段")
    assert "优化器 28.4 + 权重 14.2 + 梯度 14.2" in chinese
