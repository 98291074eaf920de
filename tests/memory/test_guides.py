"""The tables of docs/memory.md that set guides' words beside the arithmetic are still true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.frameworks import plans
from bot.memory.estimate import MemoryEstimate
from bot.memory.estimator import estimate_workload
from bot.memory.from_plan import device_named, estimate_plan, workload_of
from bot.shell import read
from tests.command import ROOT

PAGE = (ROOT / "docs/memory.md").read_text(encoding="utf-8")
MODEL = "meta-llama/Meta-Llama-3-8B"


def _estimate(command: str, device: str) -> MemoryEstimate:
    (plan,) = plans(read(command.encode(), "guide.sh"))
    return estimate_plan(plan, device).estimate


_CARDS = {
    "A100 80GB": ("a100", 0.35),
    "A100 40GB": ("a100-40", 0.45),
    "RTX 3090": ("rtx3090", 0.85),
    "RTX 3090 or 4090": ("rtx3090", 0.85),
}
_SETTING = re.compile(r"(full|DoRA or LoRA), ([0-9]) × (.*)")
_ROWS = [
    line.strip("| ").split(" | ")
    for line in PAGE.split("says | floor")[1].split("\n\n")[0].splitlines()
    if _SETTING.match(line.strip("| "))
]


def _four_models(setting: str, more: str = "") -> MemoryEstimate:
    """PPO of 7B as the page describes it: OpenRLHF's settings, the models in one process."""
    found = _SETTING.fullmatch(setting)
    assert found
    gpus, (device, share) = int(found[2]), _CARDS[found[3]]
    adapter = found[1] != "full"
    roles = ("actor", "critic", "reward", "ref")
    places = " ".join(f"--{r}.num_nodes 1 --{r}.num_gpus_per_node {gpus}" for r in roles)
    models = " ".join(f"--{r}.model_name_or_path Qwen/Qwen2.5-7B" for r in roles[:3])
    command = (
        f"python3 -m openrlhf.cli.train_ppo_ray {places} {models} --train.colocate_all "
        f"--vllm.num_engines {gpus} --vllm.gpu_memory_utilization {share} --vllm.enable_sleep "
        "--data.max_len 2048 --rollout.max_new_tokens 1024 --train.micro_batch_size 1 "
        "--rollout.micro_batch_size 1 --ds.zero_stage 3 --actor.gradient_checkpointing_enable "
        "--algo.advantage.estimator gae "
        # Below an adapter the base is the reference; OpenRLHF would load it once more.
        f"{'--ds.lora.rank 16 --algo.kl.init_coef 0' if adapter else ''} {more}\n"
    )
    (plan,) = plans(read(command.encode(), "guide.sh"))
    workload = workload_of(plan)
    pools = tuple(replace(pool, processes=2) for pool in workload.pools)
    return estimate_workload(replace(workload, pools=pools), device_named(device))


def test_every_row_of_the_four_models_is_read() -> None:
    assert len(_ROWS) == 9


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: str(row[0]))
def test_four_models_of_7b(row: list[str]) -> None:
    setting, _, floor, expected, usable, verdict = row
    estimate = _four_models(setting)
    assert float(floor) == pytest.approx(estimate.peak("floor").in_gib, abs=0.06)
    assert float(expected) == pytest.approx(estimate.peak().in_gib, abs=0.06)
    assert float(usable) == pytest.approx(estimate.usable.in_gib, abs=0.06)
    assert re.split("[;:]| without", verdict)[0] == estimate.outcome


def test_what_the_page_says_besides_of_four_models() -> None:
    assert "with the optimizer offloaded it fits" in PAGE
    assert _four_models("full, 4 × A100 80GB", "--ds.adam_offload").outcome == "fits"
    held = _four_models("DoRA or LoRA, 2 × RTX 3090").stages[0].components["floor"]
    assert "the engine alone holds 14.2" in PAGE
    assert held["engine weights"].in_gib == pytest.approx(14.2, abs=0.06)


@pytest.mark.parametrize("length", [8192, 4096])
def test_the_reward_model_on_six_cards(length: int) -> None:
    found = re.search(rf"^\| {length} \| (.*) \|$", PAGE, re.MULTILINE)
    assert found
    floor, expected, usable, verdict = found[1].split(" | ")[1:]
    estimate = _estimate(
        "deepspeed --num_gpus 6 --module openrlhf.cli.train_rm "
        f"--model.model_name_or_path {MODEL} --data.max_len {length} --ds.zero_stage 2 "
        "--ds.lora.rank 64 --train.micro_batch_size 1 --train.batch_size 96 "
        "--model.gradient_checkpointing_enable\n",
        "rtx4090",
    )
    assert float(floor) == pytest.approx(estimate.peak("floor").in_gib, abs=0.06)
    assert float(expected) == pytest.approx(estimate.peak().in_gib, abs=0.06)
    assert float(usable) == pytest.approx(estimate.usable.in_gib, abs=0.06)
    assert verdict == estimate.outcome


@pytest.mark.parametrize(
    ("more", "before", "outcome"),
    [
        ("", "colocated, ZeRO-3: ", "impossible"),
        ("--ds.enable_sleep --ds.adam_offload", "`--ds.adam_offload` it is ", "fits"),
    ],
)
def test_ppo_on_four_cards(more: str, before: str, outcome: str) -> None:
    found = re.search(re.escape(before) + r"([0-9.]+) GiB", PAGE)
    assert found
    roles = ("actor", "critic", "reward", "ref")
    gpus = " ".join(f"--{role}.num_nodes 1 --{role}.num_gpus_per_node 4" for role in roles)
    models = " ".join(f"--{role}.model_name_or_path {MODEL}" for role in roles[:3])
    estimate = _estimate(
        f"python3 -m openrlhf.cli.train_ppo_ray {gpus} {models} --train.colocate_all "
        "--vllm.num_engines 4 --vllm.tensor_parallel_size 1 --vllm.gpu_memory_utilization 0.5 "
        "--vllm.enable_sleep --data.max_len 2048 --rollout.max_new_tokens 1024 "
        "--train.micro_batch_size 1 --rollout.micro_batch_size 1 --ds.zero_stage 3 "
        f"--actor.gradient_checkpointing_enable --algo.advantage.estimator gae {more}\n",
        "a100",
    )
    assert float(found[1]) == pytest.approx(estimate.peak().in_gib, abs=0.06)
    assert estimate.outcome == outcome
