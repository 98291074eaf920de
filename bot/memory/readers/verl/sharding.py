"""How verl spreads a model over GPUs, and what it keeps of it there, by its settings.

Shared by its trainers; a role's settings lie below a prefix of their own. FSDP's may lie below one
of two, since releases have renamed them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.expert_factors import expert_factors
from bot.memory.readers.settings import (
    ADAPTER_UNKNOWN,
    MemorySettings,
    NoEstimateError,
    indivisible,
    needed,
)
from bot.memory.readers.verl.fsdp_optimizer import with_optimizer
from bot.memory.workload import Adapter, Backend, Layout, Offload, Role

BYTES = {"fp32": 4.0, "float32": 4.0, "bf16": 2.0, "bfloat16": 2.0, "fp16": 2.0, "float16": 2.0}
"""Of a parameter, by its data type."""
_ON_HOST = 16.0
"""Bytes of a parameter that Megatron's optimizer keeps on the host."""
_OF_BRIDGE = {
    "linear_qkv": ("q_proj", "k_proj", "v_proj"),
    "linear_q": ("q_proj",),
    "linear_k": ("k_proj",),
    "linear_v": ("v_proj",),
    "linear_proj": ("o_proj",),
    "linear_fc1": ("gate_proj", "up_proj"),
    "linear_fc1_gate": ("gate_proj",),
    "linear_fc1_up": ("up_proj",),
    "linear_fc2": ("down_proj",),
}
"""Matrices of Megatron-Bridge by PEFT's names, as verl's `megatron_peft_utils.py` maps them."""
_BACKENDS: dict[str, Backend] = {
    "fsdp": "fsdp",
    "fsdp2": "fsdp2",
    "megatron": "megatron",
    # Both wrap the model with FSDP2: `workers/engine/veomni/transformer_impl.py` (which shards
    # experts over as many ranks as everything else, whatever their own size is) and
    # `workers/engine/fsdp/fsdp_turbo_impl.py`.
    "veomni": "fsdp2",
    "fsdp_turbo": "fsdp2",
}


def backend_of(strategy: str | None) -> Backend:
    """The backend that a strategy names, FSDP without one; raises NoEstimateError for others."""
    name = (strategy or "fsdp").lower()
    return needed(_BACKENDS.get(name), "The training backend {name} is not modelled.", name=name)


def adapter_of(plan: Plan, get: MemorySettings, model: str) -> Adapter | None:
    """The adapter that is trained on `model`'s settings; raises where it cannot be known."""
    if plan.adapter.value is None:
        raise NoEstimateError(ADAPTER_UNKNOWN, key=f"{model}.lora_rank=0")
    if not plan.adapter.value:
        return None
    bridge = (plan.adapter.key or "").endswith(".lora.rank")
    rank = get.whole(f"{model}.lora.rank" if bridge else f"{model}.lora_rank")
    if not rank:
        raise NoEstimateError("The rank of the adapter that is loaded is not known.")
    if rank < 0:
        raise NoEstimateError(
            "The rank of the adapter is {rank}; a positive one belongs there.", rank=rank
        )
    kind: Literal["lora", "dora"] = "dora" if plan.adapter.value == "dora" else "lora"
    targets = get.value(f"{model}.lora.target_modules" if bridge else f"{model}.target_modules")
    named = [str(t) for t in targets] if isinstance(targets, list) else []
    if bridge:
        named = [peft for name in named for peft in _OF_BRIDGE.get(name, (name,))]
    return Adapter(
        kind=kind,
        rank=rank,
        targets=frozenset(t for t in named if t.endswith("_proj")) or None,
        experts=_experts(get, f"{model}.lora") if bridge and kind == "lora" else "none",
        factors=None
        if bridge
        else expert_factors(
            get.value(f"{model}.target_parameters"),
            cached=version_at_least(plan, 0, 8),
            views=True,
        ),
    )


def critic_adapter(get: MemorySettings, model: str) -> Adapter | None:
    """The adapter that a critic trains by settings of its own; None without one.

    `lora_rank`, `lora_alpha` and `target_modules` below `critic.model` since 0.4 (verl's
    `workers/config/critic.py`; up to 0.7 `fsdp_workers.py` puts them into PEFT's configuration).
    """
    rank = get.whole(f"{model}.lora_rank") or 0
    if rank < 1:
        return None
    targets = get.value(f"{model}.target_modules")
    named = [str(target) for target in targets] if isinstance(targets, list) else []
    own = frozenset(name for name in named if name.endswith("_proj"))
    return Adapter(kind="lora", rank=rank, targets=own or None)


def _experts(get: MemorySettings, below: str) -> Literal["none", "rank", "each"]:
    """Megatron-Bridge's LoRA on the experts: one adapter for a rank, unless a setting differs.

    PEFT's, under FSDP, is not counted: whether it reaches the experts depends on the releases of
    PEFT and transformers, which no script names.
    """
    if get.value(f"{below}.exclude_modules"):
        return "none"
    return "rank" if get.on(True, f"{below}.share_expert_adapters") else "each"


@dataclass(frozen=True, slots=True)
class LayoutKeys:
    """Where the settings of a role's layout and states lie."""

    fsdp: tuple[str, ...]
    """Prefixes; releases have renamed some."""
    megatron: str
    """Prefix."""
    ulysses: tuple[str, ...]
    """Names of the size of sequence parallelism."""


def layout_of(
    get: MemorySettings,
    gpus: int,
    backend: Backend,
    keys: LayoutKeys,
    *,
    like: Layout | None = None,
) -> Layout:
    """How a role is spread; raises NoEstimateError for sizes that contradict each other.

    Megatron's sizes that are not set are those of `like`.
    """
    if backend == "megatron":
        return _megatron(get, gpus, keys.megatron, like or Layout(gpus=gpus))
    shard = get.whole(*_below(keys.fsdp, "fsdp_size"))
    shard = gpus if shard is None or shard < 1 or shard > gpus else shard
    sequence = get.size(*keys.ulysses)
    if gpus % shard:
        raise indivisible(gpus, message("fsdp_size {size}", size=shard))
    if gpus % sequence:
        raise indivisible(gpus, message("sequence parallelism {size}", size=sequence))
    return Layout(gpus=gpus, shard=shard, sequence=sequence)


def ulysses_of(get: MemorySettings, old: str, *new: str) -> tuple[str, ...]:
    """Of the names of a role's size those that the release reads.

    0.7 deprecates the old one, but its workers read nothing else (`verl/workers/fsdp_workers.py`),
    unless `trainer.use_legacy_worker_impl=disable` chooses the engines that 0.8 has left.
    """
    chosen = get.text("trainer.use_legacy_worker_impl") == "disable"
    if chosen or version_at_least(get.plan, 0, 8):
        return old, *new
    for unread in new:
        get.pass_over(unread)
    return (old,)


def expert_tensor_size(given: int | None, tensor: int) -> int:
    """Megatron's tensor-parallel size of experts: that of the rest for one that is not set.

    `initialize_model_parallel` refuses a number of GPUs that its product with the expert-parallel
    and the pipeline size does not divide.
    """
    return given or tensor


def _megatron(get: MemorySettings, gpus: int, below: str, like: Layout) -> Layout:
    def size(name: str, otherwise: int) -> int:
        key = f"{below}.{name}_parallel_size"
        # A null that was reached by a reference is a text.
        return otherwise if get.value(key) in (None, "None", "null") else get.size(key)

    tensor = size("tensor_model", like.tensor)
    pipeline = size("pipeline_model", like.pipeline)
    context = size("context", like.context)
    expert = size("expert_model", like.expert)
    like_each = None if like.tensor == 1 else like.expert_tensor
    each = size("expert_tensor", expert_tensor_size(like_each, tensor))
    if gpus % (tensor * pipeline * context):
        raise indivisible(
            gpus,
            message(
                "tensor {tensor} × pipeline {pipeline} × context {context} = {product}",
                tensor=tensor,
                pipeline=pipeline,
                context=context,
                product=tensor * pipeline * context,
            ),
        )
    if gpus % (each * expert * pipeline):
        raise indivisible(
            gpus,
            message(
                "expert {expert} × expert tensor {each} × pipeline {pipeline} = {product} (an "
                "expert tensor size that is not set is the tensor-parallel size, {tensor})",
                expert=expert,
                each=each,
                pipeline=pipeline,
                tensor=tensor,
                product=each * expert * pipeline,
            ),
        )
    return Layout(
        gpus=gpus,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=expert,
        expert_tensor=each,
    )


def recomputed(role: Role, get: MemorySettings, below: str, *, plan: Plan) -> Role:
    """A role of Megatron with its activations recomputed, or kept, as its settings say."""
    config = f"{below}.override_transformer_config"
    granularity = get.value(f"{config}.recompute_granularity")
    method = get.value(f"{config}.recompute_method")
    layers = get.whole(f"{config}.recompute_num_layers")
    modules = get.value(f"{config}.recompute_modules")
    if granularity == "full":
        return replace(
            role,
            checkpointing=True,
            recompute="block" if method == "block" else "uniform",
            recompute_layers=max(1, layers or 1),
        )
    if granularity == "selective" and isinstance(modules, list):
        role = replace(role, recompute_modules=frozenset(map(str, modules)))
    if version_at_least(plan, 0, 5) or granularity is not None:
        return replace(role, checkpointing=False)
    return role


def states(get: MemorySettings, role: Role, keys: LayoutKeys, *, plan: Plan) -> Role:
    """A role with the bytes of its states and where they wait."""
    fsdp, megatron = keys.fsdp, keys.megatron
    if role.backend == "megatron":
        optimizer = f"{megatron.removesuffix('.megatron')}.optim"
        if not megatron.endswith(".megatron"):
            optimizer = "optim"  # The settings of fine-tuning stand beside those of its engine.
        moved = _idle(get, f"{megatron}.optimizer_offload")
        on_gpu, on_host = _megatron_optimizer(get, optimizer, moved=moved != "none")
        return replace(
            role,
            weight_bytes=2.0,
            gradient_bytes=4.0 if _fp32_reduction(get, megatron) else 2.0,
            optimizer_bytes=on_gpu,
            optimizer_host_bytes=on_host,
            step_bytes=0.0,
            weights_offload=_idle(get, f"{megatron}.param_offload"),
            gradients_offload=_megatron_gradients(get, megatron, plan),
            optimizer_offload=moved,
        )
    dtype = get.text(*_below(fsdp, "model_dtype")) or "fp32"
    if plan.train.value == "veomni":
        # VeOmni loads in fp32 where it computes in mixed precision, else in bf16.
        dtype = "fp32" if get.on(True, *_below(fsdp, "mixed_precision")) else "bf16"
    each = needed(BYTES.get(dtype.lower()), "The data type {dtype} is not known.", dtype=dtype)
    always = get.on(False, *_below(fsdp, "offload_policy"), *_below(fsdp, "enable_fsdp_offload"))
    always = always and role.backend == "fsdp2"
    weights = _idle(get, *_below(fsdp, "param_offload"))
    # verl 0.1 and 0.2 free the gradients after a step, before this could move them (`update_policy`
    # and `update_critic` end with `zero_grad`).
    get.on(False, *_below(fsdp, "grad_offload"))
    optimizer_state = _idle(get, *_below(fsdp, "optimizer_offload"))
    computes = computed_in(get, fsdp, plan)
    role = replace(
        role,
        compute_bytes=computes,
        residual_bytes=computes,
        weight_bytes=each,
        gradient_bytes=each,
        reshard=get.on(True, *_below(fsdp, "reshard_after_forward")),
        unsharded_gradient_bytes=_unsharded(get, role.backend, fsdp, plan),
        frozen_copy_bytes=constants.FROZEN_COPY if role.backend == "fsdp" and each > 2 else 0.0,
        weights_offload="always" if always else weights,
        gradients_offload="always" if always else "none",
        optimizer_offload="always" if always else optimizer_state,
    )
    return with_optimizer(role, get, fsdp[0])


def computed_in(get: MemorySettings, fsdp: Sequence[str], plan: Plan) -> float:
    """Bytes of a number that FSDP computes with, by `mixed_precision.param_dtype` of a role.

    bf16 without it. fp32 turns autocast off since 0.8 (`_autocast_dtype` of the engine's
    `forward_step`); releases before cast to bf16 all the same, so that it stays unread.
    """
    if not version_at_least(plan, 0, 8):
        return 2.0
    for key in ("", ".reduce_dtype", ".buffer_dtype"):  # Reduced are a layer's at a time.
        get.value(*_below(fsdp, f"mixed_precision{key}"))
    name = get.text(*_below(fsdp, "mixed_precision.param_dtype")) or "bf16"
    return needed(BYTES.get(name.lower()), "The data type {dtype} is not known.", dtype=name)


def _fp32_reduction(get: MemorySettings, megatron: str) -> bool:
    """Whether Megatron's gradient buffer is in fp32, as verl has it unless it is overridden."""
    return get.on(True, f"{megatron}.override_ddp_config.grad_reduce_in_fp32")


def _megatron_optimizer(get: MemorySettings, optimizer: str, *, moved: bool) -> tuple[float, float]:
    """Bytes of a parameter that Megatron's optimizer keeps on the GPU and on the host.

    12: the fp32 copy and two moments. With `use_precision_aware_optimizer` each moment is of its
    own type, and of the copy only the 16 bits are kept that the bf16 weight lacks
    (`store_param_remainders` of `core/optimizer/optimizer_config.py`). With
    `optimizer_cpu_offload` the share `optimizer_offload_fraction` is on the host in fp32: the copy,
    two moments and a gradient (`core/optimizer/cpu_offloading/hybrid_optimizer.py`); unless the
    optimizer is precision-aware, the copy that they are made from stays on the GPU, too
    (`shard_main_param` of `core/optimizer/distrib_optimizer.py`). What becomes
    of the other share where verl moves states to the host and back (`moved`) is not known: a public
    run held weights and gradients alone (verl-ascend-recipe's router_replay, 43.5 GiB).
    """
    fraction = f"{optimizer}.override_optimizer_config.optimizer_offload_fraction"

    def value(name: str) -> str | None:
        return get.text(f"{optimizer}.override_optimizer_config.{name}", f"{optimizer}.{name}")

    def on(name: str) -> bool:
        return get.on(False, f"{optimizer}.override_optimizer_config.{name}", f"{optimizer}.{name}")

    moments = [value("exp_avg_dtype"), value("exp_avg_sq_dtype")]
    share = get.number(0.0, fraction)
    share = share if on("optimizer_cpu_offload") else 0.0
    if moved and 0 < share < 1:
        get.doubt(fraction)
    each, copied_from = 12.0, 4.0
    if on("use_precision_aware_optimizer"):
        each, copied_from = 2.0 + sum(_moment_bytes(dtype) for dtype in moments), 0.0
    share = min(1.0, max(0.0, share))
    return each * (1.0 - share) + copied_from * share, _ON_HOST * share


def _moment_bytes(dtype: str | None) -> float:
    name = (dtype or "fp32").lower().removeprefix("torch.")
    return 1.0 if "8" in name else BYTES.get(name, 4.0)


def _unsharded(get: MemorySettings, backend: Backend, fsdp: Sequence[str], plan: Plan) -> float:
    """Bytes of a gradient that waits whole until the last micro batch; 0 where none does.

    0.9.0 always defers the reduction (#7095), 0.9.1 where `use_no_sync_for_gradient_accumulation`
    is on, which its YAML leaves off (#7458); earlier releases reduce after each micro batch.
    """
    deferred = get.value(*_below(fsdp, "use_no_sync_for_gradient_accumulation"))
    if deferred is None:
        deferred = plan.configuration.release == "0.9.0"
    return (4.0 if backend == "fsdp2" else 2.0) if deferred else 0.0


def retains_embeddings(get: MemorySettings, plan: Plan, role: Role) -> bool:
    """Whether a step's micro batches keep their embeddings until its last one is done.

    verl's FSDP engine collects each micro batch's log-probabilities with their graph (fixed in
    0.9.0: #6698, #6984), which holds the embedding's output, a leaf below PEFT's
    `enable_input_require_grads`, and its gradient. The engine trains by reinforcement since 0.8 (in
    0.7 with `trainer.use_legacy_worker_impl=disable`), in `sft_trainer.py` since 0.6.
    """
    if role.adapter is None or role.backend == "megatron" or version_at_least(plan, 0, 9):
        return False
    if plan.algorithm.value == "sft":
        return plan.launch.entry.endswith("sft_trainer") and "fsdp_sft" not in plan.launch.entry
    since = get.text("trainer.use_legacy_worker_impl") == "disable"
    return version_at_least(plan, 0, 8) or (since and version_at_least(plan, 0, 7))


def _below(prefixes: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{name}" for prefix in prefixes)


def _megatron_gradients(get: MemorySettings, megatron: str, plan: Plan) -> Offload:
    """Where Megatron's gradient buffers are while another role works.

    Since verl 0.4 they are freed with the weights, whatever `grad_offload` says
    (`offload_megatron_model_to_cpu` of verl/utils/megatron_utils.py), before by that setting
    (`offload_megatron_param_and_grad`); 0.9.1 has no such setting any more.
    """
    by_setting = _idle(get, f"{megatron}.grad_offload")
    with_weights = _idle(get, f"{megatron}.param_offload")
    return with_weights if version_at_least(plan, 0, 4) else by_setting


def _idle(get: MemorySettings, *keys: str) -> Offload:
    return "idle" if get.on(False, *keys) else "none"
