"""Programs that train with TRL in the methods of a class: what `self` holds."""

from __future__ import annotations

import pytest

from tests.frameworks.test_program_reads import settings
from tests.frameworks.test_trl_models import HEAD, lint, model_of

CLASS = """\
class Runner:
    def __init__(self, name="Qwen/Qwen2.5-0.5B", rows=4):
        self.name = name
        self.rows = rows
        self.model = None

    def load(self):
        self.model, self.tokenizer = AutoModelForCausalLM.from_pretrained(self.name), None

    def train(self):
        args = SFTConfig(max_length=1024, per_device_train_batch_size=self.rows)
        SFTTrainer(model=self.model, args=args).train()

"""
RUN = """\
runner = Runner()
runner.load()
runner.train()
"""
MODEL = {"model_name_or_path": "Qwen/Qwen2.5-0.5B"}


def rows(program: str) -> object:
    return settings("from trl import SFTConfig, SFTTrainer\n" + program).get(
        "per_device_train_batch_size"
    )


@pytest.mark.parametrize(
    "text",
    [
        CLASS + RUN,
        CLASS.replace("        self.model = None\n", "") + RUN,
        CLASS
        + "def main():\n    runner = Runner()\n    runner.load()\n    runner.train()\nmain()\n",
        CLASS + RUN.replace("Runner()", "Runner(name='Qwen/Qwen2.5-0.5B', rows=4)"),
        CLASS.replace('"Qwen/Qwen2.5-0.5B"', "None")
        + RUN.replace("()", "('Qwen/Qwen2.5-0.5B')", 1),
        # A method of another class of that name is none of these.
        CLASS.replace("self.rows = rows", "self.rows = rows\n        self.helper = Helper()")
        + RUN
        + "class Helper:\n    def load(self):\n        self.model = Other()\n",
    ],
)
def test_what_one_method_gives_its_object_another_one_has(text: str) -> None:
    assert model_of(text) == MODEL
    assert rows(text) == 4


@pytest.mark.parametrize(
    ("call", "expected"),
    [("Runner(rows=8)", 8), ("Runner('Qwen/Qwen2.5-0.5B', 2)", 2), ("Runner(rows=2 * 8)", 16)],
)
def test_what_makes_the_object_gives_the_parameters(call: str, expected: int) -> None:
    assert rows(CLASS + RUN.replace("Runner()", call)) == expected


def test_an_attribute_is_what_it_was_given_last_above() -> None:
    text = CLASS.replace(
        "        args =",
        "        self.model = get_peft_model(self.model, LoraConfig(r=32))\n        args =",
    )
    assert model_of(text + RUN) == {**MODEL, "use_peft": True, "lora_r": 32}


def test_a_method_that_comes_later_counts_where_it_is_called() -> None:
    adapt = """\
    def adapt(self):
        self.model = get_peft_model(self.model, LoraConfig(r=32))

"""
    text = CLASS.replace("        self.model = None\n", "        self.model = self.made()\n")
    text = text.replace("    def load(self):", adapt + "    def made(self):")
    made = (
        "        self.model, self.tokenizer = AutoModelForCausalLM.from_pretrained(self.name), None"
    )
    text = text.replace(made, "        return AutoModelForCausalLM.from_pretrained(self.name)")
    called = RUN.replace("runner.load()", "runner.adapt()")
    assert model_of(text + called) == {**MODEL, "use_peft": True, "lora_r": 32}
    assert model_of(text + RUN.replace("runner.load()\n", "")) == MODEL


def test_a_parameter_of_a_method_is_what_its_call_gives() -> None:
    text = CLASS.replace("def train(self)", "def train(self, rows)").replace(
        "batch_size=self.rows", "batch_size=rows"
    )
    assert rows(text + RUN.replace("train()", "train(6)")) == 6
    # `train` of something else says nothing about it.
    assert rows(text + RUN.replace("train()", "train(6)") + "other.train(7)\n") == 6


def test_a_field_of_a_class_of_data_is_read_by_its_own_methods() -> None:
    text = """\
from dataclasses import dataclass

@dataclass
class Config:
    rows: int = 4

    def train(self):
        args = SFTConfig(max_length=1024, per_device_train_batch_size=self.rows)
        SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=args).train()

"""
    assert rows(text + "Config().train()\n") == 4
    assert rows(text + "Config(rows=8).train()\n") == 8


@pytest.mark.parametrize(
    "text",
    [
        # Two methods give it something, and who comes first is not known.
        CLASS.replace(
            "    def train(self):",
            "    def other(self):\n        self.model = Other()\n\n    def train(self):",
        )
        + RUN.replace("runner.train()", "runner.other()\nrunner.train()"),
        # From outside.
        CLASS + RUN.replace("runner.train()", "runner.model = other\nrunner.train()"),
        # Below a condition that only a run knows.
        CLASS.replace(
            "        self.model, self", "        if asked():\n            self.model, self"
        )
        + RUN,
        # Of two objects with different values.
        CLASS + RUN + RUN.replace("Runner()", "Runner('Qwen/Qwen2.5-7B')"),
        CLASS.replace("(self)", "(this)", 1) + RUN,
    ],
)
def test_what_is_not_sure_is_not_followed(text: str) -> None:
    assert str(model_of(text).get("model_name_or_path", "${?")).startswith("${?")


WHOLE = """\
from dataclasses import dataclass
from typing import Optional

@dataclass
class Config:
    name: str = "Qwen/Qwen2.5-0.5B"
    rows: int = 4
    four_bits: bool = False

class Tuner:
    def __init__(self, config: Optional[Config] = None):
        self.config = config or Config()
        self.model = None

    def load(self, quantized=False):
        quantization_config = None
        if quantized:
            quantization_config = BitsAndBytesConfig(load_in_4bit=True)
        self.model = AutoModelForCausalLM.from_pretrained(
            self.config.name, quantization_config=quantization_config
        ).to(self.device)
        self.model = get_peft_model(self.model, LoraConfig(r=8))

    def train(self, data, rows=2):
        if self.model is None:
            self.load()
        import torch as _torch
        args = SFTConfig(
            per_device_train_batch_size=self.config.rows,
            fp16=_torch.cuda.is_available() and not self.config.four_bits,
            gradient_accumulation_steps=rows,
        )
        self.trainer = SFTTrainer(model=self.model, args=args)
        self.trainer.train()

    def load_trained(self, path):
        self.model = AutoModelForCausalLM.from_pretrained(path)

"""


@pytest.mark.parametrize(
    ("run", "name", "number"),
    [
        ("Tuner().train([])\n", "Qwen/Qwen2.5-0.5B", 4),
        ("Tuner(Config(rows=8)).train([])\n", "Qwen/Qwen2.5-0.5B", 8),
        (
            "c = Config(name='Qwen/Qwen2.5-7B')\nt = Tuner(c)\nt.load()\nt.train([])\n",
            "Qwen/Qwen2.5-7B",
            4,
        ),
    ],
)
def test_an_object_has_its_configuration(run: str, name: str, number: int) -> None:
    """As programs are often written: a class of data, one that loads, trains and loads again."""
    assert model_of(WHOLE + run) == {"model_name_or_path": name, "use_peft": True, "lora_r": 8}
    assert rows(HEAD + WHOLE + run) == number
    assert settings(HEAD + WHOLE + run)["fp16"] is True


def test_a_parameter_of_a_method_decides_what_it_loads() -> None:
    run = "t = Tuner()\nt.load(quantized=True)\nt.train([])\n"
    text = WHOLE.replace("        if self.model is None:\n            self.load()\n", "")
    assert model_of(text + run)["load_in_4bit"] is True
    assert "load_in_4bit" not in model_of(text + run.replace("True", "False"))


def test_a_model_that_another_method_loads_is_one_beside_where_that_is_called() -> None:
    run = "t = Tuner()\nt.load_trained('x')\nt.train([])\n"
    assert model_of(WHOLE + run) == {}


FOUND = """\
try:
    from trl import SFTConfig, SFTTrainer
    NEW = True
except ImportError:
    from trl import SFTTrainer
    NEW = False
if NEW:
    args = SFTConfig(max_length=1024, per_device_train_batch_size=4)
    SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=args).train()
else:
    args = SFTConfig(max_length=512, per_device_train_batch_size=8)
    SFTTrainer(model="Qwen/Qwen2.5-7B", args=args, tokenizer=None).train()
"""


def test_what_trl_has_in_any_release_is_found() -> None:
    assert rows(FOUND) == 4
    assert model_of(FOUND)["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


@pytest.mark.parametrize(
    "text",
    [
        FOUND.replace(
            "    NEW = True", "    from trl import DataCollatorForCompletionOnlyLM\n    NEW = True"
        ),
        FOUND.replace("    NEW = True", "    import flash_attn\n    NEW = True"),
        FOUND.replace("    NEW = True", "    NEW = True\n    check()"),
    ],
)
def test_what_may_not_be_there_is_not_known(text: str) -> None:
    assert not lint(text).launches
