"""Which YAML recipes `rlbot lint FOLDER` reads beside the scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import rlbot

RECIPE = "model_name_or_path: Qwen/Qwen3-0.6B\nlearning_rte: 1e-6\n"
NAMED = "trl grpo --config {path}\n"


def _write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def _errors(folder: Path, *paths: str) -> dict[str, list[tuple[str, int, int]]]:
    """Path of each file that is checked to its errors: rule, line, column."""
    out = rlbot("lint", "--format", "json", *paths, cwd=folder).out
    return {
        script["path"]: [
            (f["id"], f["line"], f["column"])
            for f in script["findings"]
            if f["severity"] == "error"
        ]
        for script in json.loads(out)["scripts"]
    }


def test_a_recipe_that_a_script_names_is_read_too(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "run/one.sh": NAMED.format(path="run/settings/a.yaml"),
            "run/two.sh": NAMED.format(path='"settings/a.yaml"'),
            "run/three.sh": NAMED.format(path="absent.yaml"),
            "run/settings/a.yaml": RECIPE,
            "run/settings/unnamed.yaml": RECIPE,
        },
    )
    found = _errors(tmp_path, ".")
    assert found.pop("run/settings/a.yaml") == [("RLB020", 2, 1)]
    assert sorted(found) == ["run/one.sh", "run/three.sh", "run/two.sh"]


def test_a_folder_of_recipes_is_read_without_a_script(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "recipes/small/grpo/config.yaml": RECIPE,
            "recipes/accelerate_configs/zero3.yaml": "deepspeed_config: {zero_stage: 3}\n",
            ".github/workflows/ci.yml": "on: push\n",
        },
    )
    assert _errors(tmp_path, ".") == {"recipes/small/grpo/config.yaml": [("RLB020", 2, 1)]}


def test_what_is_no_recipe_of_trl_is_left_alone(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "run.sh": "accelerate launch --config_file a.yaml train.py\nother --config b.yaml\n",
            "a.yaml": RECIPE,
            "b.yaml": "seed: 1\n",
        },
    )
    assert list(_errors(tmp_path, ".")) == ["run.sh"]


def test_what_cannot_be_read_ends_nothing(tmp_path: Path) -> None:
    _write(tmp_path, {"recipes/ok.yaml": RECIPE, "run.sh": NAMED.format(path="loop.yaml")})
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "recipes/folder.yaml").mkdir()
    (tmp_path / "recipes/gone.yaml").symlink_to("absent")
    (tmp_path / "recipes/bytes.yaml").write_bytes(b"model_name_or_path: x\n\xff\xfe\x00: 1\n")
    found = _errors(tmp_path, ".")
    assert found["recipes/ok.yaml"] == [("RLB020", 2, 1)]
    assert set(found) == {"recipes/ok.yaml", "recipes/bytes.yaml", "run.sh"}


def test_what_hydra_reads_is_no_recipe_of_trl(tmp_path: Path) -> None:
    first = ("# @package _global_\n", "# @package trainer\n", "defaults:\n- base\n")
    _write(tmp_path, {f"recipes/{at}.yaml": text + RECIPE for at, text in enumerate(first)})
    _write(tmp_path, {"recipes/4.yaml": f"# the @package of <x>\n{RECIPE}"})
    assert _errors(tmp_path, ".") == {"recipes/4.yaml": [("RLB020", 3, 1)]}


OWN = 'parser = argparse.ArgumentParser()\nparser.add_argument("--config", type=Path)\n'


@pytest.mark.parametrize(
    ("line", "program", "ours"),
    [
        # a2237380337/steel-rlvr-project: 73 settings of its own programs' files.
        ("python -m mine.train --config a.yaml", OWN, False),
        (
            "accelerate launch --num_processes 1 \\\n  --module mine.train \\\n  --config a.yaml",
            OWN,
            False,
        ),
        ("python src/mine/train.py --config=a.yaml", OWN, False),
        # Null-Phnix/rlvr-grpo-lab: a function of the script's says `uv run python -m "$@"`.
        ("logged name \\\n  run_module mine.train \\\n  --config a.yaml", OWN, False),
        ("trl grpo --config a.yaml", OWN, True),
        ("python -m mine.train --config a.yaml", "TrlParser(C).parse_args_and_config()\n", True),
        ("python -m mine.train --config a.yaml", OWN + "HfArgumentParser(C)\n", True),
        ("python -m mine.train --other 1\ntrl grpo --config a.yaml", OWN, True),
        ("python -m other.train --config a.yaml", OWN, True),
    ],
)
def test_a_file_that_its_own_program_reads_is_no_recipe(
    tmp_path: Path, line: str, program: str, *, ours: bool
) -> None:
    own = {"src/mine/train.py": program, "grpo.py": program}
    _write(tmp_path, {"run.sh": f"{line}\n", "a.yaml": RECIPE, **own})
    assert ("a.yaml" in _errors(tmp_path, ".")) == ours


PROGRAM = (
    "from trl import SFTConfig, SFTTrainer\n"
    'SFTTrainer(model="m", args=SFTConfig(learning_rte=1e-6)).train()\n'
)


@pytest.mark.parametrize(
    ("script", "read"),
    [
        ("git tag v1\nnpm publish\n", True),  # tobi/qmd
        ("python prepare.py\n", True),  # md181099/nl2sql-masterthesis and 29 others
        ("python prepare.py data.train=1\n", True),
        ("python -m fine.trainer\n", True),
        ("python train.py\n", False),
        ("uv run train.py\n", False),
        ("python -m train\n", False),
        ('run_module() { python -m "$@"; }\nrun_module fine.train --x 1\n', False),
    ],
)
def test_programs_are_read_that_no_script_names(tmp_path: Path, script: str, *, read: bool) -> None:
    _write(tmp_path, {"run.sh": script, "fine/train.py": PROGRAM})
    found = _errors(tmp_path, ".")
    assert ("fine/train.py" in found) is read
    assert "run.sh" in found
    if read:
        assert [rule for rule, _, _ in found["fine/train.py"]] == ["RLB020"]


def test_beside_scripts_that_start_python_only_programs_to_start_are_read(tmp_path: Path) -> None:
    made = PROGRAM.replace("\nSFT", "\ndef train():\n    SFT")
    main = made + "if __name__ == '__main__':\n    train()\n"
    files = {"run.sh": "python prepare.py\n", "library.py": made, "main.py": main}
    files |= {"test_main.py": main, "main_test.py": main, "other.py": "print('trl')\n"}
    _write(tmp_path, files)
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    assert set(_errors(tmp_path, ".")) == {"run.sh", "main.py"}
    (tmp_path / "run.sh").write_text("git tag v1\n")
    found = {"run.sh", "main.py", "library.py", "test_main.py", "main_test.py"}
    assert set(_errors(tmp_path, ".")) == found
