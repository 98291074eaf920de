"""What a run of a recipe would have printed: the console output of verl and OpenRLHF.

The lines have the form that verl/utils/logger/aggregate_logger.py and verl/trainer/main_ppo.py give
them, or openrlhf/trainer/ppo_trainer.py and openrlhf/cli/train_ppo_ray.py; Ray puts the prefix
before the lines of a worker, in colour when it believes that a terminal reads.
"""

from __future__ import annotations

import argparse
import pprint
from types import SimpleNamespace
from typing import Any, Literal

from tests.runs.recipe import RunRecipe

OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.52 GiB. GPU 0 has a total "
    "capacity of 79.65 GiB of which 3.11 GiB is free."
)


def verl_log(
    recipe: RunRecipe,
    *,
    decimals: bool = False,
    prefix: str = "\x1b[36m(TaskRunner pid=87031)\x1b[0m ",
    noise: bool = True,
    url: str | None = None,
) -> str:
    """verl's output; `decimals` as its releases up to 0.4.1 write numbers, else as since 0.5.0."""
    lines = ["2026-01-01 12:00:00,123 INFO worker.py:1832 -- Started a local Ray instance."]
    lines += [f"{prefix}TaskRunner hostname: node-1, PID: 87031"]
    printed = pprint.pformat(recipe.config).splitlines()
    for index, text in enumerate(printed):
        lines.append(prefix + text)
        if noise and prefix and index % 7 == 3:
            lines.append("(pid=87102) INFO 01-01 12:00:01 [__init__.py:239] {'platform': 'cuda'}")
    version = recipe.packages.get("vllm")
    if version:
        lines.append(
            f"(WorkerDict pid=87102) INFO 01-01 12:00:40 [core.py:58] Initializing a V1 LLM engine "
            f"(v{version}) with config: model='{recipe.name}', dtype=torch.bfloat16"
        )
    if url:
        lines.append(f"{prefix}wandb: 🚀 View run at {url}")
    lines.append(f"{prefix}step:0 - val-core/openai/gsm8k/acc/mean@1:0.565")
    for step in range(1, recipe.steps + 1):
        if noise:
            bar = f"Training Progress:  {step}%|██        | {step}/435 [01:0{step % 10}<2:03]"
            lines.append(f"{prefix}\r{prefix}{bar}")
        row = {"actor/entropy": float("nan"), **recipe.history_row(step)}
        number = (lambda v: f"{v:.3f}") if decimals else pprint.pformat
        parts = [f"step:{step}", *(f"{key}:{number(value)}" for key, value in row.items())]
        if not decimals:
            parts.append("timing_s/step:np.float64(61.25)")
        lines.append(prefix + " - ".join(parts))
    lines += [prefix + line for line in recipe.console]
    return "\n".join(lines) + "\n"


def _nested(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _nested(entry) for key, entry in value.items()})
    return value


def openrlhf_log(recipe: RunRecipe, *, form: Literal["flat", "dotted", "nested"] = "flat") -> str:
    """OpenRLHF's output: its arguments as before 0.10, by the parser itself, or as since 0.10.2."""
    given: Any = argparse.Namespace(**recipe.config)
    if form == "nested":
        given = _nested(recipe.config)
    lines = [
        "[2026-01-01 12:00:00,123] [INFO] [real_accelerator.py:239:get_accelerator]",
        str(given),
    ]
    for step in range(1, recipe.steps + 1):
        row = {
            "policy_loss": -0.01 / step,
            "response_length": 512.0 + step,
            "reward": float("nan"),
        }
        lines.append("(LLMRayActor pid=676133) \rProcessed prompts:   6%|▋  | 1/16 [00:12<03:14]")
        lines.append(
            f"\x1b[36m(PPOTrainer pid=675352)\x1b[0m INFO 01-01 12:00:00 ppo_trainer.py:547] "
            f"✨ Global step {step}: {row}"
        )
    return "\n".join([*lines, *recipe.console]) + "\n"
