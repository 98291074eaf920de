"""Model states: what weights, gradients and optimizer take on one GPU, by backend.

FSDP: every state is divided by the ranks that share one copy. ZeRO: DeepSpeed's stages 1 to 3,
ZeRO-2 as `estimate_zero2_model_states_mem_needs` of DeepSpeed has it. Megatron: 2 + 4 bytes on the
tensor-, pipeline- and expert-parallel shard and 12 over the ranks that hold the same shard (data-
and context-parallel ones; expert-data-parallel ones for experts), as its
`theoretical_memory_usage.py` and its distributed optimizer have it.
"""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.memory.components.experts import adapter_of_experts
from bot.memory.constants import ZERO3_SUB_GROUP
from bot.memory.shapes.shape import Shape
from bot.memory.units import NOTHING, Bytes
from bot.memory.workload import FullModules, Layout, Role

_NO_COPIES = FullModules(parameters=0, weight_bytes=0, gradient_bytes=0, optimizer_bytes=0)


@dataclass(frozen=True, slots=True)
class States:
    """Bytes on one GPU while nothing is offloaded."""

    weights: Bytes
    gradients: Bytes
    optimizer: Bytes
    step: Bytes
    """Temporaries of the optimizer's step."""


def states(role: Role) -> States:
    """What a role's states take on its most loaded GPU."""
    if role.backend == "megatron":
        return _megatron(role)
    shared = role.backend in ("fsdp", "fsdp2", "zero3")
    over = role.layout.shard if shared else 1
    trained = role.trained_parameters
    # PEFT trains a copy of a module; the frozen one stays (`ModulesToSaveWrapper.update`).
    copies = role.beside_adapter or _NO_COPIES
    weights = (_weights(role) + Bytes.of(copies.parameters * copies.weight_bytes)) / over
    gradient_ranks = over if shared or role.backend != "zero2" else role.layout.shard
    optimizer_ranks = 1 if role.backend == "ddp" else role.layout.shard
    gradients = (
        Bytes.of(trained * role.gradient_bytes)
        + Bytes.of(copies.parameters * copies.gradient_bytes)
    ) / gradient_ranks
    return States(
        weights=weights,
        gradients=gradients,
        optimizer=(
            Bytes.of(trained * role.optimizer_bytes + _embedding_moments(role))
            + Bytes.of(copies.parameters * copies.optimizer_bytes)
        )
        / optimizer_ranks,
        step=_step(role, (trained + copies.parameters) / optimizer_ranks, gradients),
    )


def _embedding_moments(role: Role) -> float:
    whole = role.trained and role.adapter is None
    return role.embedding_optimizer_bytes * role.shape.embedding if whole else 0.0


def _step(role: Role, local: float, gradients: Bytes) -> Bytes:
    """Temporaries of the optimizer's step over `local` trained parameters, beside `gradients`."""
    if role.backend.startswith("zero"):
        return _zero_step(role, local, gradients)
    widest = role.shape.embedding / role.layout.shard if role.trained else 0.0
    return Bytes.of(local * role.step_bytes + widest * role.step_widest_bytes)


def _zero_step(role: Role, local: float, gradients: Bytes) -> Bytes:
    """DeepSpeed's: one tensor of a group's gradients in their type, and of that one in fp32.

    Then the optimizer's own, beside the second. ZeRO-3 takes groups of `sub_group_size`
    (`_prepare_fp32_grad_for_sub_group` of DeepSpeed's `stage3.py`); the others take all of a
    rank's, and free what is not in fp32 (`step` of `stage_1_and_2.py`).
    """
    flat = role.gradient_bytes
    wide = 4.0 if flat < 4 else 0.0
    steps = 4.0 + role.step_bytes
    if role.backend == "zero3":
        return Bytes.of(min(local, ZERO3_SUB_GROUP) * max(flat + wide, steps))
    return Bytes.of(local * max(2 * flat + wide, steps)).less(gradients)


def _weights(role: Role) -> Bytes:
    frozen = role.frozen_bytes if role.adapter and role.frozen_bytes else role.weight_bytes
    adapter = Bytes.of(role.adapter_parameters * role.weight_bytes)
    if role.base_shared:
        return adapter
    away = role.shape.embedding if role.embedding_on_host and not role.shape.tied else 0
    if frozen >= 2:
        return Bytes.of((role.parameters - away) * frozen) + adapter
    # Quantized: the layers' matrices alone, a vision tower's too (`_replace_with_bnb_linear` of
    # transformers' `integrations/bitsandbytes.py` takes each linear module but the head);
    # embedding, head and norms stay in 16 bits, or are cast to fp32 by PEFT's
    # `prepare_model_for_kbit_training`.
    tower = role.shape.tower
    linear = role.shape.linear_parameters + (tower.linear_parameters if tower else 0)
    if role.whole_experts:
        linear -= role.shape.expert_parameters
    ends = Bytes.of((role.parameters - away - linear) * role.end_bytes)
    return Bytes.of(linear * frozen) + ends + adapter


def megatron_shard(shape: Shape, layout: Layout) -> tuple[float, float]:
    """Parameters of the most loaded rank: those that every rank of a layer has, and experts.

    The first (or last) stage of the pipeline has one of the two ends; norms, routers and what
    stands beside the experts without being divided are on every tensor-parallel rank.
    """
    moe_layers = shape.experts.layers if shape.experts else 0
    norms = shape.norms * shape.norm
    whole = norms * shape.layers + shape.norm
    split = shape.every_attention + shape.mlp(shape.intermediate) * shape.dense_layers
    split += shape.beside
    if shape.experts:
        moe = shape.experts
        shared = shape.mlp(moe.shared) if moe.shared else 0
        split += shared * moe_layers
        whole += (shape.beside_experts - shared) * moe_layers
    ends = shape.ends if layout.pipeline == 1 else shape.embedding
    plain = (split / layout.pipeline + ends + shape.vision) / layout.tensor
    plain += whole / layout.pipeline
    experts = shape.expert_parameters / layout.pipeline
    return plain, experts / (layout.expert_tensor * layout.expert)


def _megatron(role: Role) -> States:
    plain, experts = megatron_shard(role.shape, role.layout)
    if role.head == "value" and not role.shape.tied and role.layout.pipeline == 1:
        plain -= role.shape.embedding / role.layout.tensor
    frozen = role.frozen_bytes if role.adapter and role.frozen_bytes else role.weight_bytes
    weights = Bytes.of((plain + experts) * frozen)
    if not role.trained:
        return States(weights, NOTHING, NOTHING, NOTHING)
    if role.adapter:
        parts = role.layout.tensor * role.layout.pipeline
        trained = role.adapter_parameters / parts
        of_experts = adapter_of_experts(role)
        return States(
            weights=weights + Bytes.of((trained + of_experts) * role.weight_bytes),
            gradients=Bytes.of((trained + of_experts) * role.gradient_bytes),
            optimizer=Bytes.of(trained * role.optimizer_bytes) / role.layout.replicas
            + Bytes.of(of_experts * role.optimizer_bytes) / role.layout.expert_data,
            step=NOTHING,
        )
    return States(
        weights=weights,
        gradients=Bytes.of((plain + experts) * role.gradient_bytes),
        optimizer=Bytes.of(plain * role.optimizer_bytes) / role.layout.replicas
        + Bytes.of(experts * role.optimizer_bytes) / role.layout.expert_data,
        step=NOTHING,
    )
