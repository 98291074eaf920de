"""What stands beside a script that lies in no repository is read wherever the command is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands import checkouts
from tests.command import rlbot

PROGRAM = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig(output_dir="o", per_device_train_batch_size=4, deepspeed="ds_z3.json")
SFTTrainer(model="Qwen/Qwen2.5-3B", args=args).train()
"""
ZERO = '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "run.sh").write_text("deepspeed --num_gpus 1 train_sft.py\n")
    (folder / "train_sft.py").write_text(PROGRAM)
    (folder / "ds_z3.json").write_text(ZERO)
    return folder


@pytest.mark.parametrize("named", ["run.sh", "train_sft.py"])
@pytest.mark.parametrize("where", ["project", "other", "."])
def test_the_working_folder_changes_nothing(project: Path, named: str, where: str) -> None:
    folder = project.parent / where
    folder.mkdir(exist_ok=True)
    made = rlbot("estimate", str(project / named), "--device", "rtx4090", cwd=folder)
    assert f"{named} on 1 × RTX4090 (23.6 GiB usable): fits" in made.out


@pytest.mark.parametrize("named", ["run.sh", "train_sft.py"])
def test_a_root_is_read_outside_of_the_working_folder(project: Path, named: str) -> None:
    """What the program names may lie above its own folder."""
    (project / "conf").mkdir()
    (project / "ds_z3.json").rename(project / "conf/ds_z3.json")
    (project / "sft").mkdir()
    text = PROGRAM.replace("ds_z3.json", "conf/ds_z3.json")
    (project / "train_sft.py").unlink()
    (project / "sft/train_sft.py").write_text(text)
    (project / "run.sh").rename(project / "sft/run.sh")
    (project.parent / "other").mkdir()
    asked = ("estimate", str(project / "sft" / named), "--device", "rtx4090")
    other = project.parent / "other"
    assert "conf/ds_z3.json is not there" in rlbot(*asked, cwd=other).out
    assert "fits" in rlbot(*asked, "--root", str(project), cwd=other).out


def test_of_a_large_folder_only_what_lies_in_it_is_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script in /tmp or in somebody's home."""
    (project / "a").mkdir()
    for number in range(8):
        (project / "a" / f"{number}.py").touch()
    monkeypatch.setattr(checkouts, "_NAMES_OF_NONE", 6)
    for where in (project, project.parent):
        made = rlbot("estimate", str(project / "run.sh"), "--device", "rtx4090", cwd=where)
        assert "fits" in made.out
    monkeypatch.setattr(checkouts, "_NAMES_OF_NONE", 2)
    made = rlbot("estimate", str(project / "run.sh"), "--device", "rtx4090", cwd=project)
    assert "no prediction" in made.out


def test_no_file_of_another_folder_is_read(project: Path) -> None:
    """Nor is what a link leads to, or what a shell script sources outside of a repository."""
    (project.parent / "other").mkdir()
    (project / "ds_z3.json").rename(project.parent / "other/ds_z3.json")
    made = rlbot("estimate", "../project/run.sh", cwd=project.parent / "other")
    assert "ds_z3.json is not there" in made.out
    (project / "ds_z3.json").symlink_to("../other/ds_z3.json")
    made = rlbot("estimate", "../project/run.sh", cwd=project.parent / "other")
    assert "ds_z3.json was not read" in made.out
