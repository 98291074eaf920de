"""The reward model and the critic that a program gives TRL's PPO, and models that are renewed."""

from __future__ import annotations

import pytest

from tests.frameworks.test_trl_models import LOAD, SFT, TRAIN, estimate, model_of

PPO = (
    "from trl import PPOConfig, PPOTrainer\n"
    "a = PPOConfig(response_length=64, per_device_train_batch_size=1, bf16=True)\n"
)
JUDGE = (
    "judge = AutoModelForSequenceClassification.from_pretrained('Qwen/Qwen2.5-1.5B',"
    " num_labels=1)\n"
)
FROZEN = "judge.requires_grad_(False)\n"
CRITIC = JUDGE.replace("judge", "critic")
TRAINER = "PPOTrainer(model=model, args=a, reward_model=judge, value_model=critic).train()\n"


def idle(text: str, role: str) -> float:
    """GiB of a role's weights while the policy is updated."""
    stages = {one.stage: one for one in estimate(text).stages}
    return stages["update"].components.get(f"{role}, idle", 0.0)


def test_a_reward_model_and_a_critic_are_read_from_what_loads_them() -> None:
    """Of a program with four from_pretrained nothing was estimated."""
    text = PPO + LOAD + JUDGE + FROZEN + CRITIC + TRAINER
    small = PPO + LOAD + (JUDGE + FROZEN + CRITIC).replace("1.5B", "0.5B") + TRAINER
    assert idle(text, "reward") == pytest.approx(idle(small, "reward") * 1.54 / 0.49, rel=0.1)
    assert idle(text, "critic") > 2 * idle(small, "critic")


@pytest.mark.parametrize(
    "others",
    [
        JUDGE + CRITIC.replace("1.5B", "0.5B"),
        JUDGE + "critic = make()\n",
        JUDGE.replace("num_labels", "load_in_4bit=True, num_labels") + CRITIC,
    ],
)
def test_others_are_not(others: str) -> None:
    reason = estimate(PPO + LOAD + others + TRAINER).reason
    assert reason is not None
    assert "is not followed beyond" in reason


@pytest.mark.parametrize(
    "renewed",
    [
        "model, tokenizer = setup_chat_format(model, tokenizer)\n",
        "model, tokenizer = trl.setup_chat_format(model, tokenizer, 'chatml')\n",
        "model, tokenizer, added = clone_chat_template(model, tokenizer, 'Qwen/Qwen3-0.6B')\n",
    ],
)
def test_a_model_with_a_few_tokens_more_is_the_same(renewed: str) -> None:
    """Read as no model at all; TRL's tutorials made theirs so."""
    assert model_of(SFT + LOAD + renewed + TRAIN) == model_of(SFT + LOAD + TRAIN)


def test_what_another_function_makes_of_a_model_is_not_known() -> None:
    other = "model, tokenizer = shrink(model, tokenizer)\n"
    assert "model_name_or_path" not in model_of(SFT + LOAD + other + TRAIN)
