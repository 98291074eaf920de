"""Which path verl takes from hidden states to log-probabilities, by its flags.

Sources: `workers/actor/dp_actor.py` (`inplace_backward` unless an entropy is wanted),
`utils/torch_functional.py`, `workers/actor/megatron_actor.py` and
`workers/engine/megatron/transformer_impl.py` of verl 0.3 to 0.9.1.
"""

from __future__ import annotations

from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.settings import MemorySettings
from bot.memory.readers.verl.mtp import is_on
from bot.memory.workload import Backend

_ACTOR, _MODEL = "actor_rollout_ref.actor", "actor_rollout_ref.model"
_OFF = ("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE")
_LOSS = "distillation.distillation_loss"
TOP_K = "forward_kl_topk"
"""The loss of a distillation that needs the logits themselves."""


def _fused(get: MemorySettings, backend: Backend) -> bool:
    """Whether logits are never whole; Megatron's engine makes them for multi-token prediction."""
    fused = get.on(False, f"{_MODEL}.use_fused_kernels", f"{_ACTOR}.use_fused_kernels")
    return fused and not (backend == "megatron" and is_on(get, _MODEL))


def are_the_rollouts(get: MemorySettings) -> bool:
    """Whether the old ones are the engine's own, for which the actor makes no pass.

    `apply_bypass_mode` of verl's `trainer/ppo/rollout_corr_helper.py` (0.6.1 to 0.9.1).
    """
    return get.on(False, "algorithm.rollout_correction.bypass_mode")


def update(get: MemorySettings, backend: Backend, group: str, *, padded: float = 0.0) -> float:
    """Bytes a logit in the update, by the flags that choose its path.

    `padded` is the share of responses in a row, where rows are padded (see `_in_rows`). Up to 0.3
    the entropy is part of the loss even with a coefficient of 0.
    """
    coefficient = get.number(0.0, f"{_ACTOR}.entropy_coeff")
    entropy = coefficient != 0 or get.on(False, f"{_ACTOR}.calculate_entropy")
    entropy = entropy or not version_at_least(get.plan, 0, 4)
    chunked = get.on(False, *_either("entropy_from_logits_with_chunking", group))
    checkpointed = get.on(False, *_either("entropy_checkpointing", group))
    if _fused(get, backend):
        return constants.FUSED
    if backend == "megatron":
        return megatron(get.plan, entropy=entropy, chunked=chunked)
    whole = constants.ENTROPY_CHECKPOINTED if checkpointed else constants.ENTROPY_EAGER
    if padded:
        engine = version_at_least(get.plan, 0, 8)
        alone = constants.PADDED_ROWS if engine else constants.LOG_PROBS
        return max(alone, whole * _in_rows(get, padded) if entropy else 0.0)
    small = not entropy or chunked or _compiles(get, group)
    return packed(get, entropy=entropy) if small else whole


def distilled(get: MemorySettings, backend: Backend, *, computes: float) -> float:
    """Bytes a logit of the loss over the teacher's likeliest tokens; 0 without that loss.

    `compute_forward_kl_topk` of verl's `trainer/distillation` (0.8 to 0.9.1). Its other losses take
    log-probabilities alone. `computes` are the bytes of a number that passes through the layers.
    """
    chosen = get.on(False, "distillation.enabled") and get.text(f"{_LOSS}.loss_mode") == TOP_K
    if not chosen or _fused(get, backend):
        return 0.0
    if backend == "megatron":
        return constants.MEGATRON_DISTILLED
    rewarded = get.on(True, f"{_LOSS}.use_task_rewards")
    alone = not rewarded and not get.on(False, f"{_LOSS}.use_policy_gradient")
    # `distillation_only` leaves the log-probabilities out, which keep the logits, since 0.9.
    alone = alone and version_at_least(get.plan, 0, 9)
    chunked = get.on(False, f"{_LOSS}.use_chunked_topk")
    if computes >= 4:
        less = alone and not chunked
        return constants.DISTILLED_FP32_ALONE if less else constants.DISTILLED_FP32
    if chunked:
        return constants.DISTILLED_CHUNKED
    return constants.DISTILLED_ALONE if alone else constants.DISTILLED


def computed(each: float, backend: Backend, *, computes: float) -> float:
    """Bytes a logit of a path, `each` in bf16, where the model computes in another type.

    Copies that an eager entropy makes in fp32 stay as they are.
    """
    whole = (constants.ENTROPY_EAGER, constants.ENTROPY_CHECKPOINTED, constants.FUSED)
    if backend == "megatron" or each in whole:
        return each
    if each == constants.FORWARD_EAGER:
        return each + computes - constants.LOGITS
    return each * computes / 2


def packed(get: MemorySettings, *, entropy: bool = False) -> float:
    """Bytes a logit of rows without padding, their entropy compiled or in chunks.

    `logits_rmpad.div_(temperature)` up to 0.8, `logits_rmpad / temperature` in 0.9
    (`prepare_model_outputs`), which 0.9.1 leaves out at a temperature of 1: the loss then writes
    the gradient over the logits.
    """
    if not version_at_least(get.plan, 0, 9):
        return constants.PACKED
    if entropy:
        return constants.ENTROPY_PACKED
    alone = constants.LOGITS if _undivided(get) else constants.LOG_PROBS
    return alone + (constants.LOGITS if _without_kernel(get) else 0.0)


def _without_kernel(get: MemorySettings) -> bool:
    """Whether flash-attn, whose cross entropy is used where it is installed, seems not to be.

    Attention is flash-attn's unless a script says otherwise, which those do that have none. torch's
    log-softmax of each token is then there beside the logits (`logprobs_from_logits_v2`).
    """
    models = ("actor_rollout_ref.model", "model")
    named = {get.text(f"{model}.override_config.attn_implementation") for model in models}
    return bool(named & {"sdpa", "eager", "flex_attention"})


def _undivided(get: MemorySettings) -> bool:
    """Whether the logits are used as they are (`_scale_logits_by_temperature`)."""
    temperature = get.number(1.0, "actor_rollout_ref.rollout.temperature")
    return temperature == 1.0 and version_at_least(get.plan, 0, 9, 1)


def _in_rows(get: MemorySettings, responses: float) -> float:
    """Share of a padded row's logits that become log-probabilities and an entropy.

    Without `use_remove_padding` the entropy is never compiled nor chunked (`dp_actor.py`,
    `prepare_model_outputs` of the engine, which trains since 0.8). The former cuts the responses
    out, the latter takes whole rows.
    """
    return 1.0 if version_at_least(get.plan, 0, 8) else responses


def forward(
    get: MemorySettings, backend: Backend, group: str, *, entropy: bool, padded: float = 0.0
) -> float:
    """Bytes a logit of a pass without gradient; the reference's has no entropy since 0.4.

    Beside the cut of a padded row the whole of its logits stays.
    """
    entropy = entropy or (padded > 0 and not version_at_least(get.plan, 0, 4))
    compiled = _compiles(get, group)
    chunked = get.on(False, *_either("entropy_from_logits_with_chunking", group))
    if _fused(get, backend):
        return constants.FUSED
    if backend == "megatron":
        if not entropy:
            return constants.MEGATRON_FP32
        return megatron(get.plan, entropy=True, chunked=chunked)
    if padded and not entropy:
        return constants.FORWARD_LOG_PROBS
    if padded:
        beside = constants.FORWARD_EAGER - constants.LOGITS
        return constants.LOGITS + beside * _in_rows(get, padded)
    if entropy and not (compiled or chunked):
        return constants.FORWARD_EAGER
    copied = version_at_least(get.plan, 0, 9) and not _undivided(get)
    return constants.FORWARD_LOG_PROBS if copied else constants.FORWARD_PACKED


def megatron(plan: Plan, *, entropy: bool, chunked: bool = False) -> float:
    """Bytes of one of Megatron's logits, which verl takes in fp32.

    With an entropy (`logits_processor`) its softmax is beside them, since 0.6 a clone for the cross
    entropy too; in chunks (0.9) the clone alone. Without one, 0.6 divides them by the temperature,
    whose backward pass makes a second gradient.
    """
    if not version_at_least(plan, 0, 6):
        return constants.MEGATRON_ONE_COPY if entropy else constants.MEGATRON_FP32
    whole = entropy and not (chunked and version_at_least(plan, 0, 9))
    return constants.MEGATRON_TWO_COPIES if whole else constants.MEGATRON_ONE_COPY


def _compiles(get: MemorySettings, group: str) -> bool:
    """Whether `torch.compile` makes the entropy.

    Torch's own variables switch it off everywhere (`disable` of its `_dynamo/config.py`); Ray's
    workers have the environment of what starts them.
    """
    environment = get.plan.launch.command.environment
    off = any(word.text == "1" for name in _OFF if (word := environment.get(name)) is not None)
    return get.on(True, *_either("use_torch_compile", group)) and not off


def _either(name: str, group: str) -> tuple[str, ...]:
    """Where a switch may stand; VeOmni's engine looks at its own group alone."""
    if group == "veomni":
        return (f"{_ACTOR}.{group}.{name}",)
    return f"{_ACTOR}.{name}", f"{_ACTOR}.fsdp_config.{name}"
