"""Programs that train with a class of their own, which derives from a trainer of TRL's."""

from __future__ import annotations

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import Estimate, JsonValue

LOAD = """\
import torch
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", dtype=torch.bfloat16)
args = GRPOConfig(max_completion_length=256, per_device_train_batch_size=8)
"""
OWN = "class RhoTrainer(GRPOTrainer):\n    def compute_loss(self, *a, **k):\n        return 0\n"
TRAIN = "RhoTrainer(model=model, args=args, reward_funcs=score, rho=0.7).train()\n"


def options(**files: str) -> CheckOptions:
    place = InCheckout(Checkout({f"{name}.py": text.encode() for name, text in files.items()}))
    return CheckOptions(place=place, device="h100", evidence="off", launches=True)


def settings(train: str, **files: str) -> dict[str, JsonValue]:
    script = ScriptFile(path="train.py", data=train.encode())
    (launch,) = check_script(script, options(train=train, **files)).launches
    return dict(launch.settings)


def estimate(train: str, **files: str) -> Estimate:
    script = ScriptFile(path="train.py", data=train.encode())
    made = estimate_script(script, options(train=train, **files)).estimate
    assert made is not None
    return made


IMPORTED = LOAD + "from own import RhoTrainer\n" + TRAIN
OWN_MODULE = "from trl import GRPOTrainer\n" + OWN


@pytest.mark.parametrize(
    ("train", "files"),
    [
        (LOAD + OWN + TRAIN, {}),
        (IMPORTED, {"own": OWN_MODULE}),
        (LOAD + OWN + TRAIN + TRAIN, {}),
        (
            LOAD
            + OWN
            + f"if wide:\n    {TRAIN}else:\n    {TRAIN.replace('RhoTrainer', 'GRPOTrainer')}",
            {},
        ),
        (LOAD + OWN + "class Wide(RhoTrainer): ...\n" + TRAIN.replace("Rho", "Rho"), {}),
        (LOAD + OWN.replace("(GRPO", "(trl.GRPO") + "import trl\n" + TRAIN, {}),
        (
            LOAD
            + "def main(model):\n"
            + "".join(f"    {line}\n" for line in (OWN + TRAIN).splitlines())
            + "main(model)\n",
            {},
        ),
        (
            IMPORTED.replace("import RhoTrainer", "import RhoTrainer as Trains").replace(
                "RhoTrainer(", "Trains("
            ),
            {"own": OWN_MODULE},
        ),
        (
            IMPORTED,
            {
                "own": "from base import Base\nclass RhoTrainer(Base): ...\n",
                "base": "from trl import GRPOTrainer as Theirs\nclass Base(Theirs): ...\n",
            },
        ),
    ],
)
def test_a_class_that_derives_from_a_trainer_trains_as_that(
    train: str, files: dict[str, str]
) -> None:
    assert settings(train, **files)["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"
    made = estimate(train, **files)
    assert made.outcome == "fits"
    (said,) = [one for one in made.assumptions if "of this repository" in one]
    assert said.startswith("TRL's trainer for ")


def test_the_trainer_of_trls_is_no_class_of_the_repository() -> None:
    made = estimate(LOAD + TRAIN.replace("RhoTrainer", "GRPOTrainer"))
    assert made.outcome == "fits"
    assert not any("of this repository" in one for one in made.assumptions)


@pytest.mark.parametrize(
    ("train", "files"),
    [
        (IMPORTED, {}),
        (IMPORTED, {"own": OWN_MODULE.replace("from trl", "from theirs")}),
        (IMPORTED, {"own": OWN_MODULE.replace("(GRPOTrainer)", "(Mixin, GRPOTrainer)")}),
        (IMPORTED, {"own": "class RhoTrainer(RhoTrainer): ...\n"}),
        (IMPORTED, {"own": OWN_MODULE + OWN}),
        (LOAD + OWN.replace("GRPOTrainer", "SFTTrainer") + TRAIN, {}),
        (LOAD + OWN + TRAIN + TRAIN.replace("0.7", "0.8"), {}),
        (LOAD + OWN + TRAIN + LOAD + TRAIN, {}),
        (
            LOAD
            + OWN.replace("compute_loss(self, ", "__init__(self, rho, ")
            + TRAIN.replace("(model=", "(0.7, model="),
            {},
        ),
    ],
)
def test_a_class_of_which_that_is_not_sure_is_not_followed(
    train: str, files: dict[str, str]
) -> None:
    assert "model_name_or_path" not in settings(train, **files)
    reason = estimate(train, **files).reason or ""
    assert reason.startswith("The program's model is not followed beyond `RhoTrainer`: give --set ")


def test_settings_of_a_class_under_another_name_are_trls() -> None:
    train = LOAD.replace("import GRPOConfig,", "import GRPOConfig as Theirs,").replace(
        "GRPOConfig(max", "Theirs(max"
    )
    found = settings(train + TRAIN.replace("RhoTrainer", "GRPOTrainer"))
    assert found["max_completion_length"] == 256
