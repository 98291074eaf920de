from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import Finding
from tests.rules.helpers import found, marked, quiet

SLUG = "data-parallel"
OWN = (
    "# trl: {release}\n{launch} trl/scripts/{task}.py --model_name_or_path Qwen/Qwen3-8B "
    "--dataset_name trl-lib/Capybara {more}"
)
PROGRAM = """\
{before}
from transformers import AutoModelForCausalLM
from trl import {kind}Config, {kind}Trainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B"{given})
args = {kind}Config(output_dir="out", max_length=1024{more})
{kind}Trainer(model=model, args=args, train_dataset=rows).train()
"""
TWO = "CUDA_VISIBLE_DEVICES=0,1 python"


def own(
    launch: str = TWO, release: str = "1.16.0", task: str = "sft", more: str = "--load_in_4bit"
) -> str:
    return OWN.format(launch=launch, release=release, task=task, more=more)


def of_program(launch: str = f"{TWO} train.py", text: str = PROGRAM, **given: str) -> list[Finding]:
    """What is found of a script that starts a program with a trainer of TRL's."""
    told = {"before": "", "kind": "SFT", "given": "", "more": "", "release": "1.16.0"} | given
    files = {"train.py": text.format(**told).encode(), "ds.json": b"{}"}
    script = f"# trl: {told['release']}\n{launch}\n".encode()
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=script), options)
    return [one for one in report.findings if one.slug == SLUG]


@pytest.mark.parametrize(
    "script",
    [
        own("CUDA_VISIBLE_DEVICES=0 python"),
        own("CUDA_VISIBLE_DEVICES=$GPUS python"),
        own("CUDA_VISIBLE_DEVICES= python"),
        own("python"),
        own("CUDA_VISIBLE_DEVICES=0,1 accelerate launch"),
        own("CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2"),
        own("CUDA_VISIBLE_DEVICES=0,1 RANK=0 python"),
        own(release="1.14.1"),
        own(release="1.15.0", task="reward"),
        own().partition("\n")[2],  # Nobody names the release.
        own(more=""),  # Laid over both.
        own(more="--load_in_4bit --deepspeed ds.json"),
        own(more="--load_in_4bit --use_cpu"),
        own(task="ppo"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "given",
    [
        {"given": ', device_map="auto"'},
        {"given": ', device_map={"model": 0, "lm_head": 1}'},
        {"before": "import unsloth"},
        {"before": 'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"'},
        {"before": "import accelerate\naccelerate.notebook_launcher(main)"},
        {"more": ', deepspeed="ds.json"'},
        {"launch": "torchrun --nproc_per_node 2 train.py"},
        {"kind": "Reward", "release": "1.15.0"},
        {"text": PROGRAM.replace("model=model", "model='Qwen/Qwen3-8B'")},
        {"text": PROGRAM.replace("\n{kind}Tr", "\nargs._n_gpu = 1\n{kind}Tr")},
        {"text": PROGRAM.replace("{kind}Trainer(model", "MyTrainer(model")},
    ],
)
def test_a_program_that_does_otherwise(given: dict[str, str]) -> None:
    assert not of_program(**given)


@pytest.mark.parametrize(
    "script",
    [
        own(),
        own("HIP_VISIBLE_DEVICES=2,3,4 nohup python3", release="1.15.0", task="dpo"),
        own("hf jobs uv run --flavor l40sx4", task="reward", more="--load_in_8bit"),
        own("CUDA_VISIBLE_DEVICES=0,1 uv run python"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize("kind", ["SFT", "DPO", "Reward"])
@pytest.mark.parametrize("given", ["", ', device_map={"": 0}', ', device_map="cuda"'])
def test_a_model_on_one_of_them(kind: str, given: str) -> None:
    (finding,) = of_program(kind=kind, given=given)
    assert finding.severity == "error"
    assert found(SLUG, own())[0].message == finding.message
