"""DeepSpeed's own file counts by what it says, where the repository has it."""

from __future__ import annotations

import json

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.frameworks import Checkout
from bot.report import Estimate

GIB = 2**30
HALF = 494_032_768
TRAINER = (
    "torchrun --nproc_per_node 8 -m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-0.5B --bf16"
    " --dtype bfloat16 --max_length 1024 --per_device_train_batch_size 1 --deepspeed conf/ds.json\n"
)
ACCELERATE = (
    "accelerate launch --num_processes 8 --use_deepspeed --deepspeed_config_file conf/ds.json"
    " -m trl.scripts.sft --model_name_or_path Qwen/Qwen2.5-0.5B --bf16 --dtype bfloat16"
    " --max_length 1024 --per_device_train_batch_size 1\n"
)


def estimate(line: str, content: object) -> Estimate:
    text = content if isinstance(content, str) else json.dumps(content)
    files = {"conf/ds.json": text.encode()} if content is not None else {}
    options = CheckOptions(place=InCheckout(Checkout(files)), device="h100")
    made = estimate_script(ScriptFile(path="run.sh", data=line.encode()), options).estimate
    assert made is not None
    return made


def step(made: Estimate) -> dict[str, float]:
    (found,) = (one for one in made.stages if one.stage == "optimizer")
    return dict(found.components)


@pytest.mark.parametrize(
    "content", ["{}", {"zero_optimization": 3}, {"zero_optimization": {"stage": "a"}}]
)
def test_a_file_that_says_no_stage_gives_none(content: object) -> None:
    assert estimate(TRAINER, content).reason == "ZeRO's stage is not known."


@pytest.mark.parametrize("name", ["ds.json", "ds_z3.json"])
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "is not there. It is looked for beside the script and in the folders above."),
        ("{", "is no JSON (line 1)."),
        ("[]", "holds no settings."),
    ],
)
def test_a_file_that_is_none_is_named(name: str, content: object, problem: str) -> None:
    """Nothing is guessed from its name: what it offloads decides more than its stage."""
    text = content if isinstance(content, str) else ""
    files = {f"conf/{name}": text.encode()} if content is not None else {}
    options = CheckOptions(place=InCheckout(Checkout(files)), device="rtx4090")
    script = ScriptFile(path="run.sh", data=TRAINER.replace("ds.json", name).encode())
    made = estimate_script(script, options).estimate
    assert made is not None
    assert made.reason == f"How the launch divides its model is not known: conf/{name} {problem}"


@pytest.mark.parametrize("line", [TRAINER, ACCELERATE])
@pytest.mark.parametrize(("stage", "weights"), [(2, HALF * 2), (3, HALF * 2 / 8)])
def test_the_stage_divides_the_weights(line: str, stage: int, weights: float) -> None:
    """bf16 weights, whole at stage 2 and over eight GPUs at stage 3."""
    made = estimate(line, {"zero_optimization": {"stage": stage}})
    assert step(made)["weights"] == pytest.approx(weights / GIB, abs=0.01)
    assert step(made)["optimizer"] == pytest.approx(HALF * 12 / 8 / GIB, abs=0.01)
    assert not [one for one in made.assumptions if "not counted" in one]


@pytest.mark.parametrize("part", ["offload_optimizer", "offload_param"])
def test_what_is_on_the_host_is_not_on_the_gpu(part: str) -> None:
    zero = {"stage": 3, part: {"device": "cpu"}}
    held = "optimizer" if part == "offload_optimizer" else "weights"
    assert held not in step(estimate(TRAINER, {"zero_optimization": zero}))
    stays = {"stage": 3, part: {"device": "none"}}
    assert held in step(estimate(TRAINER, {"zero_optimization": stays}))


def test_what_it_says_counts_before_its_name() -> None:
    line = TRAINER.replace("ds.json", "zero2_offload.json")
    zero = json.dumps({"zero_optimization": {"stage": 3}}).encode()
    options = CheckOptions(
        place=InCheckout(Checkout({"conf/zero2_offload.json": zero})), device="h100"
    )
    made = estimate_script(ScriptFile(path="run.sh", data=line.encode()), options).estimate
    assert made is not None
    assert step(made)["weights"] == pytest.approx(HALF * 2 / 8 / GIB, abs=0.01)
    assert "optimizer" in step(made)


@pytest.mark.parametrize(
    ("way", "content", "stage"),
    [
        ("$ROOT/conf/ds.json", {"zero_optimization": {"stage": 3}}, 3),
        ("$ROOT/zero2.json", None, 2),  # By its name.
        ("$ROOT/conf/ds.json", None, None),
        ("$ROOT/conf/$NAME", None, None),
        ("$(zero3)", None, None),
    ],
)
def test_a_file_below_a_folder_that_only_a_run_knows(
    way: str, content: object, stage: int | None
) -> None:
    """VLM-R1's run_grpo_gui.sh names its file by the folder that `cd` leads to."""
    made = estimate(TRAINER.replace("conf/ds.json", way), content)
    if stage is None:
        assert made.reason == "ZeRO's stage is not known."
    else:
        weights = HALF * 2 / (8 if stage == 3 else 1) / GIB
        assert step(made)["weights"] == pytest.approx(weights, abs=0.01)


@pytest.mark.parametrize(("stage", "weights"), [(2, HALF * 2), (3, HALF * 2 / 8)])
def test_a_dictionary_of_a_program_says_what_a_file_does(stage: int, weights: float) -> None:
    """ZIJIAN004/UniCOP's train_sft_stage2.py: its stage was not known."""
    zero = {"stage": stage, "offload_optimizer": {"device": "cpu"}, "overlap_comm": True}
    program = f"""
from trl import SFTConfig, SFTTrainer

zero = {zero}
config = {{"bf16": {{"enabled": True}}, "zero_optimization": zero}}
args = SFTConfig(
    output_dir="out", max_length=1024, per_device_train_batch_size=1, bf16=True, deepspeed=config,
    model_init_kwargs={{"dtype": "bfloat16"}},
)
trainer = SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=args, train_dataset=rows)
trainer.train()
"""
    files = {"train.py": program.encode()}
    options = CheckOptions(place=InCheckout(Checkout(files)), device="h100", gpus=8)
    script = ScriptFile(path="run.sh", data=b"torchrun --nproc_per_node 8 train.py\n")
    made = estimate_script(script, options).estimate
    assert made is not None
    assert step(made)["weights"] == pytest.approx(weights / GIB, abs=0.01)
    assert "optimizer" not in step(made)
    assert not [one for one in made.assumptions if "not read" in one]


def test_json_on_the_command_line_is_what_a_file_holds() -> None:
    given = '\'{"zero_optimization": {"stage": 3}}\''
    made = estimate(TRAINER.replace("conf/ds.json", given), None)
    assert step(made)["weights"] == pytest.approx(HALF * 2 / 8 / GIB, abs=0.01)
