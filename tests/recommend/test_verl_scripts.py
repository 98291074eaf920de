"""verl's own scripts for large models lie inside what recommend offers for their hardware.

The facts are those of github.com/verl-project/verl at commit 1dda039, below `examples/`: the
hardware from each script's head or its NNODES, the sizes from its defaults.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bot.frameworks.settings.releases import releases
from bot.memory.from_plan import device_named
from bot.recommend.megatron import beside_layout, layouts
from bot.recommend.options import SHARES, Step, steps
from bot.recommend.request import Candidate, MegatronLayout, Sizes, make_request
from bot.recommend.search import Search


@dataclass(frozen=True, kw_only=True)
class VerlScript:
    """What one of verl's scripts says."""

    path: str
    model: str
    devices: tuple[str, ...]
    gpus: int
    prompt: int
    response: int
    batch: int
    engine: int
    """GPUs of the engine's tensor parallelism."""
    method: str = "full"
    tensor_pipeline: tuple[int, int] | None = None
    """Megatron's sizes; None for FSDP."""

    def search(self) -> Search:
        """What recommend searches for its question."""
        sizes = Sizes(prompt=self.prompt, response=self.response, batch=self.batch)
        request = make_request(
            self.model, task="grpo", method=self.method, framework="verl", sizes=sizes
        )
        return Search(request, releases("verl")[-1])


BIG = ("a100", "h100", "h800")
SCRIPTS = [
    VerlScript(
        path="grpo_trainer/run_deepseek_v3_671b_megatron.sh",
        model="deepseek-ai/DeepSeek-V3", devices=BIG, gpus=96,
        prompt=2048, response=8192, batch=96, engine=32, tensor_pipeline=(8, 12),
    ),
    VerlScript(
        path="grpo_trainer/run_qwen3_235b_a22b_megatron.sh",
        model="Qwen/Qwen3-235B-A22B", devices=BIG, gpus=64,
        prompt=8192, response=4096, batch=128, engine=16, tensor_pipeline=(4, 8),
    ),
    VerlScript(
        path="grpo_trainer/run_qwen3_30b_a3b_megatron.sh",
        model="Qwen/Qwen3-30B-A3B", devices=BIG, gpus=8,
        prompt=2048, response=8192, batch=128, engine=4, tensor_pipeline=(4, 2),
    ),
    VerlScript(
        path="grpo_trainer/run_qwen3_30b_a3b_fsdp.sh",
        model="Qwen/Qwen3-30B-A3B", devices=BIG, gpus=8,
        prompt=2048, response=4096, batch=512, engine=4,
    ),
    VerlScript(
        path="grpo_trainer/run_qwen2_5_32b_fsdp.sh",
        model="Qwen/Qwen2.5-32B", devices=BIG, gpus=16,
        prompt=1024, response=1024, batch=1024, engine=8,
    ),
    VerlScript(
        path="tuning/scaling/run_qwen2_5_32b_megatron.sh",
        model="Qwen/Qwen2.5-32B", devices=("h20", "h100", "h200"), gpus=8,
        prompt=2048, response=6144, batch=512, engine=8, tensor_pipeline=(8, 1),
    ),
    VerlScript(
        path="tuning/scaling/run_qwen2_5_72b_fsdp.sh",
        model="Qwen/Qwen2.5-72B", devices=("h800", "h200"), gpus=32,
        prompt=1024, response=2048, batch=1024, engine=16,
    ),
    VerlScript(
        path="tuning/lora/run_qwen3_30b_a3b_megatron.sh",
        model="Qwen/Qwen3-30B-A3B", devices=BIG, gpus=8,
        prompt=1024, response=1024, batch=128, engine=8, method="lora",
    ),
]  # fmt: skip
"""Two differ in what recommend makes. The engine of Qwen3-235B-A22B has 8 GPUs there and shares out
its experts over 64; here it has 16 and no such sharing. The last one trains its adapter with
Megatron; recommend makes that with FSDP alone."""
ON = [(script, device) for script in SCRIPTS for device in script.devices]
NAMES = [f"{script.path}-{device}" for script, device in ON]


@pytest.mark.parametrize(("script", "device"), ON, ids=NAMES)
def test_its_hardware_is_offered(script: VerlScript, device: str) -> None:
    best, _ = script.search().at(device_named(device), script.gpus)
    assert best is not None
    assert best.sure


@pytest.mark.parametrize(("script", "device"), ON, ids=NAMES)
def test_its_division_is_tried_and_fits(script: VerlScript, device: str) -> None:
    """With its engine's tensor parallelism, the layout that it has, and passes of one sequence."""
    search, card = script.search(), device_named(device)
    layout: MegatronLayout | None = None
    options: frozenset[Step] = frozenset(steps(search.request, script.gpus))
    if script.tensor_pipeline is not None:
        tried = layouts(search.request.model.shape, script.gpus, card.usable_gib)
        (layout,) = [x for x in tried if (x.tensor, x.pipeline) == script.tensor_pipeline]
        options = frozenset(beside_layout(search.request)[-1])
    options = frozenset(step for step in options if step[0] not in ("tensor", "sequence"))
    candidate = Candidate(script.gpus, options | {("tensor", script.engine)}, layout=layout)
    fitting = [
        shared
        for shared, estimate in search.estimates(card, candidate, SHARES)
        if estimate.outcome in ("fits", "tight") and search.engine_shortage(shared, card) is None
    ]
    assert fitting
