"""The tables of docs/memory.md that set guides' words beside the arithmetic are still true."""

from __future__ import annotations

import re

import pytest

from bot.frameworks import plans
from bot.memory.budget import Budget
from bot.memory.predict import predict
from bot.shell import read
from tests.command import ROOT

PAGE = (ROOT / "docs/memory.md").read_text(encoding="utf-8")
MODEL = "meta-llama/Meta-Llama-3-8B"


def _budget(command: str, device: str) -> Budget:
    (plan,) = plans(read(command.encode(), "guide.sh"))
    return predict(plan, device).budget


@pytest.mark.parametrize("length", [8192, 4096])
def test_the_reward_model_on_six_cards(length: int) -> None:
    found = re.search(rf"^\| {length} \| (.*) \|$", PAGE, re.MULTILINE)
    assert found
    floor, expected, usable, verdict = found[1].split(" | ")[1:]
    budget = _budget(
        "deepspeed --num_gpus 6 --module openrlhf.cli.train_rm "
        f"--model.model_name_or_path {MODEL} --data.max_len {length} --ds.zero_stage 2 "
        "--ds.lora.rank 64 --train.micro_batch_size 1 --train.batch_size 96 "
        "--model.gradient_checkpointing_enable\n",
        "rtx4090",
    )
    assert float(floor) == pytest.approx(budget.peak("floor").in_gib, abs=0.06)
    assert float(expected) == pytest.approx(budget.peak().in_gib, abs=0.06)
    assert float(usable) == pytest.approx(budget.usable.in_gib, abs=0.06)
    assert verdict == budget.outcome


@pytest.mark.parametrize(
    ("more", "before", "outcome"),
    [
        ("", "colocated, ZeRO-3: ", "likely OOM"),
        ("--ds.enable_sleep --ds.adam_offload", "`--ds.adam_offload` it is ", "fits"),
    ],
)
def test_ppo_on_four_cards(more: str, before: str, outcome: str) -> None:
    found = re.search(re.escape(before) + r"([0-9.]+) GiB", PAGE)
    assert found
    roles = ("actor", "critic", "reward", "ref")
    gpus = " ".join(f"--{role}.num_nodes 1 --{role}.num_gpus_per_node 4" for role in roles)
    models = " ".join(f"--{role}.model_name_or_path {MODEL}" for role in roles[:3])
    budget = _budget(
        f"python3 -m openrlhf.cli.train_ppo_ray {gpus} {models} --train.colocate_all "
        "--vllm.num_engines 4 --vllm.tensor_parallel_size 1 --vllm.gpu_memory_utilization 0.5 "
        "--vllm.enable_sleep --data.max_len 2048 --rollout.max_new_tokens 1024 "
        "--train.micro_batch_size 1 --rollout.micro_batch_size 1 --ds.zero_stage 3 "
        f"--actor.gradient_checkpointing_enable --algo.advantage.estimator gae {more}\n",
        "a100",
    )
    assert float(found[1]) == pytest.approx(budget.peak().in_gib, abs=0.06)
    assert budget.outcome == outcome
