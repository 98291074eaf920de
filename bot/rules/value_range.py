"""RLB035: a number that cannot be meant: a share above one, a negative size, a rate of 1e6."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.report import Severity
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown
from bot.rules._support.openrlhf import ACTOR_GPUS, ACTOR_NODES, BATCH, ROLLOUT_BATCH, SAMPLES
from bot.rules._support.verl import ACTOR, ENTRY, ESTIMATORS, ROLLOUT

META = Meta(
    id="RLB035",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="A number lies outside of the range that the setting can have.",
    why="The framework, or the engine below it, stops; or it trains with what nobody meant.",
    instead="Write a number of the range that the message names.",
    limits=(
        "Learning rates above 0.1 are a warning. The discount of an estimator that verl does not "
        "have is left alone. Sizes of -1 and 0 are left alone where they are "
        "in use for none or all: they are reported of the prompts' and responses' lengths, the "
        "responses a prompt, the mini batch, the engine's parallel size and the trainer's GPUs "
        "of `verl.trainer.main_ppo`, and of the batches, samples and the actor's GPUs of OpenRLHF."
    ),
    source=(
        "vLLM's CacheConfig (gpu_memory_utilization in (0, 1]), torch.optim (lr, betas), "
        "vllm.SamplingParams (top_p, temperature), the data-parallel groups of torch.distributed, "
        "DeepSpeed's ZeroStageEnum (stages 0 to 3)"
    ),
    example=Example(
        bad=verl("actor_rollout_ref.rollout.gpu_memory_utilization=6"),
        good=verl("actor_rollout_ref.rollout.gpu_memory_utilization=0.6"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Range:
    low: float
    high: float = inf
    open_below: bool = False
    """Whether `low` itself lies outside."""
    severity: Severity | None = None


_SHARE: Final = _Range(0, 1, open_below=True)
_PART: Final = _Range(0, 1)
_RATE: Final = _Range(0, 0.1, severity="warning")
_ONE_OR_MORE: Final = _Range(1)
_DISCOUNT: Final = frozenset(("gamma", "lam", "lambd", "gae_lambda"))
_COUNTS: Final = (
    *("n_gpus_per_node", "nnodes", "num_nodes", "num_gpus_per_node"),
    *("n_samples_per_prompt", "num_generations"),
    *(
        f"{sort}{along}{model}_parallel_size"
        for sort in ("", "ulysses_", "expert_", "virtual_")
        for along in ("tensor", "pipeline", "sequence", "context", "expert", "data")
        for model in ("", "_model")
    ),
    *(
        f"{of}_batch_size{each}"
        for of in (
            *("train", "ppo_mini", "ppo_micro", "mini", "micro", "rollout", "micro_rollout"),
            *("micro_train", "per_device_train", "log_prob_micro", "gen"),
        )
        for each in ("", "_per_gpu")
    ),
    *(
        f"max_{of}{length}"
        for of in (
            *("prompt", "response", "completion", "new_tokens", "num_batched_tokens"),
            *("length", "len"),
        )
        for length in ("", "_length", "_len")
    ),
)
_RANGES: Final[Mapping[str, _Range]] = {
    "gpu_memory_utilization": _SHARE,
    "vllm_gpu_memory_utilization": _SHARE,
    "mem_fraction_static": _SHARE,
    "top_p": _SHARE,
    **{
        f"{of}{name}": _RATE for of in ("", "actor_", "critic_") for name in ("lr", "learning_rate")
    },
    **{f"{of}warmup{by}_ratio": _PART for of in ("", "lr_") for by in ("", "_steps")},
    **dict.fromkeys(_DISCOUNT, _PART),
    "temperature": _Range(0, 10),
    "zero_stage": _Range(0, 3),
    **dict.fromkeys(_COUNTS, _ONE_OR_MORE),
}
"""By the last part of a key."""
_POSITIVE: Final = frozenset(
    (
        "data.max_prompt_length",
        "data.max_response_length",
        "trainer.n_gpus_per_node",
        "trainer.nnodes",
        f"{ACTOR}.ppo_mini_batch_size",
        f"{ROLLOUT}.n",
        f"{ROLLOUT}.val_kwargs.n",
        f"{ROLLOUT}.tensor_model_parallel_size",
        *ACTOR_GPUS,
        *ACTOR_NODES,
        *BATCH,
        *ROLLOUT_BATCH,
        *SAMPLES,
    )
)
"""Settings of which -1 and 0 stop the run, and are in use for nothing."""


def check(context: RuleContext) -> Hits:
    """Compare each number with the range of its setting."""
    for plan in context.plans:
        for setting in plan.settings:
            bounds = _outside(plan, setting)
            if bounds is None:
                continue
            yield Hit(
                message=_problem_text(shown(plan, setting.key), setting.text, bounds),
                span=setting.value_span,
                severity=bounds.severity,
            )


def _outside(plan: Plan, setting: Setting) -> _Range | None:
    value = setting.value
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    if value in (0, -1):
        checked = plan.framework == "openrlhf" or plan.launch.entry == ENTRY
        return _ONE_OR_MORE if checked and setting.key in _POSITIVE else None
    name = setting.key.rsplit(".", 1)[-1].replace("-", "_")
    bounds = _RANGES.get(name)
    if bounds is None or (bounds.high == inf and isinstance(value, float)):
        return None  # A fraction of a count is another rule's.
    if name in _DISCOUNT and plan.framework == "verl" and _has_own_estimator(plan):
        return None
    inside = bounds.low <= value <= bounds.high and not (bounds.open_below and value == bounds.low)
    return None if inside else bounds


def _has_own_estimator(plan: Plan) -> bool:
    """Whether the estimator is a fork's, which may mean something else by a discount."""
    return plan.algorithm.value not in (None, *ESTIMATORS)


def _problem_text(key: str, value: str, bounds: _Range) -> Message:
    low, high = f"{bounds.low:g}", f"{bounds.high:g}"
    if bounds.high == inf:
        return message(
            "{key} is {value}, where {low} or more belongs", key=key, value=value, low=low
        )
    return message(
        "{key} is {value}, where a number from {low} to {high} belongs",
        key=key,
        value=value,
        low=low,
        high=high,
    )
