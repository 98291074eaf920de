from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.frameworks.settings.releases import releases
from bot.frameworks.settings.trainer_arguments import (
    always_taken,
    releases_taking,
    renamed,
    taken,
)
from bot.report import Finding

PROGRAM = """\
{before}
from trl import {kind}Config, {kind}Trainer

args = {kind}Config(output_dir="out"{settings})
{kind}Trainer(model="Qwen/Qwen3-8B", args=args, train_dataset=rows{given}).train()
"""


def findings(
    text: str = PROGRAM, release: str = "1.16.0", pin: str = "", **given: str
) -> list[Finding]:
    """What the rule finds of a program, for a release that a comment names; empty for none."""
    told = {"before": "", "kind": "SFT", "settings": "", "given": ""} | given
    program = text.format(**told)
    files = {"train.py": program.encode(), "run.sh": b"", "requirements.txt": pin.encode()}
    script = ScriptFile(path="train.py", data=program.encode())
    if release:
        script = ScriptFile(path="run.sh", data=f"# trl: {release}\npython train.py\n".encode())
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    return [one for one in report.findings if one.id in ("RLB132", "RLB028")]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"given": ", processing_class=tokenizer, peft_config=config, callbacks=[]"},
        {"given": ", tokenizer=tokenizer", "release": "0.15.2"},
        {"given": ", tokenizer=tokenizer", "release": "0.13.0", "kind": "KTO"},
        {"given": ", reward_funcs=[f], tools=[g]", "release": "0.26.0", "kind": "GRPO"},
        {"given": ", quantization_config=config", "release": "1.8.0"},
        {"given": ", formatting_func=shown, compute_loss_func=loss"},
        {"given": ", **more"},
        {"given": ", packing=True", "release": "", "pin": "trl==0.10.1"},
        # Others change what the class takes, or have one of their own.
        {"given": ", tokenizer=tokenizer, packing=True", "before": "import unsloth"},
        {
            "given": ", tokenizer=tokenizer",
            "text": "from trl import SFTConfig\nfrom mine import SFTTrainer\n"
            + PROGRAM.partition("\n\n")[2],
        },
        {
            "given": ", tokenizer=tokenizer",
            "text": PROGRAM.replace("{kind}Trainer(model", "Mine(model").replace(
                "\nargs", "\nclass Mine({kind}Trainer):\n    pass\n\nargs"
            ),
        },
    ],
)
def test_stays_silent(given: dict[str, str]) -> None:
    assert not findings(**given)


@pytest.mark.parametrize(
    ("kind", "given", "release"),
    [
        ("SFT", "tokenizer=tokenizer", "0.16.0"),
        ("DPO", "tokenizer=tokenizer, beta=0.1", "1.16.0"),
        ("KTO", "tokenizer=tokenizer", "0.14.0"),
        ("GRPO", "reward_funcs=[f], tokenizer=tokenizer", "0.15.2"),
        ("GRPO", "reward_funcs=[f], tools=[g]", "0.25.1"),
        ("RLOO", "reward_model=judge, policy=model", "0.25.0"),
        ("SFT", "max_seq_length=1024, packing=True", "0.15.2"),
        ("SFT", "max_seq_length=1024", "1.16.0"),
        ("SFT", "quantization_config=config", "1.7.1"),
    ],
)
def test_says_what_is_wrong(
    kind: str, given: str, release: str, snapshot: SnapshotAssertion
) -> None:
    found = findings(kind=kind, given=f", {given}", release=release)
    assert [(one.severity, one.message, one.help) for one in found] == snapshot


def test_it_is_said_where_the_program_gives_it() -> None:
    (finding,) = findings(given=", tokenizer=tokenizer")
    assert (finding.path, finding.line) == ("train.py", 5)


def test_of_settings_that_another_module_makes_it_is_said_there() -> None:
    """andreeatomescu16/MoonLandingAI's program has its settings so."""
    files = {
        "train.py": b"from trl import SFTTrainer\nfrom settings import *\n"
        b'SFTTrainer(model="m", args=args, train_dataset=rows, tokenizer=tokenizer).train()\n',
        "settings.py": b'from trl import SFTConfig\nargs = SFTConfig(output_dir="out")\n',
    }
    script = ScriptFile(path="run.sh", data=b"# trl: 1.16.0\npython train.py\n")
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    (finding,) = [one for one in report.findings if one.id == "RLB132"]
    assert (finding.path, finding.line, finding.end_column) == ("settings.py", 2, 17)


def test_where_nobody_names_the_release_one_is_looked_for_that_takes_them() -> None:
    (finding,) = findings(given=", tokenizer=tokenizer", release="")
    assert (finding.id, finding.message) == (
        "RLB028",
        "settings that trl 1.16.0 lacks are in 0.13.0 to 0.15.2: read as 0.15.2",
    )
    (finding,) = findings(given=", packing=True", release="")
    assert (finding.id, finding.severity) == ("RLB132", "warning")


def test_what_trainers_take() -> None:
    """Of the signatures of three releases that were read by hand."""
    assert releases_taking("SFTTrainer.tokenizer") == releases("trl")[:5]
    assert renamed("SFTTrainer.tokenizer") == "processing_class"
    assert renamed("SFTTrainer.packing") is None
    assert always_taken("KTOTrainer.ref_model")  # By `**kwargs` from 0.26 to 1.7.
    assert taken("GRPOTrainer.tools", "0.13.0") is None  # It has no such trainer.
    assert taken("GRPOTrainer.tools", "0.25.1") is False
    assert taken("GRPOTrainer.tools", "0.26.0") is True
