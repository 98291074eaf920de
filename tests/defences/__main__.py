"""`make defences`: each defence of the list is weakened in a copy, and its tests must fail.

`python -m tests.defences [T5 …]` takes those against the named threats alone. The status is 0 when
every defence was noticed, and every test passes while they all stand.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from tests.defences.listed import DEFENCES, THREATS, Defence
from tests.defences.weaken import weakened

ROOT = Path(__file__).resolve().parents[2]
FAILED = 1
"""pytest's status when tests ran and some failed; every other one is no proof."""
SECONDS = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one mutation."""

    defence: Defence
    problem: str = ""
    """Why it is no proof; empty when the tests noticed."""


def main(arguments: Sequence[str]) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.defences", description=__doc__)
    parser.add_argument("threats", nargs="*", metavar="T5", help="only these threats")
    parser.add_argument("--jobs", type=int, default=2, help="copies that are tested at once")
    asked = parser.parse_args(arguments)
    chosen = [one for one in DEFENCES if not asked.threats or one.threat in asked.threats]
    with tempfile.TemporaryDirectory(prefix="defences-") as folder:
        copies: Queue[Path] = Queue()
        for number in range(asked.jobs):
            copies.put(_copy(Path(folder) / str(number)))

        def tried(defence: Defence) -> Outcome:
            copy = copies.get()
            try:
                return _tried(copy, defence)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(asked.jobs) as pool:
            whole = pool.submit(_standing, copies, chosen)
            outcomes = []
            for outcome in pool.map(tried, chosen):
                outcomes.append(outcome)
                _print(outcome)
            standing = whole.result()
    noticed = sum(not outcome.problem for outcome in outcomes)
    covered = {outcome.defence.threat for outcome in outcomes if not outcome.problem}
    if standing:
        sys.stdout.write(f"With every defence in its place the tests do not pass:\n{standing}\n")
    sys.stdout.write(
        f"{noticed} of {len(outcomes)} defences noticed, "
        f"against {len(covered)} of {len(THREATS)} threats\n"
    )
    return 0 if noticed == len(outcomes) and not standing else 1


def _print(outcome: Outcome) -> None:
    one = outcome.defence
    what = f"{one.threat:<4} {one.what:<64} {one.place:<56}"
    sys.stdout.write(f"{what} {outcome.problem or 'noticed'}\n")
    sys.stdout.flush()


def _copy(folder: Path) -> Path:
    """What git knows of the tree, and what it would not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


def _tried(copy: Path, defence: Defence) -> Outcome:
    file = copy / defence.file
    whole = file.read_text(encoding="utf-8")
    try:
        _write(file, weakened(whole, defence.place, defence.change))
        status, said = _tests(copy, defence.tests)
    except ValueError as error:
        return Outcome(defence, f"ERROR {error}")
    finally:
        _write(file, whole)
    if status == FAILED:
        return Outcome(defence)
    if status == 0:
        return Outcome(defence, "NOT NOTICED")
    return Outcome(defence, f"ERROR pytest ended with {status}: {said}")


def _write(file: Path, text: str) -> None:
    """Without the compiled form, which Python knows by size and second alone."""
    file.write_text(text, encoding="utf-8")
    for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
        compiled.unlink()


def _standing(copies: Queue[Path], chosen: Sequence[Defence]) -> str:
    """What the tests of the list say while nothing is weakened; empty when they pass."""
    copy = copies.get()
    try:
        status, said = _tests(copy, tuple(dict.fromkeys(t for one in chosen for t in one.tests)))
    finally:
        copies.put(copy)
    return "" if status == 0 else said or f"pytest ended with {status}"


def _tests(copy: Path, tests: Sequence[str]) -> tuple[int, str]:
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env=environment | {"PYTHONPATH": str(copy), "PATIENCE": "120"},
            capture_output=True,
            text=True,
            timeout=SECONDS * max(1, len(tests)),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, "the tests did not end"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, "\n".join(lines[-15:]) if len(tests) > 2 else (lines or [""])[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
