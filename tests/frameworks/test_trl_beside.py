"""What stands beside the model that a program trains: a reference of its own, what is left out."""

from __future__ import annotations

import pytest

from tests.frameworks.test_trl_models import (
    HEAD,
    LOAD,
    LORA,
    SFT,
    STORED,
    TRAIN,
    estimate,
    lint,
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


def test_one_is_there_where_the_trainer_adds_the_adapter() -> None:
    """TRL refuses both up to 0.27, which is RLB144, and then has the reference beside it."""
    given = GIVEN.replace("args=a", "args=a, peft_config=lora")
    assert weights(DPO + LOAD + LORA + OTHER + given) > 0


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


@pytest.mark.parametrize(
    ("settings", "made"),
    [
        (SFT, "SFTTrainer(model, args).train()\n"),
        (DPO, "DPOTrainer(model, None, a).train()\n"),
        ("a = GRPOConfig(beta=0.1)\n", "GRPOTrainer(model, [judge], a).train()\n"),
        ("a = GRPOConfig(beta=0.1)\n", "GRPOTrainer(model, judge, args=a).train()\n"),
    ],
)
def test_what_a_trainer_takes_may_be_given_by_place(settings: str, made: str) -> None:
    """ProxyLoop: SFTTrainer(model, args, train_dataset=rows)."""
    text = "def judge(completions): ...\n" + settings + LOAD + made
    assert model_of(text)["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


def test_more_by_place_than_is_known_is_not_followed() -> None:
    made = "SFTTrainer(model, args, collate, data).train()\n"
    assert "model_name_or_path" not in model_of(SFT + LOAD + made)


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ("deepspeed=None, fsdp=None, generation_batch_size=None", True),
        ("deepspeed=asked.deepspeed", True),
        ("gradient_checkpointing=None", False),  # By default it is on.
    ],
)
def test_none_is_as_if_it_were_not_given_where_that_is_the_default(given: str, known: bool) -> None:
    """grpo-puzzles: an option that a launch need not have, handed on."""
    text = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--deepspeed', default=None)\nasked = parser.parse_args()\n"
        f"a = GRPOConfig(beta=0.1, per_device_train_batch_size=8, {given})\n"
        + LOAD
        + "GRPOTrainer(model, reward_funcs=judge, args=a).train()\n"
    )
    names = {name.partition("=")[0] for name in given.split(", ")}
    (launch,) = lint(HEAD + text).launches
    assert launch.settings.keys().isdisjoint(names) is known
    assert bool(estimate(text).stages) is known


BASE = "base = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-1.5B')\n"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (BASE + "answer(base)\ndel base\n" + LOAD + TRAIN, True),
        (BASE + "answer(base)\ndel other, base\n" + LOAD + TRAIN, True),
        (f"def first():\n    {BASE}    answer(base)\n    del base\nfirst()\n" + LOAD + TRAIN, True),
        (BASE + "answer(base)\n" + LOAD + TRAIN, False),
        (BASE + LOAD + TRAIN + "del base\n", False),
        (BASE + "del other\n" + LOAD + TRAIN, False),
    ],
)
def test_a_model_that_is_deleted_before_is_not_beside(text: str, known: bool) -> None:
    """hands-on-modern-rl: the base answers first, to compare with."""
    assert ("model_name_or_path" in model_of(SFT + text)) is known
