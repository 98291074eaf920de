"""What each framework's settings become: roles, layouts, engines, lengths."""

from __future__ import annotations

import pytest

from bot.base.devices import by_token
from bot.frameworks import plans
from bot.memory import constants
from bot.memory.from_plan import estimate_plan, workload_of
from bot.memory.options import in_use, what_helps
from bot.memory.readers.lengths import Measured
from bot.memory.readers.settings import NoEstimateError
from bot.memory.workload import Pool, Role, Tokens, Workload
from bot.rules._support.example import open_instruct, openrlhf, trl, verl
from bot.shell import read

ACTOR = "actor_rollout_ref.actor"
STATIC = (
    "trainer.nnodes=1",
    "data.max_prompt_length=512",
    "data.max_response_length=1024",
    f"{ACTOR}.use_dynamic_bsz=False",
    f"{ACTOR}.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
)


def workload(
    script: str, run: Measured | None = None, gpus: int | None = None, trl: str = ""
) -> Workload:
    versions = {"trl": trl} if trl else {}
    return workload_of(
        plans(read(script.encode(), "x.sh"), versions=versions)[0], run=run, gpus=gpus
    )


def pool(script: str) -> Pool:
    made = workload(script)
    assert len(made.pools) == 1
    return made.pools[0]


def actor(script: str, release: str = "") -> Role:
    roles = workload(script, trl=release).pools[0].roles
    return next(role for role in roles if role.name == "actor")


@pytest.mark.parametrize(
    ("settings", "per_logit"),
    [
        ((), constants.LOGITS),
        (("actor_rollout_ref.rollout.temperature=0.7",), constants.LOG_PROBS),
        ((f"{ACTOR}.entropy_coeff=0.001",), constants.ENTROPY_PACKED),
        ((f"{ACTOR}.calculate_entropy=True",), constants.ENTROPY_PACKED),
        (
            (f"{ACTOR}.entropy_coeff=0.001", f"{ACTOR}.use_torch_compile=False"),
            constants.ENTROPY_EAGER,
        ),
        (
            (f"{ACTOR}.entropy_coeff=0.001", f"{ACTOR}.entropy_from_logits_with_chunking=True"),
            constants.ENTROPY_PACKED,
        ),
        (("actor_rollout_ref.model.use_fused_kernels=True",), constants.FUSED),
    ],
)
def test_the_flags_choose_the_path_of_the_logits(
    settings: tuple[str, ...], per_logit: float
) -> None:
    assert actor(verl(*STATIC, *settings)).update_logits == per_logit


def test_verls_roles() -> None:
    names = [role.name for role in pool(verl(*STATIC)).roles]
    assert names == ["actor"]
    with_kl = pool(verl(*STATIC, f"{ACTOR}.use_kl_loss=True")).roles
    assert [role.name for role in with_kl] == ["actor", "reference"]
    below = pool(
        verl(*STATIC, f"{ACTOR}.use_kl_loss=True", "actor_rollout_ref.model.lora_rank=8")
    ).roles
    assert [role.name for role in below] == ["actor"]
    ppo = pool(
        verl(
            *STATIC,
            "algorithm.adv_estimator=gae",
            "critic.model.path=Qwen/Qwen2.5-7B-Instruct",
            "critic.ppo_micro_batch_size_per_gpu=4",
        )
    ).roles
    assert [role.name for role in ppo] == ["actor", "critic"]
    assert ppo[1].head == "value"


def test_sequence_parallelism_divides_tokens_and_padding_fills_them() -> None:
    one = actor(verl(*STATIC)).update
    two = actor(verl(*STATIC, f"{ACTOR}.ulysses_sequence_parallel_size=2")).update
    padded = actor(verl(*STATIC, "actor_rollout_ref.model.use_remove_padding=False")).update
    assert two.conservative == one.conservative // 2
    assert padded.expected == padded.conservative == 4 * 1536


def test_measured_lengths_take_the_place_of_assumed_ones() -> None:
    run = Measured(prompt_mean=100.0, response_mean=271.0)
    made = workload(verl(*STATIC), run)
    assert made.measured
    assert not any("no run given" in said for said in made.assumptions)
    tokens = made.pools[0].roles[0].update
    assert tokens.expected == 4 * 371 + 1536 - 371
    assert tokens.floor == 8


def test_offload_that_empties_only_other_stages() -> None:
    role = actor(verl(*STATIC, f"{ACTOR}.fsdp_config.param_offload=True"))
    assert (role.weights_offload, role.optimizer_offload) == ("idle", "none")
    policy = actor(
        verl(*STATIC, f"{ACTOR}.strategy=fsdp2", f"{ACTOR}.fsdp_config.offload_policy=True")
    )
    assert (policy.weights_offload, policy.optimizer_offload) == ("always", "always")


def test_openrlhfs_groups_share_or_have_their_own() -> None:
    known = "--reward.model_name_or_path meta-llama/Llama-3.1-8B"
    together = workload(openrlhf(known))
    assert [p.name for p in together.pools] == ["actor"]
    assert together.pools[0].engine is not None
    apart = workload(openrlhf(known, without=("--train.colocate_all",)))
    assert {p.name for p in apart.pools} == {"actor", "reference", "reward", "rollout"}


def test_ppo_without_ray_has_every_role_in_one_process() -> None:
    line = (
        "deepspeed --num_gpus 8 --module openrlhf.cli.train_ppo --micro_train_batch_size 2 "
        "--pretrain meta-llama/Meta-Llama-3-8B --reward_pretrain meta-llama/Meta-Llama-3-8B "
        "--micro_rollout_batch_size 4 --prompt_max_len 1024 --generate_max_len 1024\n"
    )
    made = pool(line)
    assert [role.name for role in made.roles] == ["actor", "reference", "critic", "reward"]
    assert (made.gpus, made.processes) == (8, 1)
    assert made.engine is not None
    assert made.engine.name == "hf"


def test_what_generates_with_the_actors_weights_has_no_copy_of_them() -> None:
    rollout = _written_by_the_actor()
    assert "engine weights" not in rollout["floor"]
    assert "actor, idle" in rollout["floor"]


def _written_by_the_actor(*settings: str, release: str = "0.4.1") -> dict[str, dict[str, float]]:
    """GiB of the rollout of verl's `HFRollout`, by level."""
    given = (*STATIC, "actor_rollout_ref.rollout.name=hf", "data.train_batch_size=64", *settings)
    reading = read(verl(*given).encode(), "x.sh")
    (plan,) = plans(reading, versions={"verl": release})
    stages = estimate_plan(plan, "h100").estimate.stages
    (found,) = (stage for stage in stages if stage.name == "rollout")
    return {
        level: {name: amount.in_gib for name, amount in parts.items()}
        for level, parts in found.components.items()
    }


def test_verls_policy_is_whole_while_it_writes_itself() -> None:
    """The shard alone was left out where it is on the host otherwise: a 7B took 1.7 GiB."""
    config, rollout = "actor_rollout_ref.actor.fsdp_config", "actor_rollout_ref.rollout"
    one = _written_by_the_actor(f"{config}.param_offload=True", f"{rollout}.n=4")
    assert one["floor"]["weights"] == pytest.approx(7.6156e9 * 4 / 8 / 2**30, rel=1e-3)
    assert one["expected"]["gathered weights"] == pytest.approx(7.6156e9 * 4 / 2**30, rel=1e-3)
    parted = _written_by_the_actor(f"{rollout}.n=4", f"+{rollout}.micro_batch_size=2")
    assert one["expected"]["engine cache"] == pytest.approx(
        4 * parted["expected"]["engine cache"], rel=0.01
    )


def test_no_release_since_06_has_that_rollout() -> None:
    with pytest.raises(NoEstimateError, match="has no rollout hf: the last release with it"):
        _written_by_the_actor(release="0.9.1")


def test_a_path_below_an_unknown_folder_still_names_its_model() -> None:
    script = verl(
        *STATIC,
        "algorithm.adv_estimator=gae",
        "critic.model.path=$HOME/models/Qwen/Qwen2.5-0.5B",
        "critic.ppo_micro_batch_size_per_gpu=4",
    )
    critic = pool(script).roles[-1]
    assert critic.shape.layers == 24


@pytest.mark.parametrize("below", ["critic.fsdp", "critic.model.fsdp_config"])
def test_the_critics_offload_under_either_name(below: str) -> None:
    script = verl(
        *STATIC,
        "algorithm.adv_estimator=gae",
        "critic.model.path=Qwen/Qwen2.5-7B",
        "critic.ppo_micro_batch_size_per_gpu=4",
        f"{below}.param_offload=True",
    )
    assert pool(script).roles[-1].weights_offload == "idle"


def test_reward_model_training_has_pairs_and_no_logits() -> None:
    line = (
        "deepspeed --num_gpus 2 --module openrlhf.cli.train_rm "
        "--model.model_name_or_path meta-llama/Meta-Llama-3-8B --train.micro_batch_size 1 "
        "--data.max_len 4096 --ds.lora.rank 64\n"
    )
    role = pool(line).roles[0]
    assert role.head == "value"
    assert role.update.expected == 2 * 4096
    assert role.adapter is not None
    assert role.backend == "zero2"


def test_trl_and_its_precision() -> None:
    role = actor(trl("--use_peft", "--lora_r 16", "--dtype bfloat16"), "1.9.0")
    assert (role.backend, role.weight_bytes, role.gradient_bytes) == ("ddp", 2.0, 4.0)
    assert role.update_logits == constants.GATHERED_FP32
    narrow = actor(trl("--dtype bfloat16", "--bf16 false"), "1.9.0")
    assert narrow.update_logits == constants.LOG_PROBS_BY_ROW
    assert actor(trl("--use_liger_kernel")).update_logits == constants.FUSED
    dora = actor(trl("--use_peft", "--lora_r 16", "--use_dora")).adapter
    assert dora is not None
    assert dora.kind == "dora"


def test_open_instruct_has_learners_and_engines() -> None:
    made = workload(open_instruct("--num_learners_per_node 4", "--vllm_num_engines 4"))
    assert [(p.name, p.gpus) for p in made.pools] == [("training", 4), ("rollout", 4)]
    assert made.pools[0].roles[0].update.expected > 0


def test_a_file_of_settings_that_is_not_known_is_what_an_estimate_lacks() -> None:
    line = "accelerate launch --num_processes 2 -m trl.scripts.sft --config $CONFIG\n"
    with pytest.raises(NoEstimateError, match="--env CONFIG=VALUE"):
        workload(line)


def test_learners_of_open_instruct_may_differ_from_node_to_node() -> None:
    """`--num_learners_per_node 4 8`: 12 ranks share the states, 2P + 2P + 12P over 12."""
    made = workload(open_instruct("--num_learners_per_node 4 8", "--vllm_num_engines 4"))
    assert [(p.name, p.gpus) for p in made.pools] == [("training", 12), ("rollout", 4)]
    assert made.pools[0].roles[0].layout.gpus == 12
    assert made.gpus_per_node == 8
    with pytest.raises(NoEstimateError, match=r"num_learners_per_node"):
        workload(open_instruct("--num_learners_per_node $N 8", "--vllm_num_engines 4"))


def test_a_launcher_that_takes_every_gpu_needs_the_number() -> None:
    line = (
        "deepspeed --module openrlhf.cli.train_sft --model.model_name_or_path Qwen/Qwen2.5-7B "
        "--train.micro_batch_size 1\n"
    )
    with pytest.raises(NoEstimateError, match="takes every GPU"):
        workload(line)
    assert workload(line, gpus=8).pools[0].gpus == 8


def test_what_helps_is_what_the_estimate_says_when_it_is_on() -> None:
    h100 = by_token("h100")[0]
    script = verl(*STATIC, "trainer.n_gpus_per_node=2")
    plan = plans(read(script.encode(), "x.sh"))[0]
    before = estimate_plan(plan, h100)
    options = {option.setting: option.saves for option in what_helps(before.workload, h100)}
    setting = f"{ACTOR}.fsdp_config.optimizer_offload=True"
    assert setting in options
    after = plans(read(verl(*STATIC, "trainer.n_gpus_per_node=2", setting).encode(), "x.sh"))[0]
    made = estimate_plan(after, h100)
    assert before.estimate.peak() - made.estimate.peak() == options[setting]
    assert setting in in_use(made.workload)
    assert setting not in {o.setting for o in what_helps(made.workload, h100)}


@pytest.mark.parametrize(
    ("release", "checkpointing", "adam"),
    [
        ("0.9.3", "--gradient_checkpointing", "--adam_offload"),
        ("0.11.0", "--actor.gradient_checkpointing_enable", "--ds.adam_offload"),
    ],
)
def test_options_have_the_names_of_their_release(
    release: str, checkpointing: str, adam: str
) -> None:
    """lfy-123/WIST: `--deepspeed_enable_sleep` moves the optimizer in other stages alone."""
    sleeps = "--deepspeed_enable_sleep" if release == "0.9.3" else "--ds.enable_sleep"
    base = (
        openrlhf(checkpointing, sleeps, "--reward.model_name_or_path meta-llama/Llama-3.1-8B")
        if release == "0.11.0"
        else f"{_OLD} {checkpointing} {sleeps}\n"
    )
    (plan,) = plans(read(base.encode(), "x.sh"), header_versions={"openrlhf": release})
    h100 = by_token("h100")[0]
    made = workload_of(plan)
    assert checkpointing in in_use(made)
    assert adam not in in_use(made)
    assert adam in {option.setting for option in what_helps(made, h100)}


_OLD = (
    "python3 -m openrlhf.cli.train_ppo_ray --pretrain meta-llama/Meta-Llama-3-8B"
    " --reward_pretrain meta-llama/Meta-Llama-3-8B --prompt_data a/b --colocate_all_models"
    " --actor_num_nodes 1 --actor_num_gpus_per_node 8 --vllm_num_engines 8 --bf16 --zero_stage 3"
    " --reward_num_nodes 1 --reward_num_gpus_per_node 8 --ref_num_nodes 1"
    " --ref_num_gpus_per_node 8 --advantage_estimator rloo --packing_samples --flash_attn"
)


def test_batches_of_trl_with_and_without_padding() -> None:
    def tokens(more: str, release: str = "1.0.0", kind: str = "sft") -> Tokens:
        launch = (
            f"accelerate launch --num_processes 1 -m trl.scripts.{kind} --max_length 1800"
            f" --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 4 {more}"
        )
        (plan,) = plans(read(launch.encode(), "x.sh"), versions={"trl": release})
        return workload_of(plan).pools[0].roles[0].update

    assert tokens("") == Tokens(8, 4 * 1024, 7200)
    # Never more than with padding.
    assert tokens("--padding_free true") == Tokens(8, 4 * 1024, 1800 + 3 * 900)
    assert tokens("--packing true") == Tokens(8, 7200, 7200)
    # From 0.29 on the preference trainer warns that it pads all the same.
    assert tokens("--padding_free true", kind="dpo").expected == 8 * 1024
    assert tokens("--padding_free true", "0.28.0", "dpo").expected == 7171


_ONLINE = (
    "--dtype float32",
    "--max_completion_length 512",
    "--per_device_train_batch_size 8",
    "--gradient_checkpointing false",
)


def _helps(made: Workload) -> list[str]:
    return [str(option.setting) for option in what_helps(made, by_token("h200")[0])]


def test_liger_is_on_where_it_is_set_and_not_where_no_logits_are_whole() -> None:
    """TRL from 1.15 on makes none; Liger's layers keep less all the same."""
    without = workload(trl(*_ONLINE), gpus=1, trl="1.16.0")
    assert "--use_liger_kernel" not in in_use(without)
    assert "--use_liger_kernel" in _helps(without)
    with_it = workload(trl(*_ONLINE, "--use_liger_kernel"), gpus=1, trl="1.16.0")
    assert "--use_liger_kernel" in in_use(with_it)
    assert "--use_liger_kernel" not in _helps(with_it)


def test_nothing_is_gathered_for_generation_where_nothing_is_divided() -> None:
    """Autocast's copies of fp32 weights are none of ZeRO-3's."""
    written = "--gradient_accumulation_steps 512"  # All of them at once: generation binds.
    made = workload(trl(*_ONLINE, written), gpus=1, trl="1.16.0")
    engine = made.pools[0].engine
    assert engine is not None
    assert engine.gathered_parameters > 0
    assert not any("ds3_gather" in setting for setting in _helps(made))
