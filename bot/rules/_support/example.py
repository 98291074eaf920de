"""Builds the scripts of the rules' examples: a small verl launch that has no error of its own."""

from __future__ import annotations

_BASE = {
    "algorithm.adv_estimator": "grpo",
    "actor_rollout_ref.model.path": "Qwen/Qwen2.5-7B-Instruct",
    "actor_rollout_ref.actor.use_dynamic_bsz": "True",
    "actor_rollout_ref.rollout.name": "vllm",
    "trainer.n_gpus_per_node": "8",
}
STATIC = (
    "actor_rollout_ref.actor.use_dynamic_bsz=False",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
)
"""Settings of passes with a fixed number of sequences, in place of a number of tokens."""


def verl(*settings: str, before: str = "", end: str = "") -> str:
    """A script that starts verl's PPO trainer with these settings.

    A setting replaces the one of the same key in the base; `before` stands above the command, `end`
    after its last word.
    """
    given = {setting.split("=")[0].lstrip("+~") for setting in settings}
    kept = [f"{key}={value}" for key, value in _BASE.items() if key not in given]
    return lines(*kept, *settings, before=before, end=end)


def lines(*settings: str, before: str = "", end: str = "") -> str:
    """As `verl`, with exactly these settings."""
    return _script("python3 -m verl.trainer.main_ppo", *settings, before=before, end=end)


_OPENRLHF = (
    "--actor.model_name_or_path meta-llama/Llama-3.1-8B",
    "--reward.model_name_or_path example/reward-8b",
    "--data.prompt_dataset example/prompts",
    "--actor.num_nodes 1",
    "--actor.num_gpus_per_node 8",
    "--ref.num_nodes 1",
    "--ref.num_gpus_per_node 8",
    "--reward.num_nodes 1",
    "--reward.num_gpus_per_node 8",
    "--vllm.num_engines 4",
    "--vllm.tensor_parallel_size 2",
    "--train.colocate_all",
    "--algo.advantage.estimator group_norm",
    "--rollout.n_samples_per_prompt 8",
)


def openrlhf(*options: str, before: str = "", without: tuple[str, ...] = ()) -> str:
    """A script that starts OpenRLHF's Ray trainer with these options, as `verl` does.

    `without` names options of the base that are left out.
    """
    given = {option.split()[0] for option in options} | set(without)
    kept = [option for option in _OPENRLHF if option.split()[0] not in given]
    return _script("python3 -m openrlhf.cli.train_ppo_ray", *kept, *options, before=before)


def trl(*options: str) -> str:
    """A script that starts TRL's GRPO on one GPU with these options."""
    return _script(
        "torchrun --nproc_per_node 1 -m trl.scripts.grpo",
        "--model_name_or_path Qwen/Qwen2.5-7B-Instruct",
        "--report_to wandb",
        *options,
    )


def open_instruct(*options: str) -> str:
    """A script that starts open-instruct's GRPO with these options."""
    return _script(
        "python open_instruct/grpo_fast.py",
        "--model_name_or_path Qwen/Qwen2.5-7B-Instruct",
        "--num_samples_per_prompt_rollout 8",
        "--with_tracking",
        *options,
    )


def _script(command: str, *arguments: str, before: str = "", end: str = "") -> str:
    """A script of one command, an argument on each line."""
    head = f"{before.rstrip()}\n\n" if before else ""
    return head + " \\\n    ".join((command, *arguments)) + end + "\n"
