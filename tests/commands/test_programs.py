"""Programs that train with TRL and are named themselves, or found in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import rlbot

PARSES = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config

def accuracy(completions, answer, **kw):
    return [1.0 if a in c else 0.0 for c, a in zip(completions, answer)]

def main(script_args, training_args, model_args):
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=accuracy,
        args=training_args,
        train_dataset=load_dataset(script_args.dataset_name, split="train"),
        peft_config=get_peft_config(model_args),
    )
    trainer.train()

if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config())
"""
BY_TRANSFORMERS = (
    PARSES.replace(", TrlParser", "")
    .replace("TrlParser", "HfArgumentParser")
    .replace("parse_args_and_config", "parse_args_into_dataclasses")
    .replace("from trl", "from transformers import HfArgumentParser\nfrom trl", 1)
)
RECIPE = """\
model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
dataset_name: openai/gsm8k
output_dir: out
per_device_train_batch_size: 8
num_generations: 8
max_completion_length: 512
"""
NONE_GIVEN = "takes its settings from the command line: give them with --args, such as"
BROKEN = "from trl import GRPOTrainer, GRPOConfig\ndef f(:\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "grpo").mkdir()
    (tmp_path / "grpo/train_grpo.py").write_text(PARSES)
    return tmp_path


def test_settings_may_stand_in_another_module(tmp_path: Path) -> None:
    """Wang-Yixiao/MedVLM-GRPO's program and others were said to have no trainer of TRL's."""
    (tmp_path / "settings.py").write_text(
        'from trl import SFTConfig\nargs = SFTConfig(output_dir="out", max_length=512)\n'
    )
    (tmp_path / "train.py").write_text(
        "from trl import SFTTrainer\nfrom settings import args\n"
        'SFTTrainer(model="Qwen/Qwen3-8B", args=args, train_dataset=rows).train()\n'
    )
    (tmp_path / "run.sh").write_text("python other.py\n")
    for named in ("train.py", "."):
        made = rlbot("resolve", named, cwd=tmp_path)
        assert ["max_length", "512"] in [line.split()[:2] for line in made.out.splitlines()]


@pytest.mark.parametrize("command", ["lint", "resolve", "estimate"])
def test_a_program_without_its_settings_asks_for_them(folder: Path, command: str) -> None:
    made = rlbot(command, "grpo/train_grpo.py", cwd=folder)
    assert f'train_grpo.py {NONE_GIVEN} --args "--config recipe.yaml"' in made.out
    assert made.status == 3


def test_one_without_a_parser_of_files_is_shown_an_option(folder: Path) -> None:
    (folder / "hf.py").write_text(BY_TRANSFORMERS)
    made = rlbot("lint", "hf.py", cwd=folder)
    assert f'hf.py {NONE_GIVEN} --args "--model_name_or_path NAME"' in made.out
    words = "--model_name_or_path Qwen/Qwen3-4B --output_dir o --num_generations 8"
    made = rlbot("lint", "hf.py", "--args", words, cwd=folder)
    assert (made.status, "not checked" in made.out) == (0, False)


def test_the_arguments_count(folder: Path) -> None:
    (folder / "grpo/grpo.yaml").write_text(RECIPE)
    words = "--config grpo.yaml --max_completion_length 256"
    asked = ("grpo/train_grpo.py", "--args", words)
    assert rlbot("lint", *asked, cwd=folder).status == 0
    shown = rlbot("resolve", *asked, cwd=folder).out
    assert "grpo/grpo.yaml:1:21" in shown
    made = rlbot("estimate", *asked, "--device", "h100", cwd=folder).out
    assert "on 1 × H100 (79.3 GiB usable): fits" in made
    assert "one GPU, since no launcher starts more processes" in made


def test_what_is_wrong_with_them_is_found(folder: Path) -> None:
    (folder / "grpo/grpo.yaml").write_text(RECIPE + "lerning_rate: 1e-6\n")
    words = "--config grpo.yaml --num_generation_batches 3"
    made = rlbot("lint", "grpo/train_grpo.py", "--args", words, cwd=folder)
    assert "1:1  error    RLB020  there is no --num_generation_batches here" in made.out
    assert "import load_dataset" not in made.out  # It stands nowhere in the program.
    assert "grpo/grpo.yaml:7:1  error    RLB020  there is no lerning_rate here" in made.out
    gone = rlbot("lint", "grpo/train_grpo.py", "--args", "--config gone.yaml", cwd=folder)
    assert "the settings in gone.yaml are not known: it is not there" in gone.out


def test_one_with_a_model_of_its_own_starts_without(folder: Path) -> None:
    text = PARSES.replace("model_args.model_name_or_path", '"Qwen/Qwen3-4B"')
    (folder / "own.py").write_text(text)
    made = rlbot("estimate", "own.py", "--device", "h200", cwd=folder)
    assert "on 1 × H200" in made.out


def test_a_folder_with_it_alone_holds_a_program(folder: Path) -> None:
    made = rlbot("lint", "grpo", cwd=folder)
    assert NONE_GIVEN in made.out
    assert made.status == 3


def test_where_a_script_starts_python_it_says_what_is_given(folder: Path) -> None:
    """Another program of the folder is given its settings by somebody else."""
    (folder / "grpo/run.sh").write_text("python other.py --lr 1\n")
    assert NONE_GIVEN not in rlbot("lint", "grpo", cwd=folder).out


@pytest.mark.parametrize(
    "text",
    [
        "from transformers import HfArgumentParser\nHfArgumentParser((A,)).parse_args()\n",
        "import trl\nfrom transformers import HfArgumentParser\nparser: HfArgumentParser\n",
        "print(1)\n",
    ],
)
def test_other_programs_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    made = rlbot("lint", "a.py", cwd=tmp_path)
    assert (made.status, "a.py is a Python program" in made.err) == (2, True)


def test_a_program_that_is_no_python_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "syn.py").write_text(BROKEN)
    made = rlbot("lint", "syn.py", cwd=tmp_path)
    assert made.err == "rlbot: syn.py is no Python that can be read: line 2: invalid syntax.\n"
    assert made.status == 3


def test_so_it_is_in_a_folder_with_notebooks_that_are_cut_off(tmp_path: Path) -> None:
    (tmp_path / "syn.py").write_text(BROKEN)
    (tmp_path / "cut.ipynb").write_text('{"cells": [')
    (tmp_path / "train.sh").write_text("python3 -m verl.trainer.main_ppo trainer.nnodes=1\n")
    for name, text in {
        "other.py": "def f(:\n",
        "empty.ipynb": "",
        "lfs.ipynb": "version x",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "syn.py").write_text(f"{BROKEN}if __name__ == '__main__': pass\n")
    made = rlbot("lint", ".", cwd=tmp_path)
    lines = [line for line in made.out.splitlines() if line.startswith("not checked: script: ")]
    assert lines == [
        "not checked: script: cut.ipynb is no notebook: its JSON cannot be read.",
        "not checked: script: syn.py is no Python that can be read: line 2: invalid syntax.",
    ]


@pytest.mark.parametrize(
    ("name", "text"), [("syn.py", BROKEN), ("cut.ipynb", '{"cells": ['), ("cut.ipynb", "{<<<<")]
)
def test_a_folder_with_nothing_else_is_not_checked(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    made = rlbot("lint", ".", cwd=tmp_path)
    assert made.status == 3
    assert name in made.out + made.err
