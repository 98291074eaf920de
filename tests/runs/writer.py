"""Writes real W&B run folders with the real SDK, offline: for tests and for the demonstration.

    python -m tests.runs.writer OUT --config config.json --steps 60 --gpu "NVIDIA H800" --gpus 2
        --memory-bytes 85520809984 --peak-gib 71.2 --run-id abc123

prints the folder that was written. Configuration, history, console and the end go the way that
verl's own `wandb.init`, `run.log` and `run.finish` go. Two things a machine without GPUs cannot
produce, so they are published as the SDK's own records through the SDK's own interface
(`run._interface`) and framed and written by its service: the GPUs of the host
(`EnvironmentRecord`, what NVML would have given) and the system stream (`StatsRecord`, the keys
`gpu.N.memoryAllocatedBytes`). `files/requirements.txt` is what the SDK lists: the packages asked
for are put on `sys.path` as `*.dist-info` folders without code, and the SDK finds them itself.

The SDK is imported in a process of its own, which ends with its service before `write_run` returns:
importing it warns, starts threads and reads the environment.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.forked import call
from tests.runs.recipe import H800_BYTES, RunRecipe

_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "LANG", "LD_LIBRARY_PATH")
"""What the writing process gets of the environment: no WANDB_* of the developer's."""


def write_run(out: Path, recipe: RunRecipe, *, server: tuple[str, str] | None = None) -> Path:
    """Write one run below `out/wandb` and return its folder; `server` is where it logs to besides.

    `server` is an address and a key; without it nothing goes over the network. Raises
    CalledProcessError when the SDK failed; its output is in the exception.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environment = {key: os.environ[key] for key in _KEPT if key in os.environ}
        environment |= {
            "HOME": home,
            "WANDB_MODE": "offline",
            "WANDB_SILENT": "true",
            "WANDB_ERROR_REPORTING": "false",
            "WANDB_CACHE_DIR": home,
            "WANDB_CONFIG_DIR": home,
            "WANDB_DATA_DIR": home,
        }
        if server is not None:
            environment |= {"WANDB_BASE_URL": server[0], "WANDB_API_KEY": server[1]}
            environment["WANDB_MODE"] = "online"
        asked = Path(home, "recipe.json")  # The SDK writes a program's arguments into its records.
        asked.write_text(recipe.to_json(), encoding="utf-8")
        said = call(
            "tests.runs.child:main",
            [str(out.resolve()), str(asked)],
            environment=environment,
            folder=Path(home),
        )
    # The SDK may have had a last word after it.
    written = [line for line in said.splitlines() if line.startswith(f"{out.resolve()}{os.sep}")]
    folder = Path(written[-1])
    for entry in (folder / "logs").iterdir():
        # The service's own log was in the temporary home.
        if entry.is_symlink() and not entry.exists():
            entry.unlink()
    return folder


def main(arguments: list[str] | None = None) -> int:
    """The command; prints the folder that was written."""
    parser = argparse.ArgumentParser(prog="python -m tests.runs.writer", description=__doc__)
    parser.add_argument("out", type=Path, help="folder that gets wandb/offline-run-…")
    parser.add_argument("--config", type=Path, required=True, help="JSON: the run's configuration")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--gpu", default="NVIDIA H800", help='"" for a host without GPUs')
    parser.add_argument("--gpus", type=int, default=2, help="GPUs of the host")
    parser.add_argument("--memory-bytes", type=int, default=H800_BYTES)
    parser.add_argument("--peak-gib", type=float, default=71.2)
    parser.add_argument("--response-length", type=int, default=1024)
    parser.add_argument("--prompt-length", type=int, default=512)
    parser.add_argument("--run-id", default="abc123")
    parser.add_argument("--entity", default="verl-team")
    parser.add_argument("--project", default="verl_tuning")
    parser.add_argument("--name", default="tuning")
    parser.add_argument("--package", action="append", default=[], metavar="NAME==VERSION")
    parser.add_argument("--line", action="append", default=[], help="a line of console output")
    options = parser.parse_args(arguments)
    recipe = RunRecipe(
        config=json.loads(options.config.read_text(encoding="utf-8")),
        run_id=options.run_id,
        entity=options.entity,
        project=options.project,
        name=options.name,
        steps=options.steps,
        gpu=options.gpu or None,
        gpus=options.gpus,
        gpu_memory_bytes=options.memory_bytes,
        peak_gib=options.peak_gib,
        response_length_max=options.response_length,
        prompt_length_max=options.prompt_length,
        console=tuple(options.line),
    )
    if options.package:
        recipe = recipe.but(packages=dict(item.split("==", 1) for item in options.package))
    sys.stdout.write(f"{write_run(options.out, recipe)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
