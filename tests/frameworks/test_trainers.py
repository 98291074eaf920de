"""Plans of TRL and open-instruct."""

from __future__ import annotations

from typing import Any

import pytest

from bot.frameworks import find_launches, plans
from bot.frameworks.plan import Plan
from bot.shell import read

FIELDS = (
    "model", "algorithm", "adapter", "gpus_per_node", "nodes", "gpus", "train", "infer",
    "train_batch_size", "micro_batch_size_per_gpu", "rollout_n", "max_response_length", "loggers",
)  # fmt: skip


def plan_of(script: str, **versions: str) -> Plan:
    asked = {name.replace("_", "-"): version for name, version in versions.items()}
    (plan,) = plans(read(script.encode(), "made.sh"), versions=asked)
    return plan


def shown(plan: Plan) -> dict[str, Any]:
    return {name: getattr(plan, name).value for name in FIELDS}


@pytest.mark.parametrize(
    "line",
    [
        "trl vllm-serve --model x",
        "trl vllm_serve --model x",
        "python /x/trl/trl/scripts/vllm_serve_base.py --model x",
        "trl env",
        "trl",
        "python -m trl.scripts.utils",
        "python examples/scripts/other.py --epochs 3",
        "python open_instruct/merge_lora.py --base_model_name_or_path x",
        "python mason.py --cluster x",
        "python mason.py --cluster x -- bash run.sh",
        "accelerate launch train.py --model_name_or_path x",
    ],
)
def test_what_is_no_trainer(line: str) -> None:
    assert find_launches(read(line.encode(), "made.sh")) == ()


@pytest.mark.parametrize(
    ("line", "framework", "entry", "launcher"),
    [
        ("trl grpo --x 1", "trl", "trl.scripts.grpo", ("trl",)),
        ("uv run trl sft --x 1", "trl", "trl.scripts.sft", ("uv run", "trl")),
        ("uv run --with trl trl sft --x 1", "trl", "trl.scripts.sft", ("uv run", "trl")),
        ("uvx --from trl trl sft --x 1", "trl", "trl.scripts.sft", ("uv run", "trl")),
        ("uv tool run trl sft --x 1", "trl", "trl.scripts.sft", ("uv run", "trl")),
        (
            "hf jobs run --flavor a10g-small trl:latest trl sft --x 1",
            "trl",
            "trl.scripts.sft",
            ("hf jobs", "trl"),
        ),
        ("python -m trl.scripts.dpo", "trl", "trl.scripts.dpo", ()),
        ("accelerate launch --num_processes 2 trl/scripts/sft.py", "trl", "trl.scripts.sft",
         ("accelerate launch",)),
        ("accelerate launch /x/examples/scripts/ppo/ppo_tldr.py --output_dir o", "trl",
         "examples.scripts.ppo", ("accelerate launch",)),
        ("python ../trl/examples/scripts/ppo/ppo_tldr.py --output_dir o", "trl",
         "examples.scripts.ppo", ()),
        ("python examples/scripts/online_dpo.py --output_dir o", "trl",
         "examples.scripts.dpo_online", ()),
        ("accelerate launch trl/experimental/gold/gold.py --output_dir o", "trl",
         "examples.scripts.gold", ("accelerate launch",)),
        ("python -m trl.experimental.gold.gold --output_dir o", "trl", "examples.scripts.gold", ()),
        ("python open_instruct/grpo_fast.py", "open-instruct", "open_instruct.grpo_fast", ()),
        ("uv run --active open_instruct/dpo.py", "open-instruct", "open_instruct.dpo",
         ("uv run",)),
        ("python mason.py --gpus 8 -- source s.sh \\&\\& python open_instruct/finetune.py",
         "open-instruct", "open_instruct.finetune", ("mason.py",)),
        ("accelerate launch -m open_instruct.finetune", "open-instruct", "open_instruct.finetune",
         ("accelerate launch",)),
    ],
)  # fmt: skip
def test_launches(line: str, framework: str, entry: str, launcher: tuple[str, ...]) -> None:
    (launch,) = find_launches(read(line.encode(), "made.sh"))
    assert (launch.framework, launch.entry, launch.launcher) == (framework, entry, launcher)


GRPO = """
accelerate launch --config_file examples/accelerate_configs/deepspeed_zero3.yaml \\
  --num_processes 8 trl/scripts/grpo.py --model_name_or_path Qwen/Qwen2.5-7B \\
  --use_peft --use-dora true --lora_r 16 --per_device_train_batch_size 4 \\
  --gradient_accumulation_steps 2 --num_generations 8 --use_vllm --max_completion_length 512 \\
  --report_to wandb --bf16 true
"""


def test_grpo_of_trl() -> None:
    plan = plan_of(GRPO)
    assert shown(plan) == {
        "model": "Qwen/Qwen2.5-7B",
        "algorithm": "grpo",
        "adapter": "dora",
        "gpus_per_node": 8,
        "nodes": 1,
        "gpus": 8,
        "train": "deepspeed",
        "infer": "vllm",
        "train_batch_size": 8,
        "micro_batch_size_per_gpu": 4,
        "rollout_n": 8,
        "max_response_length": 512,
        "loggers": ("wandb",),
    }
    assert plan.table is not None
    assert all(plan.table.verdicts(plan.settings))
    assert plan.bad_arguments == ()
    assert plan.gpus.span is not None
    assert GRPO[plan.gpus.span.start : plan.gpus.span.end] == "8"


def test_the_command_takes_options_of_its_launcher() -> None:
    line = "trl sft --model_name_or_path x/y --num_processes 4 --accelerate_config zero2"
    plan = plan_of(line)
    assert plan.table is not None
    assert all(plan.table.verdicts(plan.settings))
    assert (plan.gpus.value, plan.train.value, plan.train_batch_size.value) == (4, "deepspeed", 32)
    alone = plan_of(line.replace("trl sft", "python -m trl.scripts.sft"))
    assert alone.table is not None
    assert [v.accepted for v in alone.table.verdicts(alone.settings)] == [True, False, False]


def test_with_a_file_of_settings_defaults_say_nothing() -> None:
    plan = plan_of("accelerate launch --num_processes 2 -m trl.scripts.dpo --config c.yaml")
    assert plan.train_batch_size.value is None
    assert plan.adapter.value is None
    assert plan.loggers.value is None


@pytest.mark.parametrize(
    ("arguments", "train"),
    [
        ("--config_file fsdp2.yaml", "fsdp2"),
        ("--config_file a/fsdp1.yaml", "fsdp"),
        ("--config_file configs/ds_configs/deepspeed_zero3.yaml", "deepspeed"),
        ("--config_file multi_gpu.yaml", None),
        ("--config_file mine.yaml", None),
        ("--use_deepspeed", "deepspeed"),
        ("--use_fsdp", "fsdp"),
        ("", None),
    ],
)
def test_training_backends(arguments: str, train: str | None) -> None:
    assert plan_of(f"accelerate launch {arguments} trl/scripts/sft.py").train.value == train


def test_a_backend_among_options_that_only_a_run_knows_is_none_that_is_known() -> None:
    """With no option at all there is none, and every GPU has the whole model."""
    for flags, key in (("$FLAGS", "config_file"), ("--num_processes 2", None)):
        plan = plan_of(f"accelerate launch {flags} trl/scripts/sft.py")
        assert (plan.train.value, plan.train.key) == (None, key)


@pytest.mark.parametrize(
    ("launcher", "gpus"),
    [
        ("accelerate launch --num_processes 16 --num_machines 2", (8, 2, 16)),
        ("accelerate launch --num_processes 5 --num_machines 2", (None, 2, 5)),
        ("accelerate launch --num_processes $N", (None, 1, None)),
        ("torchrun --nproc_per_node 8 --nnodes 2", (8, 2, 16)),
        ("python", (None, 1, None)),
        ("CUDA_VISIBLE_DEVICES=0 accelerate launch", (1, 1, 1)),
        ("CUDA_VISIBLE_DEVICES=0,1 accelerate launch", (None, 1, None)),
        ("CUDA_VISIBLE_DEVICES=$CARD python", (None, 1, None)),
        ("CUDA_VISIBLE_DEVICES=0 accelerate launch --num_processes $N", (None, 1, None)),
        ("CUDA_VISIBLE_DEVICES=0 accelerate launch $FLAGS", (None, None, None)),
        ("torchrun --nproc_per_node 8 --nnodes 2 $FLAGS", (8, 2, 16)),
        ("torchrun --nproc_per_node 8 --nnodes $N", (8, None, None)),
    ],
)
def test_gpus_of_launchers(launcher: str, gpus: tuple[int | None, ...]) -> None:
    plan = plan_of(f"{launcher} trl/scripts/sft.py --output_dir o")
    assert (plan.gpus_per_node.value, plan.nodes.value, plan.gpus.value) == gpus


FAST = """python open_instruct/grpo_fast.py --model_name_or_path Qwen/Qwen2.5-7B \\
  --num_learners_per_node 4 2 --vllm_num_engines 2 --vllm_tensor_parallel_size 2 \\
  --deepspeed_stage 3 --num_unique_prompts_rollout 64 --num_samples_per_prompt_rollout 16 \\
  --per_device_train_batch_size 1 --response_length 2048 --with_tracking
"""


def test_grpo_of_open_instruct() -> None:
    plan = plan_of(FAST)
    assert shown(plan) == {
        "model": "Qwen/Qwen2.5-7B",
        "algorithm": "grpo",
        "adapter": "",
        "gpus_per_node": None,
        "nodes": 2,
        "gpus": 10,
        "train": "deepspeed",
        "infer": "vllm",
        "train_batch_size": 64,
        "micro_batch_size_per_gpu": 1,
        "rollout_n": 16,
        "max_response_length": 2048,
        "loggers": ("wandb",),
    }
    assert plan.table is not None
    assert all(plan.table.verdicts(plan.settings))


def test_one_gpu_for_learner_and_engine() -> None:
    line = "python open_instruct/grpo_fast.py --num_learners_per_node 1 --single_gpu_mode"
    assert plan_of(line).gpus.value == 1


def test_an_older_trainer_of_open_instruct() -> None:
    line = (
        "python open_instruct/ppo_vllm_thread_ray_gtrl.py --local_rollout_batch_size 8 "
        "--actor_num_gpus_per_node 4 --vllm_num_engines 1 --number_samples_per_prompt 4 "
        "--rollout_batch_size $N"
    )
    plan = plan_of(line)
    assert plan.configuration.reason == (
        "the newest release that has open_instruct.ppo_vllm_thread_ray_gtrl"
    )
    assert (plan.algorithm.value, plan.rollout_n.value, plan.gpus.value) == ("gae", 4, 5)
    assert plan.train_batch_size.value == 32


@pytest.mark.parametrize(
    ("key", "history"),
    [
        ("use_dora", None),
        ("use_peft", "in open-instruct 2025.3 to 2026.8"),
        ("local_rollout_batch_size", "in open-instruct 2024.12 to 2025.9, removed in 2025.12, but"),
    ],
)
def test_what_open_instruct_has_had(key: str, history: str | None) -> None:
    table = plan_of(FAST).table
    assert table is not None
    found = table.history(key)
    assert found == history if history is None else (found or "").startswith(history)


@pytest.mark.parametrize(
    ("example", "algorithm", "known"),
    [
        ("sft_vlm", "sft", True),
        ("grpo_vlm", "grpo", True),
        ("gspo_vlm", "grpo", True),
        ("mpo_vlm", "dpo", True),
        ("grpo_agent", "grpo_agent", False),
        ("dpo", "dpo", False),  # Before 0.13 it took `--sanity_check`.
    ],
)
def test_an_example_takes_the_options_of_the_script_alike(
    example: str, algorithm: str, known: bool
) -> None:
    plan = plan_of(f"python examples/scripts/{example}.py --output_dir o --use_vllm false")
    assert (plan.algorithm.value, plan.table is not None) == (algorithm, known)
    assert plan.launch.entry == f"examples.scripts.{example}"
    if known and algorithm == "grpo":
        assert plan.infer.value == "hf"
