from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import openrlhf, trl
from tests.rules.helpers import marked, quiet

SLUG = "adapter-switch"
SFT = "trl.scripts.sft"


@pytest.mark.parametrize(
    "script",
    [
        trl(),
        trl("--use_peft", "--lora_r 16"),
        trl("--use_peft", "--load_in_4bit"),
        trl("--use_peft False", "--lora_r 16"),
        trl("--use_peft $PEFT", "--lora_r 16"),
        trl("--lora_r 16", "--config recipe.yaml"),
        trl("--load_in_4bit False"),
        trl("--lora_r 16", "$ARGS"),
        openrlhf("--ds.lora.rank 8"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        trl("--lora_r 16"),
        trl("--lora_r 16", "--lora_alpha 32", "--lora_dropout 0", "--use_dora"),
        trl("--load_in_4bit"),
        trl("--lora_r 16", "--load_in_8bit").replace("trl.scripts.grpo", SFT),
        trl("--load_in_4bit").replace("-m trl.scripts.grpo", "examples/scripts/ppo/ppo.py"),
    ],
)
def test_says_what_is_missing(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("program", "ids"),
    [
        (b"from trl import TrlParser, get_peft_config\n", ["RLB105"]),
        (b"from peft import LoraConfig\n", ["RLB105"]),
        # datawhalechina/unlock-deepseek.
        (b"from trl import TrlParser\nmodel = FastLanguageModel.get_peft_model(model)\n", []),
    ],
)
def test_a_recipe_of_a_program_that_makes_its_adapter(program: bytes, ids: list[str]) -> None:
    recipe = b"model_name_or_path: Qwen/Qwen2.5-7B\nnum_generations: 8\nlora_r: 16\n"
    place = InCheckout(Checkout({"run.yaml": recipe, "train.py": program}))
    report = check_script(ScriptFile(path="run.yaml", data=recipe), CheckOptions(place=place))
    assert [one.id for one in report.findings if one.id == "RLB105"] == ids


@pytest.mark.parametrize(
    ("model", "ids"),
    [
        ("sys.argv[1]", []),
        ("'saved_model_sft'", []),
        ("'someone/first-stage'", []),
        ("'unsloth/Qwen3-4B'", ["RLB105"]),
    ],
)
def test_unsloth_trains_the_adapter_of_a_folder_on(model: str, ids: list[str]) -> None:
    """IRLab-UDC/grpo-dsm5, whose first stage saves its adapter for the second one."""
    program = (
        "# trl: 1.0.0\nimport sys\nfrom unsloth import FastModel\n"
        "from trl import SFTConfig, SFTTrainer\n"
        f"model, tokenizer = FastModel.from_pretrained({model}, load_in_4bit=True)\n"
        "SFTTrainer(model=model, args=SFTConfig(max_steps=9)).train()\n"
    ).encode()
    place = InCheckout(Checkout({"train.py": program}))
    report = check_script(ScriptFile(path="train.py", data=program), CheckOptions(place=place))
    assert [one.id for one in report.findings if one.id == "RLB105"] == ids


def test_a_recipe_says_it_in_its_own_words(snapshot: SnapshotAssertion) -> None:
    recipe = "model_name_or_path: Qwen/Qwen2.5-7B\nnum_generations: 8\nload_in_4bit: true\n"
    assert marked(SLUG, recipe, "recipes/grpo.yaml") == snapshot
