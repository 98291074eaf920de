"""Small scripts through the shell reader to verl's plans."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.base.errors import UserError
from bot.frameworks import plans
from bot.frameworks.plan import Field, Plan
from bot.shell import read


def plan_of(script: str, **versions: str) -> Plan:
    (plan,) = plans(read(script.encode(), "made.sh"), versions=versions)
    return plan


def written(script: str, field: Field[object] | Field[int] | Field[str]) -> str | None:
    return script[field.span.start : field.span.end] if field.span else None


GRPO = """#!/usr/bin/env bash
set -x
MODEL_PATH=${MODEL_PATH:-Qwen/Qwen2.5-7B-Instruct}
n_gpus=4
micro=$((2 * 8))
args=(
    data.train_batch_size=1024
    data.max_prompt_length=512
    trainer.logger='["console","wandb"]'
)
HYDRA_FULL_ERROR=1 python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    "${args[@]}" \\
    actor_rollout_ref.model.path=$MODEL_PATH \\
    actor_rollout_ref.model.lora_rank=64 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=256 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=${micro} \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=5 \\
    trainer.n_gpus_per_node=${n_gpus} \\
    trainer.nnodes=2 $@ 2>&1 | tee log
"""


def test_every_fact_has_its_value_and_the_place_where_it_was_written() -> None:
    plan = plan_of(GRPO)
    assert plan.model.value == "Qwen/Qwen2.5-7B-Instruct"
    assert written(GRPO, plan.model) == "Qwen/Qwen2.5-7B-Instruct"
    assert (plan.algorithm.value, written(GRPO, plan.algorithm)) == ("grpo", "grpo")
    assert (plan.adapter.value, written(GRPO, plan.adapter)) == ("lora", "64")
    assert (plan.gpus_per_node.value, written(GRPO, plan.gpus_per_node)) == (4, "4")
    assert (plan.nodes.value, written(GRPO, plan.nodes)) == (2, "2")
    assert (plan.gpus.value, plan.gpus.key) == (8, "trainer.n_gpus_per_node")
    assert plan.train == Field("fsdp", None, "actor_rollout_ref.actor.strategy", default=True)
    assert (plan.infer.value, written(GRPO, plan.infer)) == ("vllm", "vllm")
    assert (plan.train_batch_size.value, written(GRPO, plan.train_batch_size)) == (1024, "1024")
    assert plan.mini_batch_size.value == 256
    assert plan.micro_batch_size_per_gpu.value == 16
    assert written(GRPO, plan.micro_batch_size_per_gpu) == "$((2 * 8))"
    assert plan.rollout_n.value == 5
    assert (plan.max_prompt_length.value, plan.max_prompt_length.default) == (512, False)
    assert (plan.max_response_length.value, plan.max_response_length.default) == (512, True)
    assert plan.loggers.value == ("console", "wandb")
    assert plan.bad_arguments == ()
    assert plan.table is not None
    assert all(verdict.accepted for verdict in plan.table.verdicts(plan.settings))


@pytest.mark.parametrize(
    ("arguments", "train"),
    [
        ("", "fsdp"),
        ("actor_rollout_ref.actor.strategy=fsdp2", "fsdp2"),
        ("model_engine=megatron", "megatron"),
        ("--config-name=ppo_megatron_trainer", "megatron"),
        ("--config-path=config --config-name=ppo_megatron_trainer.yaml", "megatron"),
        ("--config-name ppo_trainer", "fsdp"),
        ("actor@actor_rollout_ref.actor=veomni_actor", "veomni"),
        ("actor@actor_rollout_ref.actor=mlite_actor", "mlite"),  # of a plugin's own configuration
        ("--config-path=/elsewhere --config-name=my_megatron_trainer", "megatron"),
        ("--config-path=/elsewhere", None),
        ("model_engine=$ENGINE", None),
    ],
)
def test_the_training_backend(arguments: str, train: str | None) -> None:
    plan = plan_of(f"python3 -m verl.trainer.main_ppo {arguments}\n")
    assert plan.train.value == train
    assert (plan.table is None) == ("/elsewhere" in arguments)


def test_megatron_knows_the_settings_of_megatron() -> None:
    key = "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2"
    with_choice = plan_of(f"python3 -m verl.trainer.main_ppo model_engine=megatron {key}\n")
    without = plan_of(f"python3 -m verl.trainer.main_ppo {key}\n")
    assert with_choice.table is not None
    assert without.table is not None
    assert all(with_choice.table.verdicts(with_choice.settings))
    (verdict,) = without.table.verdicts(without.settings)
    assert (verdict.status, verdict.choice) == ("unknown", "model_engine=megatron")


RANK = "actor_rollout_ref.model.lora.rank"


@pytest.mark.parametrize(
    ("arguments", "adapter"),
    [
        ("", ""),
        ("actor_rollout_ref.model.lora_rank=0", ""),
        ("actor_rollout_ref.model.lora_rank=8", "lora"),
        ("actor_rollout_ref.model.lora_rank=$RANK", None),
        # YPFsam/agentic-rl, whose checkpoint holds Adam's moments of all weights.
        (f"{RANK}=8", ""),
        (f"{RANK}=8 actor_rollout_ref.actor.strategy=fsdp2", ""),
        (f"{RANK}=8 model_engine=megatron", "lora"),
        (f"{RANK}=8 model_engine=$ENGINE", "lora"),
        (
            f"model_engine=megatron {RANK}=8 actor_rollout_ref.model.lora.type=dora",
            "dora",
        ),
        ("actor_rollout_ref.model.lora_rank=8 actor_rollout_ref.model.lora.type=dora", "lora"),
        ("actor_rollout_ref.model.lora_adapter_path=/x", "lora"),
    ],
)
def test_the_adapter(arguments: str, adapter: str | None) -> None:
    assert plan_of(f"python3 -m verl.trainer.main_ppo {arguments}\n").adapter.value == adapter


@pytest.mark.parametrize(
    ("arguments", "gpus"),
    [
        ("", 8),
        ("trainer.n_gpus_per_node=2 trainer.nnodes=3", 6),
        ("trainer.nnodes=$NNODES", None),
        ("trainer.nnodes='${oc.env:NNODES}'", None),
        ("trainer.n_gpus_per_node=2 trainer.nnodes='${trainer.n_gpus_per_node}'", 4),
        ("reward.reward_model.nnodes=1", 8),
        ("reward.reward_model.nnodes=1 reward.reward_model.enable_resource_pool=True", 16),
        ("actor_rollout_ref.rollout.nnodes=2", 24),
    ],
)
def test_gpus_over_all_pools(arguments: str, gpus: int | None) -> None:
    assert plan_of(f"python3 -m verl.trainer.main_ppo {arguments}\n").gpus.value == gpus


def test_asynchronous_trainers_have_a_pool_for_rollout() -> None:
    plan = plan_of(
        "python3 -m verl.experimental.fully_async_policy.fully_async_main "
        "trainer.nnodes=1 trainer.n_gpus_per_node=4 rollout.nnodes=1 rollout.n_gpus_per_node=4\n"
    )
    assert plan.gpus.value == 8
    assert plan.table is not None
    assert plan.table.root == "fully_async_ppo_trainer"
    assert all(plan.table.verdicts(plan.settings))


@pytest.mark.parametrize(
    ("arguments", "root"),
    [
        # wyettzeng/verl-recipe, and verl's own scripts of it.
        ("--config-path=config --config-name='fully_async_ppo_megatron_trainer.yaml'", "megatron_"),
        ("--config-path ./config --config-name fully_async_ppo_trainer", ""),
        ("--config-path=config", ""),
        ("--config-path=/elsewhere", None),
        ("--config-path=config --config-name=mine", None),
    ],
)
def test_the_folder_of_an_asynchronous_trainer(arguments: str, root: str | None) -> None:
    program = "verl.experimental.fully_async_policy.fully_async_main"
    plan = plan_of(f"python3 -m {program} {arguments} trainer.nnodes=1\n")
    assert (plan.table is None) is (root is None)
    assert plan.table is None or plan.table.root == f"fully_async_ppo_{root}trainer"


def test_the_deprecated_global_micro_batch_is_shared_among_the_ranks() -> None:
    plan = plan_of(
        "python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=8 "
        "actor_rollout_ref.actor.ppo_micro_batch_size=64 "
        "actor_rollout_ref.actor.ulysses_sequence_parallel_size=2\n"
    )
    assert plan.micro_batch_size_per_gpu.value == 16
    assert plan.micro_batch_size_per_gpu.key == "actor_rollout_ref.actor.ppo_micro_batch_size"


@pytest.mark.parametrize(
    ("program", "algorithm"),
    [
        # ta3h30nk1m/verl-agent-custom: a distillation of the fork's own.
        ("-m verl.trainer.fsdp_sft_kd_trainer", "sft"),
        # yayashuxue/rllm: verl's trainer, started by a program with a name of its own.
        ("train_math_sft.py model.partial_pretrain=Qwen/Qwen2.5-0.5B", "sft"),
        ("-m mine.tune model.partial_pretrain=Qwen/Qwen2.5-0.5B trainer.nnodes=1", "sft"),
        ("-m mine.tune actor_rollout_ref.model.path=a model.partial_pretrain=b", None),
    ],
)
def test_a_trainer_that_is_known_by_its_name_or_settings(
    program: str, algorithm: str | None
) -> None:
    plan = plan_of(f"# verl: 0.6.0\ntorchrun --nproc_per_node=4 {program} data.max_length=8\n")
    assert plan.algorithm.value == algorithm


@pytest.mark.parametrize(
    "program",
    ["train_math_sft.py --lr 1 model.partial_pretrain=b", "tune.py model.path=a", "-m a.sft"],
)
def test_a_program_that_may_be_anybodys(program: str) -> None:
    script = f"torchrun --nproc_per_node=4 {program} data.max_length=8\n"
    assert not plans(read(script.encode(), "run.sh"))


def test_supervised_fine_tuning_takes_its_gpus_from_torchrun() -> None:
    script = (
        "torchrun --nnodes=1 --nproc_per_node=4 -m verl.trainer.sft_trainer "
        "model.path=Qwen/Qwen3-8B data.train_batch_size=64 engine=megatron model.lora_rank=16\n"
    )
    plan = plan_of(script)
    assert (plan.algorithm.value, plan.gpus.value, plan.nodes.value) == ("sft", 4, 1)
    assert written(script, plan.gpus_per_node) == "4"
    assert (plan.train.value, plan.infer.value) == ("megatron", None)
    assert (plan.model.value, plan.adapter.value) == ("Qwen/Qwen3-8B", "lora")
    assert plan.rollout_n.value is None
    assert plan.table is not None
    assert plan.table.root == "sft_trainer_engine"
    assert all(plan.table.verdicts(plan.settings))


def test_ray_jobs_and_their_options() -> None:
    plan = plan_of(
        'ray job submit --runtime-env-json \'{"env_vars": {"A": "1"}}\' --no-wait -- '
        "python3 -m verl.trainer.main_ppo data.train_batch_size=8\n"
    )
    assert plan.launch.launcher == ("ray job submit",)
    assert plan.train_batch_size.value == 8


def test_a_recipe_has_no_table_but_a_plan() -> None:
    plan = plan_of(
        "python3 -m recipe.dapo.main_dapo data.train_batch_size=512 data.gen_batch_size=1536\n"
    )
    assert plan.table is None
    assert plan.train_batch_size.value == 512
    assert plan.rollout_n == Field(None, key="actor_rollout_ref.rollout.n")


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("$HOME/models/Qwen3-8B", "${?HOME"),
        ("$MODELS/Qwen3-8B", "${?"),
        ("/models/$MODEL", None),
        ("$MODEL", None),
        ("$MODELS/Qwen3-${SIZE}", None),
    ],
)
def test_a_model_in_an_unknown_folder_keeps_its_name(path: str, model: str | None) -> None:
    found = plan_of(f'python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path="{path}"\n')
    if model is None:
        assert found.model.value is None
    else:
        assert found.model.value is not None
        assert found.model.value.startswith(model)
        assert found.model.value.endswith("/Qwen3-8B")


def test_a_single_logger_may_be_a_plain_name() -> None:
    plan = plan_of("python3 -m verl.trainer.main_ppo trainer.logger=wandb\n")
    assert plan.loggers.value == ("wandb",)


def test_the_last_value_of_a_key_wins() -> None:
    plan = plan_of(
        "python3 -m verl.trainer.main_ppo data.train_batch_size=1 data.train_batch_size=2"
    )
    assert plan.train_batch_size.value == 2
    assert [setting.text for setting in plan.settings] == ["1", "2"]


def test_the_newest_release_is_taken_when_nobody_says_which() -> None:
    plan = plan_of("python3 -m verl.trainer.main_ppo\n")
    assert plan.configuration.reason == "the newest release known"


def test_a_release_that_was_asked_for() -> None:
    plan = plan_of("python3 -m verl.trainer.main_ppo\n", verl="v0.4.1")
    assert (plan.configuration.release, plan.configuration.reason) == (
        "0.4.1",
        "the release asked for",
    )
    assert plan.table is not None
    assert plan.table.version == "0.4.1"


def test_an_unknown_release_that_was_asked_for() -> None:
    with pytest.raises(UserError, match=r"verl 7\.0 is not known: use one of .*0\.4\.1.*0\.9\.1"):
        plan_of("python3 -m verl.trainer.main_ppo\n", verl="7.0")


@pytest.mark.parametrize(
    ("comment", "release", "reason"),
    [
        ("0.4.1", "0.4.1", "the release that the script's comment names"),
        ("0.3.0", "0.3.0.post1", "the release that the script's comment names"),
        (
            "main",
            "0.9.1",
            "the newest release known, since the script's comment names main, which is not",
        ),
    ],
)
def test_a_release_from_the_scripts_comment(comment: str, release: str, reason: str) -> None:
    reading = read(b"python3 -m verl.trainer.main_ppo\n", "made.sh")
    (plan,) = plans(reading, header_versions={"verl": comment})
    assert (plan.configuration.release, plan.configuration.reason) == (release, reason)


def test_an_entry_that_is_gone_is_read_by_the_last_release_that_had_it() -> None:
    script = "torchrun --nproc_per_node=2 -m verl.trainer.fsdp_sft_trainer data.max_length=8\n"
    plan = plan_of(script)
    assert plan.configuration.release == "0.7.0"
    assert plan.configuration.reason == "the newest release that has verl.trainer.fsdp_sft_trainer"
    assert plan.table is not None
    assert plan_of(script, verl="0.9.1").table is None


@pytest.mark.slow
def test_threads_read_launches_at_once() -> None:
    """What was read last is shared: a thread that looked through it met another's change."""
    readings = [
        read(f"python3 -m verl.trainer.main_ppo a={n}\n".encode(), "x.sh") for n in range(8)
    ]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            read_at_once = list(pool.map(plans, readings * 40))
    finally:
        sys.setswitchinterval(before)
    assert [made[0].settings[0].value for made in read_at_once] == [*range(8)] * 40
