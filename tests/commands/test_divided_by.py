"""A file of accelerate's or DeepSpeed's that a launch names, and that is missing or broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot

PROGRAM = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig(output_dir="o", per_device_train_batch_size=4, max_length=2048, {more})
SFTTrainer(model="Qwen/Qwen2.5-3B", args=args).train()
"""
ZERO = '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}'
ACCELERATE = "distributed_type: FSDP\nnum_processes: 2\n"
UNKNOWN = "how the launch divides its model is not known"


def project(folder: Path, more: str = 'deepspeed="ds_z3.json"', **files: str) -> Path:
    (folder / ".git").mkdir()
    (folder / "sft").mkdir()
    files = {"run.sh": "deepspeed --num_gpus 1 train_sft.py\n", **files}
    for name, text in {"train_sft.py": PROGRAM.format(more=more), **files}.items():
        (folder / "sft" / name.replace("__", ".")).write_text(text)
    return folder / "sft"


@pytest.mark.parametrize("named", ["run.sh", "train_sft.py"])
@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "ds_z3.json is not there"), ("{bad json", "ds_z3.json is no JSON (line 1)")],
)
def test_nothing_is_guessed_from_the_name(
    tmp_path: Path, named: str, content: str | None, problem: str
) -> None:
    files = {} if content is None else {"ds_z3__json": content}
    folder = project(tmp_path, **files)
    made = rlbot("estimate", named, "--device", "rtx4090", cwd=folder)
    said = f"{named}: no prediction. How the launch divides its model is not known: {problem}."
    assert said in made.out
    assert made.status == 3
    checked = rlbot("lint", named, cwd=folder)
    assert f"unchecked  configuration: {UNKNOWN}: {problem}." in checked.out
    assert checked.status == 3


@pytest.mark.parametrize("named", ["run.sh", "train_sft.py"])
@pytest.mark.parametrize("file", ["ds_z3.json", "conf.json"])
def test_one_that_is_there_counts(tmp_path: Path, named: str, file: str) -> None:
    """Also one whose name does not say what it is for."""
    folder = project(tmp_path, f'deepspeed="{file}"', **{file: ZERO})
    assert "fits" in rlbot("estimate", named, "--device", "rtx4090", cwd=folder).out
    assert rlbot("lint", named, cwd=folder).status == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("accelerate launch --config_file missing.yaml train_sft.py", "missing.yaml is not there"),
        ("accelerate launch --config_file bad.yaml train_sft.py", "bad.yaml is no YAML"),
        (
            "accelerate launch --config_file sub/no.yaml --num_processes 2 train_sft.py",
            "sub/no.yaml is not there",
        ),
    ],
)
def test_a_file_of_accelerates(tmp_path: Path, text: str, problem: str) -> None:
    folder = project(tmp_path, "bf16=True", run__sh=f"{text}\n", bad__yaml="a: [b")
    checked = rlbot("lint", "run.sh", cwd=folder)
    assert f"unchecked  configuration: {UNKNOWN}: {problem}." in checked.out
    assert checked.status == 3
    made = rlbot("estimate", "run.sh", "--device", "h100", cwd=folder)
    assert f"is not known: {problem}." in made.out


@pytest.mark.parametrize(
    "text",
    [
        "accelerate launch --config_file $CONF train_sft.py",
        "accelerate launch --config_file $DIR/fsdp.yaml train_sft.py",
        "accelerate launch --config_file /etc/fsdp.yaml train_sft.py",
        "accelerate launch --config_file ~/fsdp.yaml train_sft.py",
        "accelerate launch --config_file fsdp.yaml train_sft.py",
        "envsubst < x > own.yaml; accelerate launch --config_file own.yaml train_sft.py",
        "python make.py --out own.yaml; accelerate launch --config_file own.yaml train_sft.py",
        "git clone https://github.com/a/b; accelerate launch --config_file b/x.yaml train_sft.py",
        "cd /data; accelerate launch --config_file own.yaml train_sft.py",
        "accelerate launch --config_file .hidden/own.yaml train_sft.py",
        "trl sft --accelerate_config zero3 --model_name_or_path m --dataset_name d --output_dir o",
        "cat > own.yaml <<EOF\na: [$B\nEOF\naccelerate launch --config_file own.yaml train_sft.py",
    ],
)
def test_one_that_may_be_there_is_no_matter(tmp_path: Path, text: str) -> None:
    folder = project(tmp_path, "bf16=True", run__sh=f"{text}\n", fsdp__yaml=ACCELERATE)
    assert UNKNOWN not in rlbot("lint", "run.sh", cwd=folder).out


@pytest.mark.parametrize(
    ("go", "start", "missing"),
    [
        ("cd $OTHER", "--config_file $W/conf/acc.yaml sft/train_sft.py", False),
        ("cd $W", "--config_file /etc/conf/acc.yaml sft/train_sft.py", False),
        ("cd $W", "--config_file $W/conf/acc.yaml other/train_sft.py", False),
        ("cd $W", "--config_file $W/conf/acc.yaml train_sft.py", False),
        ("", "--config_file $W/conf/acc.yaml sft/train_sft.py", False),
        ("cp $A conf; cd $W", "--config_file $W/conf/acc.yaml sft/train_sft.py", False),
        ("cd $W", "--config_file $W/sft/fsdp.yaml sft/train_sft.py", False),  # It is here.
        ("cd $W", "--config_file $W/conf/acc.yaml sft/train_sft.py", True),
        ("cd $W/", "--config_file $W/conf/acc.yaml $W/sft/train_sft.py", True),
        ("cd $W", "--config_file conf/acc.yaml sft/train_sft.py", True),
    ],
)
def test_a_file_of_the_clone_that_the_script_goes_to(
    tmp_path: Path, go: str, start: str, missing: bool
) -> None:
    """Nothing was said where a script names its own folder of another machine."""
    text = f"W=/project/x/j2\n{go}\naccelerate launch {start}\n"
    project(tmp_path, "bf16=True", run__sh=text, fsdp__yaml=ACCELERATE)
    said = f"{UNKNOWN}: conf/acc.yaml is not there."
    out = rlbot("lint", "sft/run.sh", cwd=tmp_path).out
    assert (said in out, UNKNOWN in out) == (missing, missing)


def test_a_link_is_no_missing_file(tmp_path: Path) -> None:
    folder = project(tmp_path, "bf16=True", run__sh="accelerate launch --config_file l.yaml t.py\n")
    (folder / "own.yaml").write_text(ACCELERATE)
    (folder / "l.yaml").symlink_to("own.yaml")
    assert UNKNOWN not in rlbot("lint", "run.sh", cwd=folder).out


def test_a_program_may_write_its_own(tmp_path: Path) -> None:
    folder = project(tmp_path)
    program = folder / "train_sft.py"
    text = program.read_text()
    program.write_text(f"import json\njson.dump({{}}, open('ds_z3.json', 'w'))\n{text}")
    assert UNKNOWN not in rlbot("lint", "train_sft.py", cwd=folder).out
    made = rlbot("estimate", "train_sft.py", "--device", "rtx4090", cwd=folder)
    assert "ds_z3.json was not read" in made.out


def test_a_path_may_begin_in_a_folder_above(tmp_path: Path) -> None:
    folder = project(tmp_path, 'deepspeed="conf/z.json"')
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "z.json").write_text(ZERO)
    assert "fits" in rlbot("estimate", "train_sft.py", "--device", "rtx4090", cwd=folder).out


def test_a_preset_of_trl_is_taken_by_its_name(tmp_path: Path) -> None:
    """Launches name it where it lies in a clone of TRL; its name is no proof of what it holds."""
    text = "accelerate launch --config_file deepspeed_zero3.yaml --num_processes 2 train_sft.py\n"
    folder = project(tmp_path, "bf16=True", run__sh=text)
    made = rlbot("estimate", "run.sh", "--device", "rtx3090", cwd=folder).out
    assert "likely OOM" in made
    assert "as the name of deepspeed_zero3.yaml says, which was not read" in made
