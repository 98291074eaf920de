"""The process that imports the SDK and writes one run; started by `tests.runs.writer` alone.

Its arguments are a folder, below which it writes, and a recipe's file. It prints the run's folder.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.runs.recipe import RunRecipe


def install(packages: dict[str, str], site: Path) -> None:
    """Make packages appear installed: metadata without code."""
    for name, version in packages.items():
        folder = site / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
        )


def _publish_host(run: Any, pb: Any, recipe: RunRecipe) -> None:
    if recipe.gpu is None:
        return
    host = pb.EnvironmentRecord(gpu_type=recipe.gpu, gpu_count=recipe.gpus, program=recipe.program)
    for _ in range(recipe.gpus):
        host.gpu_nvidia.add(name=recipe.gpu, memory_total=recipe.gpu_memory_bytes)
    run._interface.publish_environment(host)


def _publish_system(run: Any, pb: Any, recipe: RunRecipe) -> None:
    if recipe.gpu is None or recipe.peak_gib is None:
        return
    began = int(time.time())
    for sample in range(recipe.system_samples):
        stats = pb.StatsRecord(stats_type=pb.StatsRecord.StatsType.SYSTEM)
        # As the SDK does it: a sample every 15 seconds.
        stats.timestamp.FromSeconds(began + 15 * sample)
        for gpu in range(recipe.gpus):
            used = recipe.system_bytes(sample, gpu)
            stats.item.add(key=f"gpu.{gpu}.memoryAllocatedBytes", value_json=str(used))
            share = 100 * used / recipe.gpu_memory_bytes
            stats.item.add(key=f"gpu.{gpu}.memoryAllocated", value_json=f"{share:.2f}")
        run._interface._publish(pb.Record(stats=stats))


def main() -> int:
    """Write the run."""
    out = Path(sys.argv[1])
    recipe = RunRecipe.from_json(Path(sys.argv[2]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as site:
        install(recipe.packages, Path(site))
        sys.path.insert(0, site)
        import wandb
        from wandb.proto import wandb_internal_pb2 as pb

        run = wandb.init(
            project=recipe.project,
            entity=recipe.entity,
            name=recipe.name,
            id=recipe.run_id,
            config=recipe.config,
            dir=str(out),
            # This machine's own figures would not be those of the run's host.
            settings=wandb.Settings(x_disable_stats=True, silent=True, console="wrap"),
        )
        folder = Path(run.dir).parent
        _publish_host(run, pb, recipe)
        for line in recipe.console:
            print(line)  # noqa: T201  (the SDK records what the process prints)
        for step in range(1, recipe.steps + 1):
            run.log(recipe.history_row(step), step=step)
        _publish_system(run, pb, recipe)
        run.finish(exit_code=recipe.exit_code)
    sys.stdout.write(f"\n{folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
