"""rlbot in a browser's Python: `make pyodide`, which gives the folder in RLBOT_PYODIDE.

Plain scripts with the standard library alone, byte for byte as here; then the tests of what reads
scripts and answers questions of memory, inside Pyodide.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.command import ROOT

FOLDER: Final = Path(os.environ.get("RLBOT_PYODIDE", "build/pyodide")).resolve()
SCRIPTS: Final = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/tuning/*/*.sh")
)
QUESTIONS: Final = (
    "recommend --model Qwen/Qwen2.5-7B --task grpo --lengths 1024+1024",
    "recommend Qwen2.5-32B full on 8 x H100 --format json",
    "recommend 2 x 4090 --lang zh",
    "rule RLB020",
    "--version",
)
TESTED: Final = (
    *("shell", "frameworks", "script", "rules", "check", "memory", "recommend", "bisect"),
    *(f"commands/test_{name}.py" for name in ("cli", "resolve", "estimate", "bad_input", "root")),
)
PROCESSES: Final = ("shell/test_sources.py",)
"""Files that start bash while they are read."""


def _in_pyodide(*words: str, packages: bool) -> subprocess.CompletedProcess[str]:
    places = [str(ROOT), *([str(FOLDER / "site")] if packages else [])]
    # The stack of a process is smaller than that of a browser's worker is for Python's recursion.
    node = ["node", "--stack-size=60000", str(FOLDER / "python.mjs"), *places, "--", *words]
    return subprocess.run(
        ["sh", "-c", 'ulimit -s unlimited; exec "$@"', "sh", *node],
        capture_output=True,
        text=True,
        check=False,
    )


def _answers(printed: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed)
    return found


def test_plain_scripts_need_the_standard_library_alone() -> None:
    commands = [
        *(f"{verb} {path}" for path in SCRIPTS for verb in ("lint --verbose", "resolve")),
        *(f"estimate {path} --format json" for path in SCRIPTS),
        *(f"lint {path} --format {name}" for path in SCRIPTS[:2] for name in ("json", "sarif")),
        *(f"lint {path} --lang zh" for path in SCRIPTS[:2]),
        *QUESTIONS,
    ]
    browser = _in_pyodide("tests.pyodide.alone", *commands, packages=False)
    here = subprocess.run(
        [sys.executable, "-m", "tests.pyodide.alone", *commands],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = _answers(here.stdout)
    assert {one["status"] for one in expected} <= {0, 1}
    assert _answers(browser.stdout) == expected


def test_what_needs_a_library_is_not_checked() -> None:
    script = ROOT / "build/pyodide-grammar.sh"
    script.write_text("python3 -m verl.trainer.main_ppo '+a={b: {c: 1}}'\n", encoding="utf-8")
    try:
        command = f"lint {script.relative_to(ROOT)}"
        (found,) = _answers(_in_pyodide("tests.pyodide.alone", command, packages=False).stdout)
    finally:
        script.unlink()
    assert found["status"] == 3
    assert "was not checked. This needs hydra-core, which is not installed" in found["out"]


def test_the_tests_hold_in_pyodide() -> None:
    done = _in_pyodide(
        "pytest",
        *("-q", "--quick", "-p", "no:cacheprovider", "-p", "syrupy"),
        *("-p", "_hypothesis_pytestplugin", "--snapshot-warn-unused", "--tb=short"),
        # Pyodide counts references otherwise than Hypothesis expects.
        *("-W", "ignore::hypothesis.errors.HypothesisWarning"),
        *(f"--ignore=tests/{name}" for name in PROCESSES),
        *(f"tests/{name}" for name in TESTED),
        packages=True,
    )
    sys.stdout.write(done.stdout[-4000:])
    assert done.returncode == 0, done.stderr[-2000:]
    counted = re.search(r"([0-9]+) passed", done.stdout)
    assert counted
    assert int(counted[1]) > 1_300


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-s", __file__]))
