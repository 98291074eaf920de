"""RLB082: the frozen base of LoRA is kept in fp32."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import adapter_trained, advised, gib, sized
from bot.rules._support.verl import ACTOR, is_fsdp

_KEY = f"{ACTOR}.fsdp_config.model_dtype"
_LORA = "actor_rollout_ref.model.lora_rank=32"

META = Meta(
    id="RLB082",
    severity="note",
    confidence="high",
    added_in="0.1.0",
    summary="LoRA is trained on a base that FSDP keeps in fp32.",
    why=(
        "The base is frozen: no update needs its precision. In bf16 it takes half the memory, "
        "which is the largest saving that scripts with LoRA leave unused."
    ),
    instead=f"Set {_KEY}=bf16.",
    limits=(
        "FSDP, since verl 0.6.0, which has the setting. The saving counts the parameters in the "
        "model's name over the GPUs."
    ),
    source=(
        "verl/trainer/config/engine/fsdp.yaml: model_dtype is fp32 by default; "
        "FSDPEngine._build_module in verl/workers/engine/fsdp/transformer_impl.py loads it so"
    ),
    example=Example(
        bad=verl(_LORA),
        good=verl(_LORA, f"{_KEY}=bf16"),
        path="examples/tuning/7b/qwen2.5-7b_grpo-lora_8_h100_fsdp_vllm.sh",
    ),
)


def check(context: RuleContext) -> Hits:
    """LoRA launches whose base is fp32."""
    for values in advised(context):
        lora = is_fsdp(values) and adapter_trained(values.plan)
        if not lora or values.text(_KEY) != "fp32":
            continue
        known = sized(values)
        yield hit(
            values.place(_KEY, "actor_rollout_ref.model.lora_rank"),
            "LoRA's frozen base is kept in fp32{default}{saving}",
            default="" if values.plan.last(_KEY) else message(", the default"),
            saving=message("; bf16 would save {gib} GiB a GPU", gib=gib(known[0], 2, known[1]))
            if known
            else "",
            help=message("set {key}=bf16", key=_KEY),
        )
