"""RLB062: a LoRA rank that vLLM cannot serve."""

from __future__ import annotations

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.verl import LIMITS, ROLLOUT, trainers

_RANK = "actor_rollout_ref.model.lora_rank"
_LARGEST = 512

META = Meta(
    id="RLB062",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="lora_rank is above 512, the largest rank that vLLM serves.",
    why="verl looks for the next rank that vLLM allows and stops with a ValueError.",
    instead="Use a rank of 512 or less; 32 to 128 is usual.",
    limits=f"{LIMITS} Not checked before verl 0.6.1, nor for Megatron's own LoRA (lora.rank).",
    source=(
        "get_vllm_max_lora_rank in verl/workers/rollout/vllm_rollout/utils.py (since 0.6.1), "
        "called by validate_config"
    ),
    example=Example(
        bad=verl(f"{_RANK}=1024"),
        good=verl(f"{_RANK}=128"),
        path="examples/tuning/7b/qwen2.5-7b_grpo-lora_8_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """Verl's check of the rank."""
    for values in trainers(context):
        rank = values.number(_RANK)
        vllm = values.text(f"{ROLLOUT}.name") == "vllm"
        if rank and rank > _LARGEST and vllm and version_at_least(values.plan, 0, 6, 1):
            yield hit(
                values.place(_RANK),
                "lora_rank {rank} is above {largest}, the largest that vLLM serves",
                rank=rank,
                largest=_LARGEST,
                help=message("use {key}={largest} or less", key=_RANK, largest=_LARGEST),
            )
