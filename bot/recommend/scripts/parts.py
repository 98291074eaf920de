"""What the scripts of all frameworks have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.base.devices import gpu_count
from bot.recommend.request import Candidate, Request


def head(request: Request, candidate: Candidate, device: str, release: str) -> list[str]:
    """Shebang, what the script is, the release it is for, the model's path."""
    what = f"{request.label.upper()} of {request.model.name}"
    return [
        "#!/usr/bin/env bash",
        f"# {what} on {gpu_count(candidate.gpus)} ({device}): made by rlbot from a",
        "# prediction of memory. Nobody has run it yet.",
        f"# {request.framework}: {release}",
        "set -euo pipefail",
        "",
        f"MODEL_PATH=${{MODEL_PATH:-{request.path}}}",
    ]


def run_name(request: Request, candidate: Candidate, device: str) -> str:
    """The name of the run."""
    return f"{request.token}-{request.label}-{candidate.gpus}-{device.lower()}"


def command(start: str, arguments: Sequence[str]) -> list[str]:
    """One command over several lines; the caller's arguments come last."""
    return [f"{start} \\", *(f"    {argument} \\" for argument in arguments), '    "$@"', ""]


def verl_trainer(request: Request, candidate: Candidate, device: str) -> Iterator[str]:
    """The settings `trainer.*` of both of verl's trainers."""
    yield """trainer.logger='["console","wandb"]'"""
    yield "trainer.project_name=rlbot-tuning"
    yield f"trainer.experiment_name={run_name(request, candidate, device)}"
    yield f"trainer.n_gpus_per_node={candidate.per_node}"
    yield f"trainer.nnodes={candidate.nodes}"
    yield "trainer.save_freq=-1"
    yield "trainer.test_freq=5"
    yield "trainer.total_epochs=1"
