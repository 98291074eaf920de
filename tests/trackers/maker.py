"""Logs one launch to trackers by their own SDKs, as verl does it: through verl's `Tracking`.

Run by `tests.trackers.record` in an environment that has the SDKs (`install.sh`); the suite itself
needs none of it. Reads a recipe (tests.runs.recipe) from standard input, logs to the trackers named
as the second argument, below the folder named as the first. torch's SummaryWriter, which needs
torch, gives place to the writer of the tensorboard package that it calls.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import sys
import time
import types
from pathlib import Path
from typing import Any

from tests.runs.child import install
from tests.runs.recipe import RunRecipe

PACKAGES = ("tensorboard", "swanlab", "trackio", "mlflow", "verl")
SAMPLED = 12.0
"""Seconds after which every sampler has seen what is in use: the slowest looks every 10."""
_WRITER = "torch.utils.tensorboard"


def summary_writer() -> None:
    """Put a `torch.utils.tensorboard` in place whose writer does what torch's does."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    class SummaryWriter:
        def __init__(self, log_dir: str) -> None:
            self.writer = EventFileWriter(log_dir)

        def add_scalar(self, tag: str, value: float, step: int) -> None:
            summary = Summary(value=[Summary.Value(tag=tag, simple_value=float(value))])
            self.writer.add_event(Event(wall_time=time.time(), step=step, summary=summary))

        def close(self) -> None:
            self.writer.close()

    for name in ("torch", "torch.utils", _WRITER):
        sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[_WRITER])["SummaryWriter"] = SummaryWriter


def tracking(*arguments: Any, **options: Any) -> Any:
    """verl's `Tracking`, from its source alone: the rest of verl needs torch."""
    found = importlib.util.find_spec("verl")
    assert found is not None
    assert found.submodule_search_locations is not None
    path = Path(found.submodule_search_locations[0]) / "utils/tracking.py"
    module = types.ModuleType("verl_tracking")
    sys.modules["verl_tracking"] = module
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))  # noqa: S102
    made = vars(module)["Tracking"](*arguments, **options)
    for name in ("torch", "torch.utils", _WRITER):
        sys.modules.pop(name, None)
    return made


def use(gpus: Path, recipe: RunRecipe, sample: int) -> None:
    """Set the memory in use on each GPU, which the stand-in for NVML reports."""
    for gpu in range(recipe.gpus):
        new = gpus / f"{gpu}.new"
        new.write_text(str(recipe.system_bytes(sample, gpu)), encoding="ascii")
        new.replace(gpus / f"{gpu}.1")


def versions() -> dict[str, str]:
    """The SDKs' versions."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def main() -> int:
    """Log the launch."""
    recipe = RunRecipe.from_json(sys.stdin.read())
    out, backends = Path(sys.argv[1]).resolve(), sys.argv[2].split(",")
    gpus = Path(os.environ["NVML_STANDIN"])
    os.chdir(out)
    made = versions()
    (out / "site").mkdir()
    install({name: v for name, v in recipe.packages.items() if name not in made}, out / "site")
    # SwanLab asks pip, a process of its own, what is installed.
    os.environ["PYTHONPATH"] = f"{out / 'site'}{os.pathsep}{os.environ['PYTHONPATH']}"
    sys.path.insert(0, str(out / "site"))
    use(gpus, recipe, 0)
    if "tensorboard" in backends:
        summary_writer()
    log = tracking(recipe.project, recipe.name, backends, config=recipe.config)
    for step in range(1, recipe.steps + 1):
        if step == recipe.steps // 2 + 1:
            use(gpus, recipe, recipe.system_samples // 2)
            time.sleep(SAMPLED)
            use(gpus, recipe, 0)
        log.log(data=recipe.history_row(step), step=step)
    log.finish(exit_code=recipe.exit_code)
    if "mlflow" in backends:
        import mlflow

        mlflow.end_run()
    sys.stdout.write(f"\n{json.dumps(made)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
