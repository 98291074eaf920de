"""The claims about hardware: how many GPUs, and of which kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.evidence.claims.compare import compare
from bot.evidence.facts import GpuInfo
from bot.evidence.links import RunLink
from bot.frameworks.configuration import Configuration
from bot.frameworks.plan import Field
from bot.frameworks.settings.setting import UNKNOWN
from tests.evidence.samples import (
    NAME,
    claim,
    config,
    evidence,
    facts,
    gpu,
    named,
    plan,
    series,
)

GIB = 2**30
LINK = RunLink("wandb.ai", "verl-team", "verl_tuning", "abc123")


def test_a_host_with_more_gpus_than_the_job_uses_is_consistent() -> None:
    run = facts(host_gpu_count=8, gpus=(gpu("NVIDIA H800", 79.65),) * 8)
    found = claim(evidence(run), "gpus")
    assert (found.verdict, found.observed) == ("consistent", 2)
    assert "2 GPUs of the host's 8" in found.reason


@pytest.mark.parametrize(
    ("device", "gpus", "verdict"),
    [
        ("h800", (gpu("NVIDIA H800", 79.65),), "consistent"),
        ("h800", (gpu("NVIDIA H800", None),), "consistent"),
        ("h20", (gpu("NVIDIA H20", 95.58),), "consistent"),
        ("h20", (gpu("NVIDIA H20-3e", 140.4),), "consistent"),
        ("a100-40", (gpu("NVIDIA A100-SXM4-40GB", 40.0),), "consistent"),
        # The name was overridden, or the driver splits the card.
        ("h20", (gpu("NVIDIA H20", 79.65),), "inconsistent"),
        ("a100", (gpu("NVIDIA A100-SXM4-40GB", 40.0),), "inconsistent"),
        ("h100", (gpu("NVIDIA H800", 79.65),), "inconsistent"),
        ("h100", (gpu("Something new", 200.0),), "inconsistent"),
        ("h100", (gpu("Something new", None),), "inconclusive"),
        ("h800", (gpu("NVIDIA H800", 79.65), gpu("NVIDIA H100 80GB HBM3", 79.65)), "inconclusive"),
        ("xyz1", (gpu("NVIDIA H800", 79.65),), "inconclusive"),
        ("h800", (), "inconclusive"),
    ],
)
def test_the_device_by_name_and_memory(
    device: str, gpus: tuple[GpuInfo, ...], verdict: str
) -> None:
    name = named(f"qwen2.5-7b_grpo-lora_2_{device}_fsdp_vllm.sh")
    found = claim(compare(plan(), name, facts(gpus=gpus)), "device")
    assert found.verdict == verdict


def test_a_name_without_a_device_takes_the_runs() -> None:
    found = compare(plan(), named("run_qwen2.5-7b_fsdp.sh"), facts())
    assert claim(found, "device").verdict == "consistent"
    assert found.verdict == "consistent"


@pytest.mark.parametrize(
    ("changes", "script", "verdict"),
    [
        ({"config": config(trainer__n_gpus_per_node=8)}, {}, "inconsistent"),
        ({"config": config(trainer__nnodes=2)}, {}, "inconsistent"),
        ({"host_gpu_count": 1, "gpus": (gpu("NVIDIA H800", 79.65),)}, {}, "inconsistent"),
        ({"host_gpu_count": None, "gpus": (), "system": {}}, {}, "inconclusive"),
        ({"config": {}}, {}, "inconclusive"),
        (
            {"config": config(trainer__nnodes=4)},
            {"trainer__nnodes": 4},
            "inconclusive",
        ),
        ({}, {"trainer__n_gpus_per_node": UNKNOWN}, "consistent"),
    ],
)
def test_gpus(changes: dict[str, Any], script: dict[str, Any], verdict: str) -> None:
    assert claim(evidence(facts(**changes), **script), "gpus").verdict == verdict


def test_gpus_seen_only_in_the_system_stream() -> None:
    two = {i: series(f"system.gpu.{i}.memoryAllocatedBytes", 60 * GIB) for i in range(2)}
    run = facts(host_gpu_count=None, gpus=(), system=two)
    assert claim(evidence(run), "gpus").verdict == "consistent"
    run = replace(run, system={0: two[0]})
    assert claim(evidence(run), "gpus").verdict == "inconsistent"


def test_a_gpu_count_that_was_overridden_does_not_hide_the_list() -> None:
    run = facts(host_gpu_count=8, gpus=(gpu("NVIDIA H800", 79.65),))
    found = claim(evidence(run), "gpus")
    assert (found.verdict, found.observed) == ("inconsistent", 1)


def test_gpus_of_several_pools_are_compared_setting_by_setting() -> None:
    pools = config(trainer__n_gpus_per_node=2, rollout__nnodes=1, rollout__n_gpus_per_node=2)
    script = replace(
        plan(rollout__nnodes=1, rollout__n_gpus_per_node=2), gpus=Field(4, None, "trainer.nnodes")
    )
    host = {"gpus": (gpu("NVIDIA H800", 79.65),) * 8, "host_gpu_count": 8}
    found = claim(compare(script, NAME, facts(config=pools, **host)), "gpus")
    assert (found.verdict, found.claimed) == ("consistent", 4)
    pools["rollout"]["n_gpus_per_node"] = 4
    found = claim(compare(script, NAME, facts(config=pools, **host)), "gpus")
    assert found.verdict == "inconsistent"


def test_gpus_that_only_the_launcher_was_told_stay_open() -> None:
    # torchrun --nproc_per_node=2: trainer.n_gpus_per_node keeps a default that means nothing.
    told = Field(2, None, "nproc_per_node")
    base = plan()
    settings = tuple(s for s in base.settings if not s.key.startswith("trainer.n"))
    script = replace(base, settings=settings, gpus_per_node=told, gpus=told, nodes=Field(1))
    found = claim(compare(script, NAME, facts(config=config(trainer__n_gpus_per_node=8))), "gpus")
    assert (found.verdict, found.observed) == ("inconclusive", None)


@pytest.mark.parametrize(
    ("nodes", "requirements", "verdict"),
    [
        (1, {}, "inconclusive"),
        (1, {"verl": "0.9.1"}, "inconsistent"),
        (2, {}, "inconsistent"),  # What the script writes itself differs too.
    ],
)
def test_a_default_of_another_release_contradicts_no_number_of_gpus(
    nodes: int, requirements: dict[str, str], verdict: str
) -> None:
    script = plan(trainer__nnodes=nodes)
    default = replace(script.gpus_per_node, default=True, span=None)
    run = facts(config=config(trainer__n_gpus_per_node=1), requirements=requirements)
    found = claim(compare(replace(script, gpus_per_node=default), NAME, run), "gpus")
    assert found.verdict == verdict
    assert ("whose default in verl 0.9.1 differs" in found.reason) is (verdict == "inconclusive")


def test_a_default_of_the_repository_is_named_by_its_place() -> None:
    script = plan()
    own = Configuration("verl/trainer/config of this repository", "tree", "")
    default = replace(script.gpus_per_node, default=True, span=None)
    run = facts(config=config(trainer__n_gpus_per_node=1))
    script = replace(script, gpus_per_node=default, configuration=own)
    found = claim(compare(script, NAME, run), "gpus")
    assert found.reason == (
        "The script leaves it to verl/trainer/config of this repository, whose default differs; "
        "the run may have had another one."
    )
