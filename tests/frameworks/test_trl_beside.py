"""What stands beside the model that a program trains: a reference of its own, what is left out."""

from __future__ import annotations

import pytest

from tests.frameworks.test_trl_models import (
    LOAD,
    LORA,
    SFT,
    STORED,
    TRAIN,
    estimate,
    model_of,
)

DPO = "a = DPOConfig(beta=0.1, max_length=512, per_device_train_batch_size=1)\n"
OTHER = LOAD.replace("model =", "ref =")
STORED_OTHER = "ref = PeftModel.from_pretrained(ref, 'adapter', is_trainable=False)\n"
GIVEN = "DPOTrainer(model, ref_model=ref, args=a).train()\n"
ALONE = "DPOTrainer(model, args=a).train()\n"


def weights(text: str) -> float:
    """GiB that a reference of its own takes while the model is updated."""
    stages = {one.stage: one for one in estimate(text).stages}
    return stages["update"].components.get("reference, idle", 0.0)


@pytest.mark.parametrize("other", [OTHER, OTHER + STORED_OTHER])
def test_a_reference_beside_an_adapter_is_one_more_copy(other: str) -> None:
    """steel-rlvr-project: the SFT's adapter is trained on, and a second model has it too."""
    assert weights(DPO + LOAD + STORED + other + GIVEN) == pytest.approx(0.92, abs=0.05)


def test_a_reference_beside_an_adapter_that_the_program_adds_is_one_more_copy() -> None:
    added = "model = get_peft_model(model, lora)\n"
    assert weights(DPO + LOAD + LORA + added + OTHER + GIVEN) == pytest.approx(0.92, abs=0.05)


def test_without_one_the_base_is_the_reference() -> None:
    assert weights(DPO + LOAD + STORED + ALONE) == 0
    assert weights(DPO + LOAD + STORED + GIVEN.replace("=ref,", "=None,")) == 0


def test_none_is_given_where_the_trainer_adds_the_adapter() -> None:
    """TRL refuses both, or drops the reference, by its release."""
    given = GIVEN.replace("args=a", "args=a, peft_config=lora")
    assert "model_name_or_path" not in model_of(DPO + LOAD + LORA + OTHER + given)


@pytest.mark.parametrize(
    "other",
    [
        OTHER.replace("0.5B", "1.5B") + STORED_OTHER,
        OTHER + "ref = PeftModel.from_pretrained(pick(), 'adapter')\n",
        OTHER + "ref = PeftModel.from_pretrained()\n",
    ],
)
def test_another_reference_is_not_followed(other: str) -> None:
    assert "model_name_or_path" not in model_of(DPO + LOAD + STORED + other + GIVEN)


@pytest.mark.parametrize(
    ("left_out", "known"),
    [
        ("r'.*visual.*'", True),
        ("['vision_tower', 'visual']", True),
        ("None", True),
        ("['visual', 'q_proj']", False),
        ("pick()", False),
    ],
)
def test_an_adapter_may_leave_a_tower_out(left_out: str, known: bool) -> None:
    lora = LORA.replace("'all-linear'", f"'all-linear', exclude_modules={left_out}")
    train = TRAIN.replace("args=args", "args=args, peft_config=lora")
    assert ("model_name_or_path" in model_of(SFT + LOAD + lora + train)) is known
