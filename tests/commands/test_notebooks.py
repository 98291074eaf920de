"""Where findings of a notebook are shown, and what of its cells is read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command import rlbot

CELLS = (
    "!pip install -q trl peft",
    "from trl import GRPOConfig, GRPOTrainer\nmodel_id = 'Qwen/Qwen2.5-0.5B-Instruct'",
    "args = GRPOConfig(\n    output_dir='o',\n    max_completion_lenght=256,\n)\n\
GRPOTrainer(model=model_id, args=args, reward_funcs=len, train_dataset=None).train()",
)
PROGRAM = (
    "from trl import SFTConfig, SFTTrainer\n"
    "cfg = SFTConfig(output_dir='o', per_device_train_batch_size=4, max_lenght=1024, bf16=True)\n"
    "SFTTrainer(model='Qwen/Qwen2.5-1.5B', args=cfg, train_dataset=None).train()\n"
)


def cell(code: str, *, lines: bool = True) -> dict[str, Any]:
    kept: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    return {**kept, "source": code.splitlines(keepends=True) if lines else code}


def notebook(folder: Path, *cells: str, indent: int | None = 1, lines: bool = True) -> Path:
    """One with a cell of text in front; without `indent` the whole stands on one line."""
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# Training"]}
    made = [text, *(cell(code, lines=lines) for code in cells)]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = folder / "train.ipynb"
    path.write_text(json.dumps(whole, indent=indent))
    return path


@pytest.mark.parametrize("indent", [1, None])
@pytest.mark.parametrize("lines", [True, False])
def test_a_finding_is_shown_in_its_cell(tmp_path: Path, indent: int | None, lines: bool) -> None:
    notebook(tmp_path, *CELLS, indent=indent, lines=lines)
    shown = rlbot("lint", "train.ipynb", cwd=tmp_path).out
    assert "  cell 4, line 3  error    RLB020  there is no max_completion_lenght here" in shown
    assert "     │     max_completion_lenght=256,\n     │     ^^^^^^^^^^^^^^^^^^^^^\n" in shown


@pytest.mark.parametrize("indent", [1, None])
@pytest.mark.parametrize("lines", [True, False])
def test_an_annotation_is_at_a_line_of_the_file(
    tmp_path: Path, indent: int | None, lines: bool
) -> None:
    file = notebook(tmp_path, *CELLS, indent=indent, lines=lines).read_text().split("\n")
    out = rlbot("lint", "--format", "github", "train.ipynb", cwd=tmp_path).out
    (line,) = re.findall(r"::error file=train.ipynb,line=(\d+),", out)
    assert "max_completion_lenght" in file[int(line) - 1]
    sarif = json.loads(rlbot("lint", "--format", "sarif", "train.ipynb", cwd=tmp_path).out)
    regions = [
        one["locations"][0]["physicalLocation"]["region"] for one in sarif["runs"][0]["results"]
    ]
    assert int(line) in [region["startLine"] for region in regions]
    assert all(region["endLine"] <= len(file) for region in regions)
    made = json.loads(rlbot("lint", "--format", "json", "train.ipynb", cwd=tmp_path).out)
    (found,) = [f for f in made["scripts"][0]["findings"] if f["id"] == "RLB020"]
    assert (found["line"], found["cell"]) == (int(line), {"number": 4, "line": 3, "end_line": 3})


def test_what_concerns_the_whole_file_has_no_excerpt(tmp_path: Path) -> None:
    notebook(tmp_path, *CELLS, indent=None)
    shown = rlbot("lint", "--verbose", "train.ipynb", cwd=tmp_path).out
    assert re.search(r"  1:1 +note +RLB042", shown)
    assert "nbformat" not in shown


def test_a_token_in_a_cell_is_not_shown(tmp_path: Path) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1c"
    notebook(tmp_path, f"!export HF_TOKEN={token} && python train.py", *CELLS, indent=None)
    made = rlbot("lint", "train.ipynb", cwd=tmp_path)
    assert token not in made.out


WRITES = f"%%writefile train.py\n{PROGRAM}"
LOOP = f"for L in 1 2; do\ncat > train.py <<EOF\n{PROGRAM.replace('1024', '$L')}EOF\n"
LOOP += "python train.py\ndone\nexit\n"
HEREDOC = f"cat > train.py <<'EOF'\n{PROGRAM}EOF\n"


@pytest.mark.parametrize(
    "start",
    [
        "!accelerate launch --num_processes 1 train.py",
        "!python train.py",
        "%%bash\ntorchrun --nproc_per_node 1 ./train.py",
    ],
)
def test_a_program_that_a_cell_writes_is_read(tmp_path: Path, start: str) -> None:
    notebook(tmp_path, WRITES, start)
    shown = rlbot("lint", "train.ipynb", cwd=tmp_path).out
    assert "cell 2, line 4  error    RLB020  there is no max_lenght here" not in shown
    assert "cell 2, line 3  error    RLB020  there is no max_lenght here" in shown
    made = rlbot("estimate", "train.ipynb", "--device", "h100", "--gpus", "1", cwd=tmp_path).out
    assert "on 1 × H100" in made


@pytest.mark.parametrize(
    "start", ["accelerate launch --num_processes 1 train.py", "python ./train.py"]
)
def test_so_is_one_that_a_script_writes(tmp_path: Path, start: str) -> None:
    (tmp_path / "run.sh").write_text(f"#!/bin/bash\n{HEREDOC}{start}\n")
    (tmp_path / "train.py").write_text("print('what stood there before')\n")
    shown = rlbot("lint", "run.sh", cwd=tmp_path).out
    assert "4:64  error    RLB020  there is no max_lenght here" in shown
    assert "did you mean max_length?" in shown
    fixed = rlbot("lint", "--diff", "--unsafe", "run.sh", cwd=tmp_path).out
    assert (
        "+cfg = SFTConfig(output_dir='o', per_device_train_batch_size=4, max_length=1024" in fixed
    )


def test_one_that_takes_options_is_given_them(tmp_path: Path) -> None:
    program = (
        "from trl import SFTConfig, SFTTrainer, ModelConfig, TrlParser\n"
        "args, model = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()\n"
        "SFTTrainer(model=model.model_name_or_path, args=args).train()\n"
    )
    start = "python train.py --model_name_or_path Qwen/Qwen3-4B --output_dir o --max_lenght 8"
    (tmp_path / "run.sh").write_text(f"cat > train.py <<'EOF'\n{program}EOF\n{start}\n")
    assert "there is no --max_lenght here" in rlbot("lint", "run.sh", cwd=tmp_path).out


@pytest.mark.parametrize(
    "text",
    [
        HEREDOC.replace("'EOF'", "EOF").replace("1024", "$LENGTH"),
        HEREDOC + "sed -i s/1024/2048/ train.py\n",
        HEREDOC.replace("train.py", "other.py"),
        HEREDOC + "cd elsewhere\n",
        HEREDOC.replace("cat >", "cat >>"),
        LOOP,
    ],
)
def test_one_that_is_not_wholly_known_is_not_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.sh").write_text(f"{text}python train.py\n")
    made = rlbot("lint", "run.sh", cwd=tmp_path)
    assert "max_lenght" not in made.out
    assert "the script runs python train.py" in made.out


def test_what_a_magic_stands_for_is_not_named(tmp_path: Path) -> None:
    notebook(tmp_path, "%%writefile a.txt\nx\n", "for i in range(3):\n    !echo {i}", "!nvidia-smi")
    shown = rlbot("lint", "train.ipynb", cwd=tmp_path).out
    assert "the script runs nvidia-smi." in shown
    notebook(tmp_path, "%%writefile a.txt\nx\n")
    shown = rlbot("lint", "train.ipynb", cwd=tmp_path).out
    assert "no cell runs a command, or makes settings of TRL's" in shown


EXPORT = """# -*- coding: utf-8 -*-
!pip install -q trl==0.24.0
%cd work
from trl import SFTConfig, SFTTrainer
args = SFTConfig(output_dir='o', max_lenght=1024)
SFTTrainer(model='Qwen/Qwen2.5-1.5B', args=args, train_dataset=None).train()
!trl sft --model_name_or_path a --dataset_name b --output_dr o
"""


@pytest.mark.parametrize("named", ["train.py", "."])
def test_so_is_a_notebook_that_colab_saved_as_python(tmp_path: Path, named: str) -> None:
    (tmp_path / "train.py").write_text(EXPORT)
    made = rlbot("lint", named, cwd=tmp_path)
    assert "  5:34  error    RLB020  there is no max_lenght here" in made.out
    assert "  7:50  error    RLB020  there is no --output_dr here" in made.out
    assert "trl==0.24.0, which the script installs" in made.out
    shown = rlbot("estimate", "train.py", "--device", "a100", cwd=tmp_path).out
    assert shown.startswith("train.py on 1 × A100 (79.4 GiB usable): ")


@pytest.mark.parametrize("kind", ["ipynb", "py"])
def test_no_fix_changes_a_notebook(tmp_path: Path, kind: str) -> None:
    """Offsets are those of the code alone, laid out line by line."""
    code = "!trl sft --model_name_or_path a --dataset_name b --output_dr o\n!ls"
    path = notebook(tmp_path, code)
    if kind == "py":
        path = tmp_path / "train.py"
        path.write_text(EXPORT)
    before = path.read_bytes()
    shown = rlbot("lint", "--fix", "--unsafe", path.name, cwd=tmp_path)
    assert "did you mean --output_dir?" in shown.out
    assert ("can be fixed" in shown.out, path.read_bytes()) == (False, before)
