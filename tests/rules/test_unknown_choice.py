from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import trl, verl
from tests.rules.helpers import marked, quiet

SLUG = "unknown-choice"
OPTIM = "actor_rollout_ref.actor.optim"
CORRECTION = "algorithm.rollout_correction"
SFT = "# verl: 0.9.1\ntorchrun --nproc_per_node=8 -m verl.trainer.sft_trainer optim.{}=linear\n"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl(f"{OPTIM}.lr_scheduler_type=cosine"),
        verl(f"{OPTIM}.lr_scheduler_type=$SCHEDULE"),
        # Megatron has schedules of its own.
        verl("model_engine=megatron", f"+{OPTIM}.lr_scheduler_type=linear"),
        verl(f"{CORRECTION}.rollout_is=token"),
        verl(f"{CORRECTION}.rollout_is=null"),
        "# verl: 0.9.1\n" + verl(f"{CORRECTION}.rollout_rs=token_k1"),
        "# verl: 0.9.1\n" + verl(f"{CORRECTION}.rollout_rs=\"'token_k1,seq_mean_k3'\""),
        "# verl: 0.7.0\n" + verl(f"{CORRECTION}.rollout_rs=geometric"),
        # Nobody names the release, and one has it.
        verl(f"{CORRECTION}.rollout_rs=geometric"),
        SFT.format("min_lr_ratio"),
        trl("--loss_type dapo", "--scale_rewards False", "--vllm_mode server"),
        trl("--loss_type $LOSS"),
        "trl dpo --model_name_or_path Qwen/Qwen3-8B --loss_type sigmoid sft --loss_weights 1 0.5",
        trl("--reward_funcs accuracy_reward my_lib.rewards.mine"),
        "# trl: 1.14.0\ntrl sft --model_name_or_path Qwen/Qwen3-8B --loss_type chunked_nll",
        # Nobody names the release, and one has it.
        "trl sft --model_name_or_path Qwen/Qwen3-8B --loss_type chunked_nll",
        # A program of one's own may have a trainer with a loss of its own.
        "accelerate launch train_grpo.py --loss_type mine",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        trl("--reward_funcs accuracy my_lib.rewards.mine"),
        "# trl: 1.16.0\ntrl sft --model_name_or_path Qwen/Qwen3-8B --loss_type chunked_nll",
        "# trl: 0.24.0\ntrl dpo --model_name_or_path Qwen/Qwen3-8B --loss_type kto_pair",
        verl(f"{OPTIM}.lr_scheduler_type=linear"),
        "# verl: 0.5.0\n" + verl(f"{OPTIM}.warmup_style=linear"),
        verl("algorithm.adv_estimator=gae", "critic.optim.lr_scheduler_type=polynomial"),
        SFT.format("lr_scheduler_type"),
        verl(f"{CORRECTION}.rollout_is=geometric"),
        "# verl: 0.9.1\n" + verl(f"{CORRECTION}.rollout_rs=geometric"),
        "# verl: 0.9.1\n" + verl(f"{CORRECTION}.rollout_rs=\"'token_k1,seq_max_k1'\""),
        trl("--loss_type gspo"),
        trl("--vllm_mode colocated"),
        "trl dpo --model_name_or_path Qwen/Qwen3-8B --loss_type sigmoid simpo",
    ],
)
def test_names_without_code(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
