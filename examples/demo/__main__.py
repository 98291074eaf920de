"""Plays a contribution on this machine: no account, no network, no service.

A git repository gets a base branch with a documentation page, and a branch that adds a tuning
script. The real W&B SDK writes the run, in offline mode. Then `rlbot pr` says what the pull request
would be told. What the run was configured with is written out below by hand, apart from the
script, so that the comparison compares two things.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bot.commands import cli
from bot.render.html import page
from tests.runs.console import verl_log
from tests.runs.recipe import RunRecipe

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
PAGE = "docs/perf/device_tuning.rst"
RUN_ID = "k3v9x2ma"
LINK = f"https://wandb.ai/ada/rlbot-tuning/runs/{RUN_ID}"

H800_BYTES = 85_520_809_984
PEAK_GIB = 71.2
STEPS = 412

CONFIG = {
    "algorithm": {"adv_estimator": "grpo", "use_kl_in_reward": False},
    "data": {
        "train_files": ["/home/ada/data/gsm8k/train.parquet"],
        "val_files": ["/home/ada/data/gsm8k/test.parquet"],
        "train_batch_size": 1024,
        "max_prompt_length": 1024,
        "max_response_length": 1024,
        "filter_overlong_prompts": True,
        "truncation": "error",
    },
    "actor_rollout_ref": {
        "model": {
            "path": "Qwen/Qwen2.5-7B-Instruct",
            "use_remove_padding": True,
            "enable_gradient_checkpointing": True,
            "lora_rank": 0,
        },
        "actor": {
            "strategy": "fsdp",
            "optim": {"lr": 1e-6},
            "ppo_mini_batch_size": 256,
            "ppo_micro_batch_size_per_gpu": 16,
            "use_kl_loss": True,
            "kl_loss_coef": 0.001,
            "kl_loss_type": "low_var_kl",
            "entropy_coeff": 0,
            "fsdp_config": {"param_offload": True, "optimizer_offload": True},
        },
        "rollout": {
            "name": "vllm",
            "tensor_model_parallel_size": 2,
            "gpu_memory_utilization": 0.6,
            "n": 5,
            "log_prob_micro_batch_size_per_gpu": 16,
        },
        "ref": {
            "log_prob_micro_batch_size_per_gpu": 16,
            "fsdp_config": {"param_offload": True},
        },
    },
    "trainer": {
        "critic_warmup": 0,
        "logger": ["console", "wandb"],
        "project_name": "rlbot-tuning",
        "experiment_name": "qwen2.5-7b-grpo-2-h800",
        "n_gpus_per_node": 2,
        "nnodes": 1,
        "save_freq": -1,
        "test_freq": 5,
        "total_epochs": 15,
    },
}


def main() -> int:
    """Play it; returns the exit status of `rlbot pr`."""
    arguments = argparse.ArgumentParser(prog="make demo")
    arguments.add_argument("--quiet", action="store_true", help="write the files, print nothing")
    arguments.add_argument("--out", type=Path, default=ROOT / "build" / "demo", help="folder")
    given = arguments.parse_args()
    out: Path = given.out

    shutil.rmtree(out, ignore_errors=True)
    repository = out / "repository"
    _make_repository(repository)
    run = _write_run(out / "run")

    command = ["pr", "--repo", str(repository), "--base", "main", "--run", str(run)]
    comment, status = _rlbot(*command)
    report, _ = _rlbot(*command, "--format", "json")
    (out / "comment.md").write_text(comment, encoding="utf-8")
    (out / "comment.html").write_text(page(comment, "The comment"), encoding="utf-8")
    script = str(repository / SCRIPT)
    _rlbot("verify", script, "--run", str(run), "--report", str(out / "run.html"))
    (out / "report.json").write_text(report, encoding="utf-8")
    together = _other_sources(out)
    verified, _ = _rlbot("verify", script, *together, "--format", "markdown")
    (out / "verify.md").write_text(verified, encoding="utf-8")
    if not given.quiet:
        shown = os.path.relpath(out)
        sys.stdout.write(
            f"$ rlbot pr --repo {shown}/repository --base main "
            f"--run {os.path.relpath(run)}\n\n{comment}\n"
            f"The comment as GitHub shows it: {shown}/comment.html\n"
            f"The comment as Markdown:        {shown}/comment.md\n"
            f"The page of the run:            {shown}/run.html\n"
            f"The report:                     {shown}/report.json\n"
            f"The same run without W&B, from verl's log file and its console log together:\n"
            f"  $ rlbot verify {shown}/repository/{SCRIPT} {_shown(together)} --format markdown\n"
            f"                                {shown}/verify.md\n"
        )
    return status


def _other_sources(out: Path) -> list[str]:
    """The options that name what the run logged besides: verl's `file` logger and the console."""
    recipe = RunRecipe(config=CONFIG, steps=STEPS, packages={"vllm": "0.24.0"})
    steps = out / "log" / "qwen2.5-7b-grpo-2-h800.jsonl"
    rows = [{"step": step, "data": recipe.history_row(step)} for step in range(1, STEPS + 1)]
    _write(steps, "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    _write(out / "log" / "train.log", verl_log(recipe))
    return ["--run", str(steps), "--run", str(out / "log" / "train.log")]


def _shown(options: list[str]) -> str:
    return " ".join(word if word == "--run" else os.path.relpath(word) for word in options)


def _rlbot(*arguments: str) -> tuple[str, int]:
    """What the command prints, and its exit status."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed):
        status = cli.main(arguments)
    printed.seek(0)
    return printed.read(), status


def _make_repository(folder: Path) -> None:
    """A base branch with the page, a branch that adds the script with the link to its run."""
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "remote", "add", "origin", "https://github.com/verl-project/verl.git")
    _write(folder / PAGE, (ROOT / "examples/demo/device_tuning.rst").read_text(encoding="utf-8"))
    _commit(folder, "The page")
    _git(folder, "switch", "--quiet", "--create", "qwen2.5-7b-2-h800")
    script = (ROOT / SCRIPT).read_text(encoding="utf-8")
    _write(folder / SCRIPT, script.replace("# tag: MIN\n", f"# tag: MIN\n# wandb: {LINK}\n"))
    _commit(folder, "Add a tuning script for Qwen2.5-7B on two H800")


def _write_run(folder: Path) -> Path:
    """The run that the script made, written by the W&B SDK in a process of its own."""
    folder.mkdir(parents=True)
    config = folder / "config.json"
    config.write_text(json.dumps(CONFIG), encoding="utf-8")
    command = [sys.executable, "-m", "tests.runs.writer", str(folder), "--config", str(config)]
    command += ["--run-id", RUN_ID, "--entity", "ada", "--project", "rlbot-tuning"]
    command += ["--steps", str(STEPS), "--peak-gib", str(PEAK_GIB)]
    command += ["--package", "verl==0.9.1", "--package", "vllm==0.24.0"]
    command += ["--gpu", "NVIDIA H800", "--gpus", "2", "--memory-bytes", str(H800_BYTES)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return next(folder.glob("**/run-*.wandb")).parent


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", message)


def _git(folder: Path, *arguments: str) -> None:
    """Run git without the machine's own configuration, as a person called Ada, at a fixed time."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "ada",
        "GIT_AUTHOR_EMAIL": "1815+ada@users.noreply.github.com",
        "GIT_AUTHOR_DATE": "2026-01-01T12:00:00Z",
        "GIT_COMMITTER_NAME": "ada",
        "GIT_COMMITTER_EMAIL": "1815+ada@users.noreply.github.com",
        "GIT_COMMITTER_DATE": "2026-01-01T12:00:00Z",
    }
    subprocess.run(  # noqa: S603 - fixed arguments
        ["git", "-C", str(folder), *arguments],  # noqa: S607 - git of the machine's path
        check=True,
        env=environment,
    )


if __name__ == "__main__":
    sys.exit(main())
