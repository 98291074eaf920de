"""Configuration files that a script writes itself before it starts a trainer with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import Estimate, ScriptReport
from tests.command import rlbot

MODEL = "--model_name_or_path Qwen/Qwen2.5-0.5B --bf16 --dtype bfloat16 --max_length 1024"
RECIPE = "model_name_or_path: Qwen/Qwen2.5-0.5B\nlearnin_rate: 1e-5\nmax_length: $LEN\n"
SFT = "python -m trl.scripts.sft"
DEEPSPEED = f"torchrun --nproc_per_node 8 -m trl.scripts.sft {MODEL} --deepspeed ds.json\n"
ACCELERATE = f"accelerate launch --config_file acc.yaml -m trl.scripts.sft {MODEL}\n"


def options(files: dict[str, bytes] | None = None) -> CheckOptions:
    place = InCheckout(Checkout(files)) if files is not None else None
    return CheckOptions(place=place, device="h100", evidence="off", launches=True)


def estimate(text: str, files: dict[str, bytes] | None = None) -> Estimate:
    script = ScriptFile(path="run.sh", data=text.encode())
    made = estimate_script(script, options(files)).estimate
    assert made is not None
    return made


def lint(text: str, files: dict[str, bytes] | None = None) -> ScriptReport:
    return check_script(ScriptFile(path="run.sh", data=text.encode()), options(files))


def errors(report: ScriptReport) -> list[tuple[int, int, str]]:
    return [(f.line, f.column, f.message) for f in report.findings if f.severity == "error"]


def cat(name: str, text: str, mark: str = "EOF") -> str:
    return f"cat > {name} <<{mark}\n{text.rstrip()}\nEOF\n"


def ds(stage: object, more: str = "") -> str:
    return f'{{"zero_optimization": {{"stage": {stage}{more}}}}}'


# What must not be taken for the file.


@pytest.mark.parametrize(
    "before",
    [
        "",
        cat("other.json", ds(3)),
        cat("ds.json", ds(3)) + "rm ds.json\n",
        cat("ds.json", ds(3)) + "sed -i s/3/2/ ds.json\n",
        cat("ds.json", ds(3)) + "mkdir -p sub; cd sub\n",
        cat("ds.json", ds("$STAGE")),
        cat("ds.json", ds(3, ', "offload_param": {"device": "$WHERE"}')),
        "python - <<EOF\nopen('ds.json', 'w')\nEOF\n",
    ],
)
def test_a_stage_that_is_not_known_stays_so(before: str) -> None:
    assert estimate(before + DEEPSPEED).reason == "ZeRO's stage is not known."


def test_a_file_that_is_written_later_is_not_read() -> None:
    assert estimate(DEEPSPEED + cat("ds.json", ds(3))).reason == "ZeRO's stage is not known."


def test_a_recipe_of_another_name_is_not_read() -> None:
    report = lint(cat("b.yaml", RECIPE) + f"{SFT} --config a.yaml\n")
    assert errors(report) == []
    assert [one.check for one in report.unchecked] == ["recipe"]


# What is.


@pytest.mark.parametrize(
    "before",
    [
        cat("ds.json", ds(3)),
        cat("./ds.json", ds(3), "'EOF'"),
        "STAGE=3\n" + cat("ds.json", ds("$STAGE")),
        f"echo '{ds(3)}' > ds.json\n",
        f"printf '%s' '{ds(3)}' > ds.json\n",
        f"tee ds.json <<EOF\n{ds(3)}\nEOF\n",
        cat("ds.json", ds(3)[:-1] + ', "train_batch_size": $BATCH, "steps": "$STEPS"}'),
    ],
)
def test_deepspeeds_own_file_says_the_stage(before: str) -> None:
    made = estimate(before + DEEPSPEED)
    assert made.reason is None
    assert "ZeRO stage 3" in made.applied


def test_the_scripts_file_comes_before_that_of_the_tree() -> None:
    made = estimate(cat("ds.json", ds(2)) + DEEPSPEED, {"ds.json": ds(3).encode()})
    assert made.reason is None
    assert "ZeRO stage 3" not in made.applied


@pytest.mark.parametrize("folder", ["", "conf/", "/data/", "$HOME/", "$UNKNOWN/"])
def test_a_file_of_accelerate_may_name_one_of_deepspeed(folder: str) -> None:
    """The one that accelerate reads is named by its option, the other by the file."""
    file = (
        f"distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config: {{x: {folder}ds.json}}"
    )
    file = file.replace("x:", "deepspeed_config_file:")
    launch = ACCELERATE.replace("acc.yaml", f"{folder}acc.yaml")
    text = cat(f"{folder}ds.json", ds(3)) + cat(f"{folder}acc.yaml", file) + launch
    made = estimate(text)
    assert made.reason is None
    assert (made.gpus, "ZeRO stage 3" in made.applied) == (4, True)


def test_an_unknown_option_of_accelerates_file_is_not_known() -> None:
    file = "distributed_type: DEEPSPEED\nnum_processes: $N\ndeepspeed_config: {zero_stage: $Z}"
    text = cat("acc.yaml", file) + ACCELERATE
    assert estimate("Z=3\n" + text).reason == (
        "The number of GPUs is not known. Give their number with --gpus 8."
    )
    assert estimate("N=8\n" + text).reason == "ZeRO's stage is not known."
    assert estimate("N=8; Z=3\n" + text).reason is None


@pytest.mark.parametrize("files", [None, {}, {"a.yaml": b"model_name_or_path: m\nbeta: x\n"}])
def test_a_recipe_is_checked_where_the_script_writes_it(files: dict[str, bytes] | None) -> None:
    text = cat("a.yaml", RECIPE) + f"{SFT} --config a.yaml\n"
    (found,) = errors(lint(text, files))
    assert found[:2] == (3, 1)
    assert "learnin_rate" in found[2]


def test_what_the_command_says_wins_over_the_recipe() -> None:
    text = cat("a.yaml", RECIPE) + f"{SFT} --config=a.yaml --max_length 512\n"
    (launch,) = lint(text).launches
    assert launch.settings["max_length"] == 512


def test_each_round_of_a_loop_has_its_own_file() -> None:
    body = cat("a.yaml", RECIPE.replace("learnin_rate", "learning_rate"))
    text = f"for LEN in 512 1024; do\n{body}{SFT} --config a.yaml\ndone\n"
    lengths = [launch.settings["max_length"] for launch in lint(text).launches]
    assert lengths == [512, 1024]


PROGRAM = b"""\
from trl import SFTConfig, SFTTrainer
args = SFTConfig(max_length=1024, deepspeed="ds.json", per_device_train_batch_size=1)
SFTTrainer("Qwen/Qwen2.5-0.5B", args=args).train()
"""


@pytest.mark.parametrize(
    ("before", "outcome"),
    [
        (cat("ds.json", ds(3)), "ZeRO stage 3"),
        (cat("ds.json", ds(3)) + "cd work\n", "ds.json was not read"),
        (cat("ds.json", ds(3)) + "cd $WORK\n", "ds.json was not read"),
        ("", "ds.json was not read"),
    ],
)
def test_a_program_names_a_file_that_the_script_writes(before: str, outcome: str) -> None:
    """Where the program looks for it: in the folder that it is started in."""
    files = {"train.py": PROGRAM, "work/train.py": PROGRAM}
    made = estimate(f"{before}accelerate launch --num_processes 8 train.py\n", files)
    assert outcome in (made.reason or " ".join(made.applied))


def test_it_does_so_in_another_folder_of_the_tree(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.py").write_bytes(PROGRAM)
    start = "cd work\naccelerate launch --num_processes 8 train.py\n"
    (tmp_path / "run.sh").write_text(cat("work/ds.json", ds(3)) + start)
    made = rlbot("estimate", "run.sh", "--root", ".", "--device", "h100", cwd=tmp_path)
    assert "ZeRO stage 3" in made.out
