"""Which roles a launch of verl has, how they are spread, and what they score at once."""

from __future__ import annotations

import pytest

from bot.frameworks import plans
from bot.memory.from_plan import workload_of
from bot.memory.workload import Role
from bot.shell import read
from tests.memory.printed import printed

GIB = 2**30
PPO = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae data.train_batch_size=256"
    " data.max_prompt_length=512 data.max_response_length=512 trainer.n_gpus_per_node=8"
    " trainer.nnodes=1 actor_rollout_ref.actor.ppo_mini_batch_size=64"
    " actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.gpu_memory_utilization=0.4"
    " actor_rollout_ref.rollout.tensor_model_parallel_size=1"
    " actor_rollout_ref.model.path=Qwen/Qwen2.5-7B critic.model.path=Qwen/Qwen2.5-7B"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 critic.ppo_micro_batch_size_per_gpu=1"
    " actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1"
)
MEGATRON = (
    PPO.replace("main_ppo ", "main_ppo --config-name=ppo_megatron_trainer ")
    + " actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2"
    " actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2"
    " actor_rollout_ref.ref.megatron.tensor_model_parallel_size=1"
    " critic.megatron.tensor_model_parallel_size=1"
)

MODEL = "actor_rollout_ref.model"
BYPASS = "algorithm.rollout_correction.bypass_mode=True"


def roles(line: str, release: str) -> dict[str, Role]:
    plan = plans(read(f"{line}\n".encode(), "x.sh"), versions={"verl": release})[0]
    return {role.name: role for pool in workload_of(plan).pools for role in pool.roles}


@pytest.mark.parametrize("release", ["0.4.0", "0.5.0", "0.9.1"])
def test_a_reference_is_asked_for(release: str) -> None:
    assert "reference" not in roles(PPO, release)
    assert "reference" in roles(f"{PPO} algorithm.use_kl_in_reward=True", release)


@pytest.mark.parametrize("release", ["0.1", "0.2", "0.3.0.post1"])
def test_up_to_03_there_is_always_one(release: str) -> None:
    """`role_worker_mapping` of main_ppo.py has it without a question (liumy2010/UFT)."""
    old = PPO.replace("batch_size_per_gpu=1", "batch_size=8") if release == "0.1" else PPO
    assert "reference" in roles(old, release)


@pytest.mark.parametrize("release", ["0.4.0", "0.5.0", "0.7.1"])
def test_megatrons_roles_are_in_one_process_and_spread_alike(release: str) -> None:
    """run_deepseek_math_gsm8k_megatron.sh: a critic whose own sizes are the defaults, 1."""
    found = roles(f"{MEGATRON} algorithm.use_kl_in_reward=True", release)
    for name in ("actor", "critic", "reference"):
        assert (found[name].layout.tensor, found[name].layout.pipeline) == (2, 2)


def test_since_08_a_critic_has_its_own_sizes() -> None:
    critic = roles(MEGATRON, "0.9.1")["critic"]
    assert (critic.layout.tensor, critic.layout.pipeline) == (1, 1)


def test_a_critic_of_megatrons_by_hand() -> None:
    """7.07 billion parameters over tensor 2 × pipeline 2, of 2 bytes; a buffer of fp32 gradients;
    12 bytes of optimizer over the two ranks of each shard."""
    made = printed(MEGATRON, "--device", "h100", "--framework", "verl@0.5.0")
    critic = 7_070_621_184 / 4 / GIB
    update = [one for one in made["stages"] if one["stage"] == "critic"][-1]["components"]
    assert update["weights"] == pytest.approx(critic * 2, rel=0.1)
    assert update["gradients"] == pytest.approx(critic * 4, rel=0.1)
    assert update["optimizer"] == pytest.approx(critic * 12 / 2, rel=0.1)


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ("reward_model.micro_batch_size_per_gpu=16", 16 * 1024),
        ("reward_model.micro_batch_size=16", 2 * 1024),
        ("reward_model.use_dynamic_bsz=True reward_model.forward_max_token_len_per_gpu=9000", 9000),
    ],
)
def test_a_reward_model_scores_what_it_is_given_at_once(settings: str, tokens: int) -> None:
    own = "reward_model.enable=True reward_model.model.path=Qwen/Qwen2.5-7B"
    rows = "reward_model.model.use_remove_padding=False"
    if "dynamic" in settings:
        rows = "reward_model.model.use_remove_padding=True"
    reward = roles(f"{PPO} {own} {rows} {settings}", "0.5.0")["reward"]
    assert reward.forward.expected == tokens


def test_a_worker_that_scores_is_where_its_strategy_puts_it() -> None:
    """run_deepseek_full_hh_rlhf.sh: Megatron's reward model was taken for FSDP's."""
    own = "reward_model.enable=True reward_model.model.path=Qwen/Qwen2.5-7B"
    own += " reward_model.micro_batch_size_per_gpu=4"
    sizes = "reward_model.megatron.tensor_model_parallel_size=4"
    found = roles(f"{MEGATRON} {own} {sizes}", "0.5.0")
    assert found["reward"].layout == found["actor"].layout
    assert (found["reward"].backend, found["reward"].weights_offload) == ("megatron", "none")
    (plan,) = plans(
        read(f"{MEGATRON} {own} {sizes}\n".encode(), "x.sh"), versions={"verl": "0.5.0"}
    )
    assert workload_of(plan).unread == ()
    fsdp = roles(f"{PPO} {own}", "0.5.0")["reward"]
    assert (fsdp.layout.shard, fsdp.weights_offload) == (8, "always")


@pytest.mark.parametrize(
    ("settings", "trained"),
    [
        ("+trainer.val_only=True", False),
        ("+trainer.val_only=True trainer.val_before_train=False", True),
        ("+trainer.val_only=False", True),
    ],
)
def test_a_validation_alone_trains_nothing(settings: str, trained: bool) -> None:
    """Search-R1's eval.sh had the update of a training."""
    found = roles(f"{PPO} {settings}", "0.5.0")
    assert {role.trained for role in found.values()} == {trained}
    assert bool(found["actor"].update.expected) is trained
    made = printed(f"{PPO} {settings}", "--device", "h100", "--framework", "verl@0.5.0")
    names = [one["stage"] for one in made["stages"]]
    assert ("update" in names) is trained
    assert trained or names == ["rollout", "weight sync"]


def test_a_batch_of_a_trainer_that_does_not_wait_is_of_mini_batches() -> None:
    """`ppo_mini_batch_size * require_batches` of fully_async_trainer.py; the batch must be 0."""
    line = PPO.replace("data.train_batch_size=256", "data.train_batch_size=0")
    line += " actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True"
    line += " actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu=8192"
    line += " +async_training.require_batches=4"
    assert roles(line, "0.9.1")["actor"].forward.expected == 8192


ULYSSES = "ulysses_sequence_parallel_size=2"
OLD = f"{PPO} actor_rollout_ref.actor.{ULYSSES} critic.{ULYSSES}"
NEW = f"{PPO} actor_rollout_ref.actor.fsdp_config.{ULYSSES} critic.model.fsdp_config.{ULYSSES}"


@pytest.mark.parametrize(
    ("line", "release", "ranks"),
    [
        (OLD, "0.4.0", 2),
        (OLD, "0.7.1", 2),
        (NEW, "0.7.1", 1),  # Its workers read the deprecated setting alone.
        (f"{NEW} trainer.use_legacy_worker_impl=disable", "0.7.1", 2),
        (NEW.replace("model.fsdp_config", "fsdp"), "0.8.0", 2),
    ],
)
def test_which_setting_shares_out_sequences(line: str, release: str, ranks: int) -> None:
    found = roles(line, release)
    assert [found[name].layout.sequence for name in ("actor", "critic")] == [ranks, ranks]


@pytest.mark.parametrize("release", ["0.6.1", "0.8.0", "0.9.1"])
def test_old_log_probabilities_of_the_engine_take_no_pass(release: str) -> None:
    """19803118392/shopping-grpo-longhorizon's runs: the pass was what bound them."""
    line = f"{PPO} {BYPASS}"
    line += " actor_rollout_ref.rollout.calculate_log_probs=True"
    made = printed(line, "--device", "h100", "--framework", f"verl@{release}")
    assert "log-prob" not in [one["stage"] for one in made["stages"]]
    assert "reference" in roles(f"{line} actor_rollout_ref.actor.use_kl_loss=True", release)


@pytest.mark.parametrize(
    ("settings", "passes"),
    [
        ("", True),
        ("algorithm.rollout_correction.bypass_mode=False", True),
        (BYPASS, False),
        (f"{BYPASS} {MODEL}.lora_rank=8", False),
        # Below an adapter the reference's pass is the actor's.
        (f"{BYPASS} {MODEL}.lora_rank=8 actor_rollout_ref.actor.use_kl_loss=True", True),
    ],
)
def test_who_makes_a_pass_without_gradient(settings: str, passes: bool) -> None:
    found = roles(f"{PPO} {settings}", "0.9.1")
    assert bool(found["actor"].forward.expected) is passes
    assert found["critic"].forward.expected
