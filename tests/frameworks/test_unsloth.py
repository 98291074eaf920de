"""Models that a program has unsloth make, as options of TRL's scripts."""

from __future__ import annotations

from typing import Any

import pytest

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import ScriptReport

HEAD = """\
from unsloth import FastLanguageModel, FastVisionModel
from trl import SFTConfig, SFTTrainer
"""
LOAD = "model, tokenizer = FastLanguageModel.from_pretrained('unsloth/Qwen3-4B', 4096)\n"
ADAPT = "model = FastLanguageModel.get_peft_model(model, r=32)\n"
TRAIN = "SFTTrainer(model=model, tokenizer=tokenizer, args=SFTConfig(max_steps=9)).train()\n"


def check(program: str, head: str = HEAD, release: str = "1.0.0") -> ScriptReport:
    text = f"# trl: {release}\n{head}{program}"
    place = InCheckout(Checkout({"train.py": text.encode()}))
    options = CheckOptions(place=place, evidence="off", launches=True)
    return check_script(ScriptFile(path="train.py", data=text.encode()), options)


def settings(program: str, head: str = HEAD, release: str = "1.0.0") -> dict[str, Any]:
    report = check(program, head, release)
    assert not [finding for finding in report.findings if finding.severity == "error"]
    (launch,) = report.launches
    return dict(launch.settings)


def test_four_bits_and_an_adapter_are_the_default() -> None:
    assert settings(LOAD + ADAPT + TRAIN) == {
        "model_name_or_path": "unsloth/Qwen3-4B",
        "max_length": 4096,
        "max_steps": 9,
        "dtype": "bfloat16",
        "load_in_4bit": True,
        "use_bnb_nested_quant": True,
        "use_peft": True,
        "lora_r": 32,
        "lora_dropout": 0.0,
        "lora_target_modules": ["all-linear"],
        "gradient_checkpointing": True,
    }


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("from_pretrained('a/b-unsloth-bnb-4bit')", {"model_name_or_path": "a/b"}),
        ("from_pretrained('a/b', load_in_4bit=False)", {"load_in_4bit": None}),
        ("from_pretrained('a/b', load_in_16bit=True)", {"load_in_4bit": None}),
        ("from_pretrained('a/b', load_in_8bit=True)", {"load_in_8bit": True}),
        ("from_pretrained('a/b', full_finetuning=True)", {"load_in_4bit": None}),
        ("from_pretrained(model_name=NAME)", {"model_name_or_path": "c/d"}),
        ("from_pretrained('a/b', max_seq_length=N * 2)", {"max_length": 64}),
    ],
)
def test_what_is_loaded(call: str, wanted: dict[str, Any]) -> None:
    head = f"{HEAD}NAME = 'c/d'\nN = 32\n"
    found = settings(f"model, tokenizer = FastLanguageModel.{call}\n{ADAPT}{TRAIN}", head)
    assert {name: found.get(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("", {"lora_r": 16, "lora_target_modules": ["all-linear"]}),
        ("target_modules=['q_proj', 'v_proj']", {"lora_target_modules": ["q_proj", "v_proj"]}),
        (
            "target_modules=['q_proj', 'lm_head', 'embed_tokens']",
            {
                "lora_modules_to_save": ["lm_head", "embed_tokens"],
                "lora_target_modules": ["q_proj"],
            },
        ),
        ("lora_dropout=0.1, use_dora=True", {"lora_dropout": 0.1, "use_dora": True}),
        ("use_gradient_checkpointing=False", {"gradient_checkpointing": None}),
        ("use_gradient_checkpointing=True", {"gradient_checkpointing": True}),
    ],
)
def test_what_is_adapted(given: str, wanted: dict[str, Any]) -> None:
    call = f"model = FastVisionModel.get_peft_model(model, {given})\n"
    found = settings(LOAD + call + TRAIN)
    assert {name: found.get(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    "program",
    [
        LOAD + "model = FastLanguageModel.get_peft_model(model, r=rank())\n" + TRAIN,
        LOAD
        + "model = FastVisionModel.get_peft_model(model, finetune_mlp_modules=False)\n"
        + TRAIN,
        "model, tokenizer = FastLanguageModel.from_pretrained('a/b', load_in_fp8=True)\n" + TRAIN,
        "model, tokenizer = load('a/b')\n" + TRAIN,
        LOAD + "if flag():\n    " + ADAPT + TRAIN,
    ],
)
def test_what_is_not_followed(program: str) -> None:
    assert "model_name_or_path" not in settings(program)


@pytest.mark.parametrize(
    ("release", "name"), [("0.13.0", "max_seq_length"), ("1.0.0", "max_length")]
)
@pytest.mark.parametrize("given", ["", "max_seq_length=512"])
def test_the_limit_has_the_name_of_the_release(release: str, name: str, given: str) -> None:
    train = TRAIN.replace("max_steps=9", given or "max_steps=9")
    assert settings(LOAD + ADAPT + train, release=release)[name] in (512, 4096)


@pytest.mark.parametrize(("given", "limit"), [("", None), ("max_length=512", 512)])
def test_a_model_s_limit_is_none_of_pairs(given: str, limit: int | None) -> None:
    head = "from unsloth import FastLanguageModel\nfrom trl import DPOConfig, DPOTrainer\n"
    train = f"DPOTrainer(model=model, args=DPOConfig({given})).train()\n"
    assert settings(LOAD + ADAPT + train, head).get("max_length") == limit


def test_settings_that_unsloth_adds_are_no_errors() -> None:
    train = "UnslothTrainer(model=model, args=UnslothTrainingArguments(\n"
    train += "    embedding_learning_rate=1e-5, max_steps=9, learning_rat=1)).train()\n"
    head = "from unsloth import FastLanguageModel, UnslothTrainer, UnslothTrainingArguments\n"
    report = check(LOAD + ADAPT + train, head)
    found = [one.message for one in report.findings if one.severity in ("error", "warning")]
    assert len(found) == 1
    assert "learning_rat " in found[0]
    assert report.launches[0].settings["lora_r"] == 32


def test_settings_are_read_whatever_makes_the_model() -> None:
    head = "from unsloth import PatchFastRL\nfrom trl import GRPOConfig, GRPOTrainer\n"
    made = "GRPOTrainer(model=load(), args=GRPOConfig(beta=0.1, unsloth_num_chunks=-1))\n"
    assert settings(made, head) == {"beta": 0.1}


def test_another_model_loaded_under_a_condition_that_is_false_changes_nothing() -> None:
    later = "if False:\n    model, tokenizer = FastLanguageModel.from_pretrained('lora')\n"
    assert settings(LOAD + ADAPT + TRAIN + later)["model_name_or_path"] == "unsloth/Qwen3-4B"


MADE = """\
from trl import SFTConfig
def made():
    return SFTConfig(max_seq_length=2048, max_steps=9)
"""


@pytest.mark.parametrize(
    ("path", "starts", "patched"),
    [
        ("src/main.py", "from unsloth import FastLanguageModel\nfrom src.made import made\n", True),
        ("src/main.py", "import unsloth\nfrom .made import made\n", True),
        ("src/main.py", "from src.made import made\n", False),
        ("src/main.py", "import unsloth\nfrom src.other import made\n", False),
        ("main.py", "import unsloth\nfrom src.made import made\n", False),  # Only beside it.
        ("src/main.py", "text = 'unsloth'\nfrom src.made import made\n", False),
    ],
)
def test_a_module_that_unsloth_changes_for_the_program_that_imports_it(
    path: str, starts: str, patched: bool
) -> None:
    """ayato-labs/unsloth_finetraining, whose lock has a TRL without `max_seq_length`."""
    text = f"# trl: 0.24.0\n{MADE}"
    files = {"src/made.py": text.encode(), path: starts.encode()}
    options = CheckOptions(place=InCheckout(Checkout(files)), evidence="off", launches=True)
    report = check_script(ScriptFile(path="src/made.py", data=text.encode()), options)
    errors = [one.message for one in report.findings if one.severity == "error"]
    assert bool(errors) is not patched, errors
