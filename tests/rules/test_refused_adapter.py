from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import Finding

PROGRAM = """\
{before}
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM
from trl import {kind}Config, {kind}Trainer

lora = LoraConfig(r=16)
base = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = {model}
args = {kind}Config(output_dir="out")
{kind}Trainer(model=model, args=args, train_dataset=rows, peft_config={adapter}).train()
"""
PARSED = """\
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser

args, model_args = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()
base = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
model = get_peft_model(base, LoraConfig(r=16))
SFTTrainer(model=model, args=args, train_dataset=rows, peft_config=LoraConfig(r=8)).train()
"""
MADE = "get_peft_model(base, lora)"
REFERENCE = """\
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import {kind}Config, {kind}Trainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
ref = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
args = {kind}Config(output_dir="out"{more})
{kind}Trainer(model=model, ref_model={ref}, args=args, train_dataset=rows, peft_config=LoraConfig())
"""
STORED = 'PeftModel.from_pretrained(base, "out/sft", is_trainable=True)'


def findings(
    text: str = PROGRAM, release: str = "1.16.0", words: str = "", **given: str
) -> list[Finding]:
    told = {"before": "", "kind": "SFT", "model": MADE, "adapter": "lora"} | given
    program = text.format(**told) if text is PROGRAM else text
    script = f"python train.py {words}\n"
    script = f"# trl: {release}\n{script}" if release else script
    options = CheckOptions(place=InCheckout(Checkout({"train.py": program.encode()})))
    report = check_script(ScriptFile(path="run.sh", data=script.encode()), options)
    return [one for one in report.findings if one.id == "RLB144"]


@pytest.mark.parametrize(
    "given",
    [
        {"model": "base"},
        {"adapter": "None"},
        {"adapter": "None", "model": STORED},
        {"model": STORED + ".merge_and_unload()"},
        {"model": MADE + " if more else base"},
        {"adapter": "lora if more else None"},
        {"before": "import unsloth"},
        {"release": "0.26.2"},
        {"release": ""} | {"model": "base"},
    ],
)
def test_stays_silent(given: dict[str, str]) -> None:
    assert not findings(**given)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kind": "DPO", "model": STORED},
        {"kind": "KTO", "release": "0.27.0"},
        {"release": ""},
        {"text": PARSED, "words": "--model_name_or_path Qwen/Qwen3-8B --output_dir out"},
    ],
)
def test_says_what_is_wrong(given: dict[str, str], snapshot: SnapshotAssertion) -> None:
    (found,) = findings(**given)
    place = (found.path, found.line, found.column)
    assert (place, found.severity, found.message, found.help) == snapshot


@pytest.mark.parametrize(
    ("kind", "release", "more", "count"),
    [
        ("DPO", "0.13.0", "", 1),
        ("DPO", "0.27.2", "", 1),
        ("DPO", "0.27.2", ", force_use_ref_model=True", 0),
        ("DPO", "0.28.0", "", 0),
        ("DPO", "0.28.0", ", force_use_ref_model=False", 1),
        ("DPO", "0.29.0", "", 0),
        ("KTO", "0.24.0", "", 0),
    ],
)
def test_a_reference_beside_it(kind: str, release: str, more: str, count: int) -> None:
    text = REFERENCE.format(kind=kind, more=more, ref="ref")
    found = findings(text, release)
    assert [one.message for one in found] == [
        "DPOTrainer refuses a ref_model beside peft_config"
    ] * count
    assert not findings(REFERENCE.format(kind=kind, more=more, ref="None"), release)
