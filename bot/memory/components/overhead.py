"""What processes hold outside torch's allocator: CUDA contexts, and NCCL's communicators."""

from __future__ import annotations

from bot.memory.constants import COMMUNICATION, COMMUNICATION_ASCEND, CONTEXT
from bot.memory.units import Bytes
from bot.memory.workload import MemoryLevel, Pool, Role


def overhead(pool: Pool, level: MemoryLevel, *, ascend: bool = False) -> Bytes:
    """Contexts and communicators of a pool's processes on one GPU.

    Roles share the groups of their process; an engine's process has one communicator.
    """
    each = CONTEXT[level] * pool.processes
    if pool.gpus > 1:
        groups = max((communicators(role) for role in pool.roles if role.trained), default=1)
        one = (COMMUNICATION_ASCEND if ascend else COMMUNICATION)[level]
        each += one * (groups + pool.processes - 1)
    return Bytes.gib(each)


def communicators(role: Role) -> int:
    """Groups of several ranks whose collectives a step of the role's uses.

    Each has buffers of its own, which stay whatever works (NVIDIA/nccl#864). Every process is in
    that of all ranks; what FSDP and ZeRO may have besides is not counted. Megatron's are those of
    `parallel_state.py`: tensor, context, data (with context), two along a pipeline (its stages, and
    both ends for their embeddings), tensor and pipeline together for the norm of gradients; with
    experts the ranks that exchange tokens, the same with their tensor-parallel ones for the counts,
    and those that have the same experts.
    """
    layout = role.layout
    if layout.gpus == 1:
        return 0
    if role.backend != "megatron":
        return 1
    count = 1 + (layout.tensor > 1) + (layout.context > 1) + (layout.replicas > 1)
    count += 2 * (layout.pipeline > 1) + (layout.tensor * layout.pipeline > 1)
    if role.shape.experts is not None:
        count += (layout.expert > 1) + (layout.expert * layout.expert_tensor > 1)
        count += layout.expert_data > 1
    return count
