"""Records one launch with the trackers' own SDKs: `python -m tests.trackers.record ENVIRONMENTS`.

Writes `recorded.tar.xz` beside this file, or the folder named as the second argument. The tests
read what stands in it; `make trackers` records anew and reads that.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.runs.recipe import RunRecipe

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
ARCHIVE: Final = HERE / "recorded.tar.xz"
CONFIG: dict[str, Any] = import_module("examples.demo.__main__").CONFIG
LAUNCH: Final = RunRecipe(
    config=CONFIG,
    run_id="k3v9x2ma",
    entity="ada",
    project="rlbot-tuning",
    name="qwen2.5-7b-grpo-2-h800",
    packages={"verl": "0.9.1", "vllm": "0.24.0"},
)
"""The demo's launch: every source's record of it backs the demo's script as far as it can."""
WITH: Final = {
    "main": ("new", "tensorboard,file,swanlab,trackio,mlflow", "sqlite:///{out}/mlruns.db"),
    "store": ("new", "mlflow", "file://{out}/mlruns"),
    "old": ("old", "swanlab", ""),
}
"""Folder to the environment, verl's loggers, and MLflow's store."""


def digest(recipe: RunRecipe) -> str:
    """The SHA-256 of the recipe: what was recorded is what the tests compare with."""
    return hashlib.sha256(recipe.to_json().encode()).hexdigest()


def nvml(folder: Path) -> Path:
    """The stand-in for NVML's library, compiled."""
    library = folder / "libnvidia-ml.so.1"
    soname = "-Wl,-soname,libnvidia-ml.so.1"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", soname]
    subprocess.run([*command, "-o", str(library), str(HERE / "nvml.c")], check=True)
    return library


def record(environments: Path, out: Path, recipe: RunRecipe = LAUNCH) -> None:
    """Log the launch to every tracker below `out`."""
    made: dict[str, dict[str, str]] = {}
    with TemporaryDirectory() as aside:
        nvml(Path(aside))
        for folder, (environment, backends, store) in WITH.items():
            place, gpus = out / folder, Path(aside) / folder
            place.mkdir(parents=True)
            gpus.mkdir()
            variables = {
                **{
                    name: os.environ[name]
                    for name in ("PATH", "HOME", "LANG")
                    if name in os.environ
                },
                "PYTHONPATH": str(ROOT),
                "LD_LIBRARY_PATH": aside,
                "NVML_STANDIN": str(gpus),
                "SWANLAB_MODE": "offline",
                "TRACKIO_DIR": str(place / "trackio"),
                "MLFLOW_TRACKING_URI": store.format(out=place),
                "MLFLOW_ALLOW_FILE_STORE": "true",
                "MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING": "true",
                "MLFLOW_SYSTEM_METRICS_SAMPLING_INTERVAL": "1",
                "MLFLOW_SYSTEM_METRICS_SAMPLES_BEFORE_LOGGING": "1",
                "MLFLOW_DISABLE_TELEMETRY": "true",
                "DO_NOT_TRACK": "true",
                "HF_HUB_OFFLINE": "1",
            }
            python = environments / environment / "bin/python"
            command = [str(python), "-m", "tests.trackers.maker", str(place), backends]
            ended = subprocess.run(
                command, input=recipe.to_json(), env=variables, text=True, capture_output=True,
                check=False, timeout=300,
            )  # fmt: skip
            if ended.returncode:
                raise SystemExit(ended.stderr)
            made[folder] = json.loads(ended.stdout.splitlines()[-1])
            shutil.rmtree(place / "site", ignore_errors=True)
    about = {"recipe": digest(recipe), "packages": made}
    (out / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def packed(folder: Path) -> bytes:
    """A folder as a compressed archive, without times and owners."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz", preset=9) as archive:
        for path in sorted(folder.rglob("*")):
            entry = archive.gettarinfo(path, str(path.relative_to(folder)))
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            entry.mode = 0o755 if entry.isdir() else 0o644
            if entry.isfile():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    return data.getvalue()


def main() -> int:
    """Record."""
    if len(sys.argv) > 2:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
        record(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
        return 0
    with TemporaryDirectory(prefix="launch-") as out:
        record(Path(sys.argv[1]).resolve(), Path(out))
        ARCHIVE.write_bytes(packed(Path(out)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
