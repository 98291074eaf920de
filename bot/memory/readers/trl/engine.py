"""Where the vLLM of TRL's online trainers and of open-instruct's stands."""

from __future__ import annotations

from bot.base.digits import natural_number
from bot.base.messages import message
from bot.frameworks.plan_values import version_at_least
from bot.memory.readers.lengths import Lengths
from bot.memory.readers.settings import MemorySettings, indivisible
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Engine


def vllm_engine(
    get: MemorySettings, algorithm: str, shape: Shape, of: Lengths, gpus: int
) -> tuple[Engine | None, int]:
    """The engine, and the GPUs of its own when it has some; none that is a server beside the run.

    TRL's GRPO has a server since 0.16, by default up to 0.29. Before, its engine is on the device
    that `vllm_device` names: `auto` is the first one that does not train, or the only one
    (`grpo_trainer.py`). Raises NoEstimateError where the engine does not divide the GPUs.
    """
    tensor = get.size("vllm_tensor_parallel_size")
    instruct = get.plan.framework == "open-instruct"
    engine = Engine(
        name="vllm",
        shape=shape,
        tensor=tensor,
        fraction=get.share(0.9, "vllm_gpu_memory_utilization"),
        sequence_tokens=get.limit("vllm_max_model_length") or of.longest,
        sleeps=get.on(False, "vllm_enable_sleep_mode"),
        in_process=not instruct,
    )
    if instruct:
        if get.on(False, "single_gpu_mode"):
            return engine, 0
        return engine, get.size("vllm_num_engines") * tensor
    if algorithm == "grpo" and not version_at_least(get.plan, 0, 18):
        if version_at_least(get.plan, 0, 16):
            return None, 0
        named = (get.text("vllm_device") or "auto").rpartition(":")[2]
        shared = gpus == 1 if named == "auto" else (natural_number(named) or 0) < gpus
        return engine, 0 if shared else 1
    if get.text("vllm_mode") == "server":
        return None, 0
    if gpus % tensor:
        raise indivisible(gpus, message("tensor parallel {tensor}", tensor=tensor))
    return engine, 0
