"""What the scripts of all frameworks have in common."""

from __future__ import annotations

from collections.abc import Sequence

from bot.recommend.request import Way, Wish


def head(wish: Wish, way: Way, device: str, release: str) -> list[str]:
    """Shebang, what the script is, the release it is for, the model's path."""
    gpus = f"{way.gpus} GPU{'s' if way.gpus > 1 else ''}"
    return [
        "#!/usr/bin/env bash",
        f"# {wish.label.upper()} of {wish.model.name} on {gpus} ({device}): made by rlbot from a",
        "# prediction of memory. Nobody has run it yet.",
        f"# {wish.framework}: {release}",
        "set -euo pipefail",
        "",
        f"MODEL_PATH=${{MODEL_PATH:-{wish.path}}}",
    ]


def run_name(wish: Wish, way: Way, device: str) -> str:
    """The name of the run."""
    return f"{wish.token}-{wish.label}-{way.gpus}-{device.lower()}"


def command(start: str, arguments: Sequence[str]) -> list[str]:
    """One command over several lines; the caller's arguments come last."""
    return [f"{start} \\", *(f"    {argument} \\" for argument in arguments), '    "$@"', ""]
