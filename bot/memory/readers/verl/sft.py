"""verl's supervised fine-tuning to a workload.

Sources: `verl/trainer/fsdp_sft_trainer.py` up to 0.7 (settings below `model.fsdp_config`, padded
batches), and `verl/trainer/sft_trainer.py` with `verl/workers/engine/` since (settings below
`engine`, packed batches).
"""

from __future__ import annotations

from dataclasses import replace

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan import Plan
from bot.memory import constants
from bot.memory.readers.lengths import (
    Lengths,
    Measured,
    balanced_passes,
    batch_tokens,
    other_tokens,
    packed_tokens,
    sample_lengths,
)
from bot.memory.readers.settings import (
    MODEL_UNKNOWN,
    NOT_KNOWN,
    MemorySettings,
    assumed_mean,
    needed,
    release_assumption,
)
from bot.memory.readers.verl import log_probs, mtp
from bot.memory.readers.verl.passes import spread_by
from bot.memory.readers.verl.sharding import (
    LayoutKeys,
    adapter_of,
    backend_of,
    layout_of,
    recomputed,
    retains_embeddings,
    states,
)
from bot.memory.shapes.models import FindModel
from bot.memory.workload import Layout, Pool, Role, Tokens, Workload

_FSDP = "model.fsdp_config"
_KEYS = LayoutKeys(
    fsdp=("engine", _FSDP),
    megatron="engine",
    ulysses=(
        "engine.ulysses_sequence_parallel_size",
        "engine.ulysses_parallel_size",
        "ulysses_sequence_parallel_size",
    ),
)


def read(
    get: MemorySettings,
    model: FindModel,
    run: Measured | None = None,
    gpus: int | None = None,
) -> Workload:
    """The workload of a plan; raises NoEstimateError with what is missing or contradictory.

    `gpus` counts where the launcher takes them from a variable.
    """
    plan = get.plan
    total = needed(
        plan.gpus.value or gpus,
        "The number of GPUs is not known: verl's fine-tuning takes as many as torchrun is told to "
        "start, which this launch does not say.",
    )
    path = needed(
        plan.model.value or get.text("model.path", "model.partial_pretrain"),
        MODEL_UNKNOWN,
        key="model.path",
    )
    backend = backend_of(plan.train.value)
    layout = layout_of(get, total, backend, _KEYS)
    longest = needed(get.length("data.max_length"), NOT_KNOWN, key="data.max_length")
    packed = get.on(False, "model.use_remove_padding", "use_remove_padding")
    batch = _micro_batch(get, sample_lengths(longest, run), layout, packed=packed)
    of = batch.lengths
    role = Role(
        name="actor",
        shape=model(path).shape,
        head="language",
        trained=True,
        backend=backend,
        layout=layout,
        adapter=adapter_of(plan, get, "model"),
        checkpointing=get.on(False, "model.enable_gradient_checkpointing"),
        activation_offload=get.on(False, "model.enable_activation_offload"),
        # Without its loss: `fused_linear_cross_entropy=False` in the engines.
        fused_layers=get.on(False, "model.use_liger"),
        update=_positive(batch.tokens),
        accumulates=not batch.whole,
        update_logits=_logits(plan, get, copied=not packed and batch.rows > 1),
    )
    if backend == "megatron":
        role = recomputed(role, get, "engine", plan=plan)
    if retains_embeddings(get, plan, role):
        over = layout.sequence * layout.context
        role = replace(role, retained=other_tokens(batch.tokens, batch.samples, of, over=over))
    role = states(get, role, _KEYS, plan=plan)
    host = get.all_on(False, f"{_FSDP}.cpu_offload", f"{_FSDP}.offload_params")
    if host and backend == "fsdp":
        # `CPUOffload`. FSDP2 is given the same, which is no policy of its own.
        role = replace(
            role, weights_offload="always", gradients_offload="always", optimizer_offload="always"
        )
    elif host:
        get.doubt(f"{_FSDP}.cpu_offload")
    logits = log_probs.computed(role.update_logits, backend, computes=role.compute_bytes)
    role = mtp.with_mtp(replace(role, update_logits=logits), get, "model")
    assumptions = [*mtp.assumed(get, "model", backend)]
    assumptions.append(release_assumption("verl", plan.configuration.release))
    if packed and not of.measured:
        assumptions.insert(0, assumed_mean(of.mean))
    return Workload(
        framework="verl sft" if _old(plan) else "verl engine",
        pools=(Pool(name="training", gpus=total, roles=(role,)),),
        gpus_per_node=plan.gpus_per_node.value or total,
        assumptions=tuple(assumptions),
        prompt_mean=of.before_response,
        sequence_mean=of.mean,
        measured=of.measured,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _MicroBatch:
    """A pass of one GPU, and the batch that it is a part of."""

    tokens: Tokens
    lengths: Lengths
    rows: int
    """Samples of a pass; 1 where they are packed up to a number of tokens."""
    samples: int
    """Samples of a step."""
    whole: bool
    """Whether the pass is the whole step."""


def _micro_batch(get: MemorySettings, of: Lengths, layout: Layout, *, packed: bool) -> _MicroBatch:
    over = layout.sequence * layout.context
    ranks = max(1, layout.gpus // (over * layout.tensor * layout.pipeline))
    samples = -(-(get.count("data.train_batch_size") or 1) // ranks)
    limit = get.limit("data.max_token_len_per_gpu")
    if get.on(False, "data.use_dynamic_bsz") and limit:
        tokens = packed_tokens(limit, samples, of, over=over, spread=spread_by(get.plan))
        whole = balanced_passes(limit, samples, of, over=over) == 1
        return _MicroBatch(tokens=tokens, lengths=of, rows=1, samples=samples, whole=whole)
    plan, given = get.plan, get.count("data.micro_batch_size_per_gpu", "data.micro_batch_size")
    # Where the plan does not know the GPUs, it cannot share out those of all (verl 0.1).
    rows = needed(
        given and (plan.micro_batch_size_per_gpu.value or max(1, given // layout.gpus)),
        NOT_KNOWN,
        key="data.micro_batch_size_per_gpu",
    )
    rows = max(1, min(rows, samples))
    if _old(plan) and not packed:
        of = replace(of, samples=0)
    tokens = batch_tokens(rows, of, over=over, padded=not packed)
    return _MicroBatch(tokens=tokens, lengths=of, rows=rows, samples=samples, whole=rows >= samples)


def _old(plan: Plan) -> bool:
    """Whether it is the trainer before the engines'.

    It pads its data to `data.max_length` (`sft_dataset.py`, `multiturn_sft_dataset.py` of 0.1 to
    0.7).
    """
    return "fsdp_sft" in plan.launch.entry


def _logits(plan: Plan, get: MemorySettings, *, copied: bool) -> float:
    """Bytes a logit: the engines share PPO's log-probabilities.

    The old trainer's loss is its own, outside the model, so that Liger's fused one is not used. It
    calls `backward` where the logits still have names, and where padded sequences leave a copy
    without their last tokens (`_compute_loss_and_backward` of `fsdp_sft_trainer.py`).
    """
    if _old(plan):
        held = constants.LOGITS * (2 if copied else 1)
        return constants.LOG_SOFTMAX_FP32 + held
    if get.on(False, "model.use_fused_kernels"):
        return constants.FUSED
    if plan.train.value == "megatron":
        return log_probs.megatron(plan, entropy=False)
    return log_probs.packed(get)


def _positive(tokens: Tokens) -> Tokens:
    return replace(
        tokens,
        floor=max(1, tokens.floor),
        expected=max(1, tokens.expected),
        conservative=max(1, tokens.conservative),
    )
