"""Runs the installed command as a person would, with bounds on time and memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RLBOT = Path(sys.executable).with_name("rlbot")
SECONDS = 20
BYTES = 1 << 30


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


def rlbot(
    *arguments: str | Path,
    cwd: Path = ROOT,
    stdin: bytes | None = None,
    environment: Mapping[str, str] | None = None,
) -> Result:
    """What `rlbot ARGUMENTS` says; fails above SECONDS of time or BYTES of address space."""

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    done = subprocess.run(
        [RLBOT, *arguments],
        cwd=cwd,
        input=stdin if stdin is not None else b"",
        capture_output=True,
        timeout=SECONDS,
        preexec_fn=bounds,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), **(environment or {})},
    )
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.out + result.err
    return result
