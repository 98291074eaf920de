"""The wheel holds what the program needs, and runs without the checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples/tuning/0.5b/qwen2.5-0.5b_grpo-lora_1_h100_fsdp_vllm.sh"
MIB = 1 << 20


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True, text=True)
    return next(out.glob("*.whl"))


def test_the_wheel_is_the_distribution_with_its_data(wheel: Path) -> None:
    assert wheel.name.startswith("rlbot_tuning-")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        schemas = [i for i in archive.infolist() if i.filename.startswith("bot/_schemas/")]
    assert {"bot/base/devices.csv", "bot/py.typed", "bot/_schemas/report-v1.schema.json"} <= names
    assert not [name for name in names if name.startswith(("tests/", "examples/", "schemas/"))]
    assert sum(info.file_size for info in schemas) < MIB


def test_the_wheel_lints_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import bot, bot.commands.cli; "
        f"assert bot.__file__.startswith({str(tmp_path)!r}); "
        f"sys.exit(bot.commands.cli.main(['lint', {str(SCRIPT)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
