"""Programs whose trainer, or its settings, another module of the repository makes."""

from __future__ import annotations

import pytest

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import JsonValue, ScriptReport

MAIN = """\
import argparse
from training import train
def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_id", type=str, default="Qwen/Qwen2.5-0.5B")
    parser.add_argument("--generations", type=int, default=4)
    return parser.parse_args()
if __name__ == "__main__":
    args = parse_args()
    train(args)
"""
TRAINING = """\
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer
def train(args):
    model = AutoModelForCausalLM.from_pretrained(args.model_id, dtype=torch.bfloat16)
    model = get_peft_model(model, LoraConfig(r=32))
    config = GRPOConfig(
        max_completion_length=256,
        num_generations=args.generations,
        no_such_setting=1,
    )
    trainer = GRPOTrainer(model=model, reward_funcs=[score], args=config)
    trainer.train()
"""


PACKAGE = {"app/__init__": "from .runs import train\n", "app/runs": TRAINING}


def check(given: str = "", main: str = MAIN, **files: str) -> ScriptReport:
    contents = {f"{name}.py": text.encode() for name, text in files.items()}
    place = InCheckout(Checkout({"main.py": main.encode(), **contents}))
    script = ScriptFile(path="run.sh", data=f"python main.py {given}\n".encode())
    return check_script(script, CheckOptions(place=place, evidence="off", launches=True))


def settings(given: str = "", main: str = MAIN, **files: str) -> dict[str, JsonValue]:
    (launch,) = check(given, main, **files).launches
    return dict(launch.settings)


@pytest.mark.parametrize(
    ("main", "files"),
    [
        (MAIN, {"training": TRAINING}),
        (MAIN.replace("from training", "from app"), PACKAGE),
        (
            MAIN.replace("from training import train", "import training").replace(
                "    train(", "    training.train("
            ),
            {"training": TRAINING},
        ),
    ],
    ids=["imported", "handed on by a package", "by its module"],
)  # fmt: skip
def test_the_function_that_trains_is_followed(main: str, files: dict[str, str]) -> None:
    """xywen97/TRL-GRPO: `from train import train`; no launch was seen."""
    found = settings("", main, **files)
    assert found["num_generations"] == 4
    assert found["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"
    assert (found["use_peft"], found["lora_r"]) == (True, 32)
    given = settings("--generations 8 --model_id Qwen/Qwen2.5-3B", main, **files)
    assert given["num_generations"] == 8
    assert given["model_name_or_path"] == "Qwen/Qwen2.5-3B"


def test_findings_stand_in_the_module_that_has_the_settings() -> None:
    report = check(training=TRAINING)
    (finding,) = [one for one in report.findings if one.severity == "error"]
    assert finding.slug == "unknown-key"
    assert (finding.path, finding.line) == ("training.py", 11)


def test_a_function_that_makes_the_settings_is_followed() -> None:
    main = MAIN.replace(
        "from training import train",
        "from settings import made\nfrom trl import GRPOTrainer\n",
    ).replace(
        "    train(args)",
        "    GRPOTrainer(model=args.model_id, reward_funcs=score, args=made(args)).train()",
    )
    made = (
        "from trl import GRPOConfig\n"
        "def made(args):\n"
        "    return GRPOConfig(num_generations=args.generations, max_completion_length=64)\n"
    )
    found = settings("--generations 2", main, settings=made)
    assert found["num_generations"] == 2
    assert found["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


def test_a_module_that_makes_the_trainer_alone_is_followed() -> None:
    main = MAIN.replace("import train", "import build").replace(
        "    train(args)",
        "    from trl import GRPOConfig\n"
        "    build(args.model_id, GRPOConfig(num_generations=2)).train()",
    )
    build = (
        "from trl import GRPOTrainer\n"
        "def build(model, config):\n"
        "    return GRPOTrainer(model=model, args=config, reward_funcs=score)\n"
    )
    found = settings("", main, training=build)
    assert found["num_generations"] == 2


@pytest.mark.parametrize(
    ("main", "training"),
    [
        (MAIN.replace("    train(args)", "    evaluate(args)"), TRAINING),
        (MAIN.replace("    train(args)", "    if False:\n        train(args)"), TRAINING),
        (MAIN, TRAINING.replace("from trl", "from own")),
        (
            MAIN.replace("import train", "import Runs").replace("train(args)", "Runs(args)"),
            TRAINING,
        ),
        (MAIN, "from training import train\ndef train(args):\n    return train(args)\n"),
    ],
    ids=["not called", "never reached", "of another package", "a class", "endless"],
)
def test_what_does_not_train_is_no_launch(main: str, training: str) -> None:
    assert not check("", main, training=training).launches


RUN = """\
from trl import GRPOConfig, GRPOTrainer
class Run:
    def __init__(self, model):
        self.model = model
    def train(self):
        self.trainer(2).train()
    def trainer(self, generations):
        args = GRPOConfig(num_generations=generations, no_such_setting=1)
        return GRPOTrainer(model=self.model, args=args, reward_funcs=score)
    def evaluate(self):
        pass
class Ready:
    def __init__(self, model):
        self.made = GRPOTrainer(model=model, args=self.args(4), reward_funcs=score)
    def args(self, generations):
        return GRPOConfig(num_generations=generations)
    def train(self):
        self.made.train()
"""


@pytest.mark.parametrize(
    "main",
    [
        "from run import Run\nRun('m').evaluate()\n",
        "from run import Run\nrun = Run('m')\nif False:\n    run.train()\n",
        "from run import Run\nfrom own import Other\nrun = Run('m')\nrun = Other()\nrun.train()\n",
        "from own.run import Run\nRun('m').train()\n",
        "from run import Run\nRun.train(None)\n",
    ],
    ids=["not called", "never reached", "another object", "another package", "of the class"],
)
def test_a_method_that_is_not_carried_out_is_no_launch(main: str) -> None:
    assert not check("", main, run=RUN).launches


@pytest.mark.parametrize(
    "main",
    [
        "from run import Run\nRun('m').train()\n",
        "import run\ndef main():\n    made = run.Run('m')\n    made.train()\nmain()\n",
    ],
)
def test_the_method_of_an_object_that_trains_is_followed(main: str) -> None:
    """JasperTan-03/guac: `GUACGRPOTrainer(cfg).train()` of a class of another module."""
    report = check("", main, run=RUN)
    assert dict(report.launches[0].settings)["num_generations"] == 2
    (finding,) = [one for one in report.findings if one.severity == "error"]
    assert (finding.slug, finding.path, finding.line) == ("unknown-key", "run.py", 8)


def test_a_class_that_makes_its_trainer_first_is_followed() -> None:
    found = settings("", "from run import Ready\nReady('Qwen/Qwen3-0.6B').train()\n", run=RUN)
    assert found["num_generations"] == 4
    assert found["model_name_or_path"] == "Qwen/Qwen3-0.6B"


TWICE = """\
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
first = SFTTrainer(model=model, args=SFTConfig(max_length=512))
first.train()
args = GRPOConfig(num_generations=2, max_completion_length=64)
second = GRPOTrainer(model=model, args=args, reward_funcs=score)
second.train()
"""


def test_a_program_that_trains_twice_is_two_launches() -> None:
    """unsloth's notebooks of GRPO warm the model up by SFT: neither was read."""
    first, second = check("", TWICE).launches
    assert (first.settings["max_length"], second.settings["num_generations"]) == (512, 2)
    assert {one.settings["model_name_or_path"] for one in (first, second)} == {"Qwen/Qwen2.5-0.5B"}
    errors = check("", TWICE.replace("max_completion_length", "no_such_length")).findings
    assert [(one.line, one.slug) for one in errors if one.severity == "error"] == [
        (6, "unknown-key")
    ]


def test_a_function_that_is_called_twice_trains_with_either() -> None:
    main = MAIN.replace(
        "    train(args)", "    train(args)\n    args.generations = 8\n    train(args)"
    )
    assert len(check("", main, training=TRAINING).launches) == 1
    twice = (
        "from training import train\n"
        "class A:\n    model_id = 'Qwen/Qwen2.5-0.5B'\n    generations = 2\n"
        "class B:\n    model_id = 'Qwen/Qwen2.5-3B'\n    generations = 8\n"
        "train(A)\ntrain(B)\n"
    )
    launches = check("", twice, training=TRAINING).launches
    assert [one.settings["num_generations"] for one in launches] == [2, 8]


def test_many_trainers_are_not_followed() -> None:
    text = "from trl import SFTConfig, SFTTrainer\n" + "".join(
        f"SFTTrainer(model='Qwen/Qwen2.5-0.5B', args=SFTConfig(max_length={n})).train()\n"
        for n in range(1, 8)
    )
    assert not check("", text).launches


def test_of_stages_that_options_choose_the_chosen_one_counts() -> None:
    text = (
        "import argparse\nfrom trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer\n"
        "NAME = 'Qwen/Qwen2.5-0.5B'\n"
        "def sft():\n    SFTTrainer(model=NAME, args=SFTConfig(max_length=8)).train()\n"
        "def dpo():\n    DPOTrainer(model=NAME, args=DPOConfig(beta=0.5)).train()\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--stage', default='sft')\n"
        "args = parser.parse_args()\n"
        "if args.stage == 'sft':\n    sft()\nelse:\n    dpo()\n"
    )
    (first,) = check("", text).launches
    assert first.settings["max_length"] == 8
    (other,) = check("--stage dpo", text).launches
    assert other.settings["beta"] == 0.5
