"""The model that a program with TRL's options makes itself, by the options of its launch."""

from __future__ import annotations

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout, ScriptPlace, plans
from bot.frameworks.plan import Plan
from bot.report import Estimate
from bot.shell import read

HEAD = """\
from dataclasses import dataclass, field
from typing import Optional
import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, HfArgumentParser
from transformers import TrainingArguments
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, ModelConfig, SFTConfig
from trl import SFTTrainer, TrlParser, get_kbit_device_map, get_peft_config, get_quantization_config
"""
OWN = """\
@dataclass
class ScriptArguments:
    model_id: str = field(default="Qwen/Qwen2.5-7B", metadata={"help": "its name"})
    rank: Optional[int] = field(default=16)
    four_bits: bool = True
    modules: str = "all-linear"
    storage: Optional[str] = field(default="uint8")
"""
MAIN = """\
def main(script_args, training_args):
    quantized = None
    if script_args.four_bits:
        quantized = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True)
    model = AutoModelForCausalLM.from_pretrained(
        script_args.model_id, quantization_config=quantized, dtype=torch.bfloat16
    )
    if quantized is not None:
        model = prepare_model_for_kbit_training(model)
    lora = LoraConfig(r=script_args.rank, target_modules=script_args.modules)
    SFTTrainer(model=model, args=training_args, peft_config=lora).train()
"""
START = """\
if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig))
    script_args, training_args = parser.parse_args_and_config()
    main(script_args, training_args)
"""
PROGRAM = HEAD + OWN + MAIN + START
LAUNCH = "accelerate launch --num_processes 1 train.py --max_length 1024 --bf16 true "


def plan_of(program: str, given: str = "", **files: str) -> Plan:
    contents = {f"{name}.py": text.encode() for name, text in files.items() if name != "recipe"}
    contents |= {"train.py": program.encode(), "recipe.yaml": files.get("recipe", "").encode()}
    script = read(f"{LAUNCH}{given}\n".encode(), "run.sh")
    (plan,) = plans(script, place=ScriptPlace(Checkout(contents), "run.sh"))
    return plan


def made(program: str, given: str = "", **files: str) -> dict[str, object]:
    """What the program makes, as settings of TRL's script."""
    return {setting.key: setting.value for setting in plan_of(program, given, **files).made}


def estimate(program: str, given: str = "", **files: str) -> Estimate:
    contents = {f"{name}.py": text.encode() for name, text in files.items()}
    place = InCheckout(Checkout({"train.py": program.encode(), **contents}))
    script = ScriptFile(path="run.sh", data=f"{LAUNCH}{given}\n".encode())
    options = CheckOptions(place=place, device="h100", evidence="off")
    found = estimate_script(script, options, gpus=1).estimate
    assert found is not None
    return found


BY_DEFAULT = {
    "model_name_or_path": "Qwen/Qwen2.5-7B",
    "dtype": "bfloat16",
    "load_in_4bit": True,
    "use_bnb_nested_quant": True,
    "use_peft": True,
    "lora_r": 16,
    "lora_dropout": 0.0,
    "lora_target_modules": ["all-linear"],
}


def test_the_defaults_of_its_own_options_count() -> None:
    assert made(PROGRAM) == BY_DEFAULT
    plan = plan_of(PROGRAM)
    assert (plan.model.value, plan.adapter.value) == ("Qwen/Qwen2.5-7B", "lora")
    assert plan.written is not None
    assert plan.written.prepared


def test_the_launch_gives_them() -> None:
    given = "--rank 64 --model_id=Qwen/Qwen2.5-3B --four_bits false"
    expected = {**BY_DEFAULT, "lora_r": 64, "model_name_or_path": "Qwen/Qwen2.5-3B"}
    del expected["load_in_4bit"], expected["use_bnb_nested_quant"]
    assert made(PROGRAM, given) == expected
    plan = plan_of(PROGRAM, given)
    assert plan.written is not None
    assert not plan.written.prepared


def test_a_model_below_an_unknown_folder_is_named_by_its_last_part() -> None:
    plan = plan_of(PROGRAM, "--model_id $MODELS/Qwen2.5-3B")
    assert str(plan.model.value).endswith("/Qwen2.5-3B")


def test_the_recipe_gives_them_and_the_launch_wins() -> None:
    files = {
        "train.py": PROGRAM.encode(),
        "recipe.yaml": b"rank: 8\nmodel_id: Qwen/Qwen2.5-3B\noutput_dir: o\n",
    }
    script = ScriptFile(path="run.sh", data=f"{LAUNCH}--config recipe.yaml --rank 128\n".encode())
    place = InCheckout(Checkout(files))
    options = CheckOptions(place=place, device="h100", evidence="off")
    found = estimate_script(script, options, gpus=1).estimate
    assert found is not None
    assert found.model == "Qwen2.5-3B"
    small = estimate(PROGRAM, "--model_id Qwen/Qwen2.5-3B --rank 8")
    assert found.stages != small.stages
    assert found.stages == estimate(PROGRAM, "--model_id Qwen/Qwen2.5-3B --rank 128").stages
    assert {one.severity for one in check_script(script, options).findings} == {"note"}


def test_its_estimate_is_that_of_the_same_program_without_options() -> None:
    written = HEAD + (
        "quantized = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True)\n"
        "model = AutoModelForCausalLM.from_pretrained(\n"
        "    'Qwen/Qwen2.5-7B', quantization_config=quantized, dtype=torch.bfloat16)\n"
        "model = prepare_model_for_kbit_training(model)\n"
        "args = SFTConfig(max_length=1024, bf16=True)\n"
        "lora = LoraConfig(r=16, target_modules='all-linear')\n"
        "SFTTrainer(model=model, args=args, peft_config=lora).train()\n"
    )
    options, plain = estimate(PROGRAM), estimate(written)
    assert options.outcome == "fits"
    assert options.stages == plain.stages
    assert "the model as the program makes it, whatever is set" in options.assumptions


ELSEWHERE = """\
def create(args, training_args):
    quantized = None
    storage = None
    if args.four_bits:
        storage = getattr(torch, args.storage)
        quantized = BitsAndBytesConfig(load_in_4bit=args.four_bits, bnb_4bit_quant_storage=storage)
    dtype = storage if storage and storage.is_floating_point else torch.float32
    kwargs = {"trust_remote_code": True, "dtype": dtype}
    if torch.xpu.is_available():
        kwargs["attn_implementation"] = "eager"
    else:
        kwargs["attn_implementation"] = "flash_attention_2"
    if quantized is not None:
        kwargs["quantization_config"] = quantized
    model = AutoModelForCausalLM.from_pretrained(args.model_id, **kwargs)
    lora = LoraConfig(
        r=args.rank,
        target_modules=args.modules.split(",") if args.modules != "all-linear" else args.modules,
    )
    return model, lora
"""
HANDED = START.replace("main(script_args, training_args)", "") + (
    "    model, lora = create(script_args, training_args)\n"
    "    SFTTrainer(model=model, args=training_args, peft_config=lora).train()\n"
)


@pytest.mark.parametrize(
    ("given", "dtype", "modules"),
    [
        ("", "float32", ["all-linear"]),
        ("--storage bfloat16 --modules q_proj,v_proj", "bfloat16", ["q_proj", "v_proj"]),
    ],
)
def test_another_module_makes_it_as_in_the_example_of_peft(
    given: str, dtype: str, modules: list[str]
) -> None:
    """huggingface/peft, examples/sft/train.py and utils.py: no estimate, nor any of its scripts."""
    found = made(HEAD + "from utils import create\n" + OWN + HANDED, given, utils=HEAD + ELSEWHERE)
    assert found["dtype"] == dtype
    assert found["lora_target_modules"] == modules
    assert found["attn_implementation"] == "flash_attention_2"
    assert found["load_in_4bit"] is True


def test_a_file_in_the_place_of_options_is_no_other_way_where_the_launch_has_options() -> None:
    """peft again: `if len(sys.argv) == 2 and sys.argv[1].endswith(".json")`."""
    start = """\
if __name__ == "__main__":
    parser = HfArgumentParser((ScriptArguments, SFTConfig))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        script_args, training_args = parser.parse_json_file(json_file=sys.argv[1])
    else:
        script_args, training_args = parser.parse_args_into_dataclasses()
    script_args.max_length = training_args.max_length
    main(script_args, training_args)
"""
    assert made(HEAD + "import sys\n" + OWN + MAIN + start) == BY_DEFAULT


PLAIN = MAIN.replace(
    "peft_config=lora)", "peft_config=lora, max_seq_length=script_args.longest, packing=True)"
)


def test_training_arguments_are_those_of_sft() -> None:
    """Guides to QLoRA with FSDP: `TrlParser((ScriptArguments, TrainingArguments))`."""
    own = OWN + "    longest: int = 512\n"
    start = START.replace("SFTConfig", "TrainingArguments")
    found = made(HEAD + own + PLAIN + start, "--longest 3072")
    assert found["max_length"] == 3072
    assert found["packing"] is True
    assert found["load_in_4bit"] is True


def test_another_trainer_of_such_arguments_is_no_launch() -> None:
    other = MAIN.replace("SFTTrainer(", "Trainer(")
    program = HEAD + OWN + other + START.replace("SFTConfig", "TrainingArguments")
    script = read(f"{LAUNCH}\n".encode(), "run.sh")
    place = ScriptPlace(Checkout({"train.py": program.encode()}), "run.sh")
    assert not plans(script, place=place)


BY_OPTIONS = """\
def main(script_args, training_args, model_args):
    quantized = get_quantization_config(model_args)
    model = AutoModelForCausalLM.from_pretrained(
        model_args.model_name_or_path,
        quantization_config=quantized,
        device_map=get_kbit_device_map() if quantized is not None else None,
        dtype=model_args.dtype if model_args.dtype in ["auto", None] else torch.bfloat16,
    )
    SFTTrainer(model=model, args=training_args, peft_config=get_peft_config(model_args)).train()
if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config()
    main(script_args, training_args, model_args)
"""


def test_what_trl_makes_of_its_options_is_what_they_say() -> None:
    options = "--model_name_or_path Qwen/Qwen2.5-3B --use_peft --lora_r 4 --load_in_4bit"
    plan = plan_of(HEAD + OWN + BY_OPTIONS, options)
    assert {one.key for one in plan.made} == {"dtype"}
    assert plan.adapter.value == "lora"
    assert plan.model.value == "Qwen/Qwen2.5-3B"
    assert plan.written is not None
    assert plan.written.placed != "spread"
    bare = plan_of(HEAD + OWN + BY_OPTIONS, "--model_name_or_path Qwen/Qwen2.5-3B")
    assert bare.adapter.value == ""
    prepared = BY_OPTIONS.replace(
        "    SFT", "    model = prepare_model_for_kbit_training(model)\n    SFT"
    )
    assert estimate(HEAD + OWN + prepared, options).stages != (
        estimate(HEAD + OWN + BY_OPTIONS, options).stages
    )


@pytest.mark.parametrize(
    "change",
    [
        ("    lora =", "    script_args.rank = pick()\n    lora ="),
        ("script_args.modules)", "script_args.modules, layers_to_transform=[1])"),
        ("    SFT", "    model = shrink(model)\n    SFT"),
        ("TrlParser((", "TrlParser(*("),
    ],
    ids=["set later", "another field", "another function", "not followed"],
)
def test_what_only_a_run_knows_leaves_it_unknown(change: tuple[str, str]) -> None:
    program = PROGRAM.replace(*change)
    assert program != PROGRAM
    assert estimate(program).outcome == "no prediction"


def test_layers_are_recomputed_where_the_option_says_so() -> None:
    also = (
        "    if training_args.gradient_checkpointing:\n"
        "        model.gradient_checkpointing_enable()\n"
    )
    program = PROGRAM.replace("    lora =", also + "    lora =").replace(
        "    if quantized is not None:\n        model = prepare_model_for_kbit_training(model)\n",
        "",
    )
    assert "gradient_checkpointing" not in made(program, "--gradient_checkpointing false")
    assert (
        made(program, "--gradient_checkpointing true").get("gradient_checkpointing", True) is True
    )


DPO = """\
@dataclass
class ScriptArguments:
    model_name_or_path: Optional[str] = field(default="Qwen/Qwen2.5-7B")
    batch: Optional[int] = field(default=4)
    rate: Optional[float] = field(default=5e-4)
    recompute: Optional[bool] = field(default=True)
    model_dtype: str = "bfloat16"
if __name__ == "__main__":
    parser = HfArgumentParser(ScriptArguments)
    script_args = parser.parse_args_into_dataclasses()[0]
    kind = torch.float
    if script_args.model_dtype == "bfloat16":
        kind = torch.bfloat16
    model = AutoModelForCausalLM.from_pretrained(script_args.model_name_or_path, dtype=kind)
    args = DPOConfig(
        per_device_train_batch_size=script_args.batch,
        gradient_checkpointing=script_args.recompute,
        learning_rate=script_args.rate,
        max_length=1024,
    )
    DPOTrainer(model, ref_model=None, args=args, peft_config=LoraConfig(r=8)).train()
"""


def settings(given: str) -> dict[str, object]:
    script = ScriptFile(path="run.sh", data=f"python train.py {given}\n".encode())
    place = InCheckout(Checkout({"train.py": (HEAD + DPO).encode()}))
    report = check_script(script, CheckOptions(place=place, evidence="off", launches=True))
    (launch,) = report.launches
    return dict(launch.settings)


def test_a_parser_of_the_programs_own_classes_gives_the_settings() -> None:
    """TRL's guide to DPO of Llama 2, and what was made of it: each was a hole."""
    found = settings("")
    assert found["per_device_train_batch_size"] == 4
    assert found["gradient_checkpointing"] is True
    assert found["model_name_or_path"] == "Qwen/Qwen2.5-7B"
    assert found["dtype"] == "bfloat16"
    found = settings("--batch=2 --recompute false --rate 1e-5 --model_dtype float32")
    assert found["per_device_train_batch_size"] == 2
    assert found["gradient_checkpointing"] is False
    assert found["learning_rate"] == 1e-5
    assert found["dtype"] == "float32"


def test_two_launches_of_it_have_their_own_settings() -> None:
    script = ScriptFile(
        path="run.sh", data=b"python train.py --batch 2\npython train.py --batch 8\n"
    )
    place = InCheckout(Checkout({"train.py": (HEAD + DPO).encode()}))
    report = check_script(script, CheckOptions(place=place, evidence="off", launches=True))
    sizes = [launch.settings["per_device_train_batch_size"] for launch in report.launches]
    assert sizes == [2, 8]
