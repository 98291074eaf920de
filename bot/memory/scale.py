"""The same workload on another number of GPUs."""

from __future__ import annotations

from dataclasses import replace

from bot.memory.workload import Workload


def on_half(workload: Workload) -> Workload | None:
    """The workload on half its GPUs; None when that cannot be done by leaving GPUs out.

    Tokens of a pass are settings of each GPU and stay; the batch is worked off in more passes.
    """
    pools = []
    for pool in workload.pools:
        engine = pool.engine
        if pool.gpus % 2 or any(role.backend == "megatron" for role in pool.roles):
            return None
        half = pool.gpus // 2
        if engine is not None and half % (engine.tensor * engine.pipeline):
            return None
        roles = []
        for role in pool.roles:
            if half % (role.layout.sequence * role.layout.context):
                return None
            layout = replace(role.layout, gpus=half, shard=min(role.layout.shard, half))
            roles.append(replace(role, layout=layout))
        pools.append(replace(pool, gpus=half, roles=tuple(roles)))
    each = max(1, min(workload.gpus_per_node, max(pool.gpus for pool in pools)))
    return replace(workload, pools=tuple(pools), gpus_per_node=each)
