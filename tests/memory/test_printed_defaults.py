"""Launches of programs whose configuration is not known: the defaults of verl's trainer stand."""

from __future__ import annotations

from typing import Any

import pytest

from bot.frameworks import plans
from bot.frameworks.verl.verl import Verl
from bot.shell import read
from tests.memory.printed import component, printed

_R = "actor_rollout_ref"
_GIVEN = (
    "algorithm.adv_estimator=grpo",
    f"{_R}.model.path=Qwen/Qwen2.5-7B",
    "data.max_prompt_length=2048",
    "data.max_response_length=8192",
    f"{_R}.actor.use_dynamic_bsz=True",
    "trainer.n_gpus_per_node=8",
)
_ENGINE = f"{_R}.rollout.name=vllm"
_OWN = "the defaults of verl's own trainer, since the configuration of {} is not known"
_USUAL_ENGINE = f"vllm, since {_R}.rollout.name is not set"


def _made(entry: str, *settings: str, release: str = "0.5.0") -> dict[str, Any]:
    launch = " ".join(("python3 -m", entry, *_GIVEN, *settings))
    return printed(launch, "--device", "h100", "--framework", f"verl@{release}")


@pytest.mark.parametrize("entry", ["recipe.mine.main_mine", "verl_tool.trainer.main_ppo"])
@pytest.mark.parametrize("release", ["0.2", "0.5.0", "0.9.1"])
def test_an_unknown_program_is_read_as_verls_trainer(entry: str, release: str) -> None:
    known = _made("verl.trainer.main_ppo", _ENGINE, release=release)
    unknown = _made(entry, _ENGINE, release=release)
    assert _OWN.format(entry) in unknown["assumptions"]
    assert not [said for said in known["assumptions"] if "not known" in said]
    assert unknown["stages"] == known["stages"]


def test_no_critic_that_nobody_asked_for() -> None:
    """verl's own default is PPO."""
    asked, silent = "algorithm.adv_estimator=gae", "~algorithm.adv_estimator"
    micro = "critic.ppo_micro_batch_size_per_gpu=1"
    stages = [
        _made("recipe.mine.main_mine", _ENGINE, micro, told)["stages"] for told in (asked, silent)
    ]
    with_critic, without = ([stage["stage"] for stage in one] for one in stages)
    assert "critic" in with_critic
    assert "critic" not in without


def test_by_the_configuration_that_it_names() -> None:
    """Megatron's layout is that of verl's Megatron trainer, the one the recipe names."""
    parallel = f"{_R}.actor.megatron.tensor_model_parallel_size=4"
    named = " --config-name=ppo_megatron_trainer"
    known = _made("verl.trainer.main_ppo" + named, _ENGINE, parallel)
    strategy = f"{_R}.actor.strategy=megatron"
    assert component(known, "update", "activations") > 0
    assert _made("recipe.mine.main_mine" + named, _ENGINE, parallel)["stages"] == known["stages"]
    assert _made("recipe.mine.main_mine", strategy, _ENGINE, parallel)["stages"] == known["stages"]


def test_fine_tuning_by_a_program_of_its_own() -> None:
    launch = (
        "torchrun --nproc_per_node=4 -m recipe.mine.fsdp_sft_trainer "
        "model.partial_pretrain=Qwen/Qwen2.5-1.5B data.micro_batch_size_per_gpu=4"
    )
    made = printed(launch, "--device", "h100", "--framework", "verl@0.5.0")
    assert _OWN.format("recipe.mine.fsdp_sft_trainer") in made["assumptions"]
    assert component(made, "update", "logits") > 0


def test_a_rollout_that_names_no_engine_has_vllm() -> None:
    """verl's default up to 0.5; from 0.6 on a launch has to name one."""
    for entry in ("verl.trainer.main_ppo", "recipe.mine.main_mine"):
        made = _made(entry, release="0.9.1")
        assert _USUAL_ENGINE in made["assumptions"]
        assert made["stages"] == _made(entry, _ENGINE, release="0.9.1")["stages"]
        assert _USUAL_ENGINE not in _made(entry, release="0.5.0")["assumptions"]
    other = _made("verl.trainer.main_ppo", f"{_R}.rollout.name=mine", release="0.9.1")
    assert other["outcome"] == "no prediction"
    assert other["reason"] == "The inference engine mine is not modelled."


def test_a_model_that_the_script_leaves_empty_is_named_so() -> None:
    made = _made("verl.trainer.main_ppo", f"{_R}.model.path=", _ENGINE, release="0.9.1")
    assert made["reason"] == (
        "actor_rollout_ref.model.path is empty: name the model. With --model NAME, a model on "
        "Hugging Face of its shape, there is a figure."
    )


@pytest.mark.parametrize("folder", ["$HOME/models", "${ROOT:-$HOME}/verl/models", "$1"])
def test_a_folder_that_only_a_run_knows_keeps_from_no_number(folder: str) -> None:
    path = f"{_R}.model.path={folder}/Qwen2.5-7B-Instruct"
    made = _made("verl.trainer.main_ppo", path, _ENGINE, release="0.9.1")
    assert (made["model"], made["reason"]) == ("Qwen2.5-7B", None)


def test_a_known_configuration_and_an_unknown_release_stay_as_they_are() -> None:
    verl = Verl()
    (known,) = plans(read(b"python3 -m verl.trainer.main_ppo a.b=1", "x.sh"))
    assert verl.as_own_trainer(known) is None


def test_every_model_of_openrlhf_may_lie_in_a_folder_that_only_a_run_knows() -> None:
    """gohsyi/openrlhf: `$NAS/models` before the reward model, too; alone it says nothing."""
    line = (
        "deepspeed --num_gpus 8 --module openrlhf.cli.train_ppo --zero_stage 3 --bf16"
        " --prompt_max_len 512 --generate_max_len 512 --micro_train_batch_size 1"
        " --pretrain $NAS/models/Qwen2.5-0.5B --reward_pretrain $NAS"
    )
    given = ("--device", "h100", "--framework", "openrlhf@0.8.0")
    assert printed(f"{line}/Qwen2.5-1.5B", *given)["stages"]
    assert "needs the variable NAS" in printed(line, *given)["reason"]
