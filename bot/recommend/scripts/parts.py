"""What the scripts of all frameworks have in common: their head, and one command over lines."""

from __future__ import annotations

from collections.abc import Sequence

from bot.base.devices import Device, gpu_count
from bot.recommend.request import Candidate, Request


def head(request: Request, candidate: Candidate, device: Device, release: str) -> list[str]:
    """Shebang, what the script is, the release it is for, the model's path."""
    method = "" if request.method == "full" else f"-{request.method}"
    what = f"{request.task}{method}".upper() + f" of {request.model.name}"
    return [
        "#!/usr/bin/env bash",
        f"# {what} on {gpu_count(candidate.gpus)} ({device.label}): made by rlbot from a",
        "# prediction of memory. Nobody has run it yet.",
        f"# {request.framework}: {release}",
        "set -euo pipefail",
        "",
        f"MODEL_PATH=${{MODEL_PATH:-{request.path}}}",
    ]


def run_name(request: Request, candidate: Candidate, device: Device) -> str:
    """The name of the run."""
    return f"{request.token}-{request.label}-{candidate.gpus}-{device.token}"


def command(start: str, arguments: Sequence[str]) -> list[str]:
    """One command over several lines; the caller's arguments come last."""
    return [f"{start} \\", *(f"    {argument} \\" for argument in arguments), '    "$@"', ""]
