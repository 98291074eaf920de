"""The first run on a machine that has nothing of rlbot yet: by `uvx`, and as a pre-commit hook.

`python -m benchmarks.first_run [--rounds N]`. Each round begins with empty caches; what is loaded
comes from the package index, so that the network counts. pre-commit itself is loaded by `uvx`,
before the time begins.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timed import timed

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
BOUND = 15.0
"""Seconds."""
HOOK = """repos:
  - repo: {repository}
    rev: {commit}
    hooks:
      - id: rlbot-lint
"""


def main() -> int:
    """Measure and print; returns 1 when a first run is above the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    above = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = _wheel(folder)
        contributor = _contributor(folder)
        uvx = str(Path(sys.executable).with_name("uvx"))
        tools = {**os.environ, "UV_CACHE_DIR": str(folder / "tools")}
        pre_commit = [uvx, "pre-commit"]
        timed([*pre_commit, "--version"], contributor, tools, checked=True)
        lint = [uvx, "--from", str(wheel), "rlbot", "lint", SCRIPT.name]
        ways = {
            "uvx --from WHEEL rlbot lint": (lint, "UV_CACHE_DIR"),
            "pre-commit run rlbot-lint": ([*pre_commit, "run", "--all-files"], "PRE_COMMIT_HOME"),
        }
        for way, (command, variable) in ways.items():
            taken = []
            for turn in range(arguments.rounds):
                cache = folder / f"{variable}{turn}"
                environment = {**tools, "PIP_CACHE_DIR": str(cache), variable: str(cache)}
                place = contributor / "examples/tuning/7b"
                taken.append(timed(command, place, environment, checked=True))
                shutil.rmtree(cache)
            median = statistics.median(one.clock for one in taken)
            least = min(one.processor for one in taken)
            above |= median > BOUND
            print(
                f"{way:<28} {median:6.1f} s (median of {len(taken)}; bound: {BOUND:.0f} s), "
                f"{least:.1f} s of a processor"
            )
    return int(above)


def _wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    timed(command, ROOT, checked=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _contributor(folder: Path) -> Path:
    """A repository with one script and the hook of this one's last commit."""
    place = folder / "contributor"
    script = place / SCRIPT.relative_to(ROOT)
    script.parent.mkdir(parents=True)
    shutil.copyfile(SCRIPT, script)
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    text = HOOK.format(repository=ROOT, commit=commit)
    (place / ".pre-commit-config.yaml").write_text(text, encoding="utf-8")
    timed(["git", "init", "--quiet"], place, checked=True)
    timed(["git", "add", "."], place, checked=True)
    return place


if __name__ == "__main__":
    sys.exit(main())
