"""Scripts whose batch decides the memory of a GPU, in several styles, and runs of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.bisect.candidates import Candidates
from bot.bisect.ends import known_ends
from bot.bisect.report import SeriesPlan
from bot.bisect.series import plan_series
from bot.check.request import CheckOptions, ScriptFile
from bot.frameworks import plans
from bot.shell import read
from tests.runs.recipe import RunRecipe

_HOLE = re.compile(r"\$\{\?[^}]*\}")
PATH = "examples/tuning/14b/qwen2.5-14b_grpo-lora_2_h100_fsdp_vllm.sh"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total"
H100 = 85_520_809_984

VARIABLES = """\
#!/usr/bin/env bash
# verl: 0.4.1
set -euo pipefail

nproc_per_gpu=58
ngpu_per_node=2
batch=$((nproc_per_gpu * ngpu_per_node))

python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files="$HOME/data/gsm8k/train.parquet" \\
    data.val_files="$HOME/data/gsm8k/test.parquet" \\
    data.train_batch_size=${batch} \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-14B-Instruct \\
    actor_rollout_ref.model.lora_rank=32 \\
    actor_rollout_ref.model.lora_alpha=32 \\
    actor_rollout_ref.model.target_modules=all-linear \\
    actor_rollout_ref.model.use_remove_padding=True \\
    actor_rollout_ref.model.enable_gradient_checkpointing=True \\
    actor_rollout_ref.actor.optim.lr=3e-5 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=${batch} \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=${batch} \\
    actor_rollout_ref.actor.ulysses_sequence_parallel_size=2 \\
    actor_rollout_ref.actor.fsdp_config.param_offload=True \\
    actor_rollout_ref.actor.fsdp_config.optimizer_offload=True \\
    actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.actor.entropy_coeff=0.001 \\
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=${batch} \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.25 \\
    actor_rollout_ref.rollout.n=5 \\
    actor_rollout_ref.rollout.load_format=safetensors \\
    actor_rollout_ref.rollout.layered_summon=True \\
    actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=${batch} \\
    trainer.logger='["console","wandb"]' \\
    trainer.project_name=rlbot-tuning \\
    trainer.experiment_name=qwen2.5-14b-grpo-lora-2-h100 \\
    trainer.n_gpus_per_node=${ngpu_per_node} \\
    trainer.nnodes=1 \\
    trainer.save_freq=-1 \\
    trainer.test_freq=10 \\
    trainer.total_epochs=1
"""
"""The style of verl's LoRA scripts: one variable decides every batch."""

FLAT = VARIABLES.replace(
    """nproc_per_gpu=58
ngpu_per_node=2
batch=$((nproc_per_gpu * ngpu_per_node))

""",
    "",
).replace("${batch}", "116")
FLAT = FLAT.replace("${ngpu_per_node}", "2").replace("total_epochs=1\n", 'total_epochs=1 "$@"\n')
"""Every batch is a number of its own."""

FLAT_KEYS = (
    "data.train_batch_size",
    "actor_rollout_ref.actor.ppo_mini_batch_size",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu",
    "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu",
)

ENVIRONMENT = VARIABLES.replace("nproc_per_gpu=58", "nproc_per_gpu=${nproc_per_gpu:-58}")
"""The caller may set the variable."""

ARRAY = FLAT.replace("python3 -m verl.trainer.main_ppo \\\n", "SETTINGS=(\n").replace(
    ' "$@"\n', '\n)\npython3 -m verl.trainer.main_ppo "${SETTINGS[@]}" "$@"\n'
)
ARRAY = ARRAY.replace(" \\\n", "\n")
"""The settings stand in an array, where each line may have a comment."""

VARY = {VARIABLES: (), ENVIRONMENT: (), FLAT: FLAT_KEYS, ARRAY: FLAT_KEYS}
"""Each style with what is varied in it."""


def script(text: str | bytes = VARIABLES, path: str = PATH) -> ScriptFile:
    """A script under the name that says its hardware."""
    return ScriptFile(path=path, data=text.encode() if isinstance(text, str) else text)


@dataclass(frozen=True)
class Series:
    """A plan, and the candidates that it was made from."""

    plan: SeriesPlan
    candidates: Candidates


def series_of(
    script: ScriptFile,
    vary: tuple[str, ...] = (),
    *,
    ran: int | None = None,
    failed: int | None = None,
    device: str | None = None,
) -> Series:
    """The series of a script."""
    candidates = Candidates(script, CheckOptions(device=device), vary)
    return Series(plan_series(candidates, known_ends(candidates, ran, failed)), candidates)


@cache
def planned(
    text: str = VARIABLES,
    vary: tuple[str, ...] = (),
    *,
    ran: int | None = None,
    failed: int | None = None,
    device: str | None = None,
) -> Series:
    """The series of a script in one of the styles; the same one is made once."""
    return series_of(script(text), vary, ran=ran, failed=failed, device=device)


def config_of(text: str | bytes, path: str = PATH) -> dict[str, Any]:
    """The configuration that a run of a script logs: its settings, nested."""
    data = text.encode() if isinstance(text, str) else text
    (plan,) = plans(read(data, path))
    found: dict[str, Any] = {}
    for key, value in plan.resolved().items():
        node = found
        *above, last = key.split(".")
        for name in above:
            node = node.setdefault(name, {})
        setting = plan.last(key)
        assert setting is not None
        node[last] = value if setting.known else _HOLE.sub("/home/me", setting.text)
    return found


def run_of(text: str | bytes, *, fits: bool, **changes: Any) -> RunRecipe:
    """A run of a script that got through 25 steps, or ran out of memory in its second."""
    recipe = RunRecipe(
        config=config_of(text),
        gpu="NVIDIA H100 80GB HBM3",
        gpu_memory_bytes=H100,
        steps=25,
        system_samples=8,
    )
    if not fits:
        recipe = recipe.but(steps=1, console=("step:1", OOM), exit_code=1)
    return recipe.but(**changes)


__all__ = [
    "ARRAY",
    "ENVIRONMENT",
    "FLAT",
    "FLAT_KEYS",
    "OOM",
    "PATH",
    "VARIABLES",
    "VARY",
    "config_of",
    "planned",
    "run_of",
    "script",
    "series_of",
]
