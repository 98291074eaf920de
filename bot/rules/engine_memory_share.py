"""RLB075: a share of memory for the engine that leaves too little, or uses too little."""

from __future__ import annotations

from bot.frameworks.plan_values import PlanValues
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, adapter_trained, advised, tag
from bot.rules._support.verl import ACTOR, ROLLOUT, is_fsdp

_KEY = f"{ROLLOUT}.gpu_memory_utilization"

META = Meta(
    id="RLB075",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="gpu_memory_utilization is outside of the range that the guide advises.",
    why=(
        "Of the card's TOTAL memory vLLM takes this share; parameters and optimizer states that "
        "are not offloaded stay beside it. SGLang takes it of what is FREE, for weights and cache "
        "alone, and needs the rest while it generates."
    ),
    instead="Use 0.5 to 0.7; more only with param_offload and optimizer_offload.",
    limits=(
        "Above 0.7 only for full fine-tuning with FSDP whose parameters or optimizer stay on the "
        "GPU, and above 0.85 for SGLang. Below 0.5 only for a script tagged RECOMMENDED."
    ),
    source=f"{GUIDE}, section on rollout generation",
    example=Example(bad=verl(f"{_KEY}=0.9"), good=verl(f"{_KEY}=0.6")),
)


def check(context: RuleContext) -> Hits:
    """Compare the share with the guide's range."""
    for values in advised(context):
        found = values.get(_KEY)
        share = found.value if found else None
        if not isinstance(share, (float, int)) or isinstance(share, bool):
            continue
        engine = values.text(f"{ROLLOUT}.name")
        staying = _staying(values)
        if engine == "vllm" and share > 0.7 and staying:
            yield hit(
                values.place(_KEY),
                "gpu_memory_utilization {share} of the whole card, while {what} on the GPU",
                share=share,
                what=staying,
                help=message("use 0.5 to 0.7, or offload them"),
            )
        elif engine == "sglang" and share > 0.85:
            yield hit(
                values.place(_KEY),
                "SGLang takes {share} of the free memory for weights and cache alone, and "
                "needs more while it generates",
                share=share,
                help=message("use 0.85 or less"),
            )
        elif engine == "vllm" and share < 0.5 and tag(context) == "RECOMMENDED":
            yield hit(
                values.place(_KEY),
                "gpu_memory_utilization {share} leaves the engine a small cache, which slows "
                "generation",
                share=share,
                help=message("try 0.5 to 0.7"),
            )


def _staying(values: PlanValues) -> str:
    """What stays on the GPU during generation, in words; "" for nothing or not known."""
    if adapter_trained(values.plan) is not False or not is_fsdp(values):
        return ""
    config = f"{ACTOR}.fsdp_config"
    parameters = values.flag(f"{config}.param_offload")
    optimizer = values.flag(f"{config}.optimizer_offload")
    if None in (parameters, optimizer) or values.flag(f"{config}.offload_policy"):
        return ""
    if not parameters and not optimizer:
        return message("parameters and optimizer states stay")
    if not optimizer:
        return message("optimizer states stay")
    return message("parameters stay") if not parameters else ""
