"""What is distributed, made once: from the files that git holds, as they stand here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that git holds, as they stand here."""
    out = tmp_path_factory.mktemp("checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            target = out / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    return out


def built(kind: str, checkout: Path, out: Path) -> Path:
    """The wheel or the source distribution of a checkout."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(checkout)], check=True, capture_output=True, text=True)
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", checkout, tmp_path_factory.mktemp("wheel"))
