"""RLB081: FSDP waits for weights that it could fetch ahead."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.messages import message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl
from bot.rules._support.tuning import GUIDE, RECOMMENDED_ONLY, RECOMMENDED_ONLY_ZH, advised
from bot.rules._support.verl import ACTOR, gpus

_KEY = f"{ACTOR}.fsdp_config.forward_prefetch"

META = Meta(
    id="RLB081",
    slug="forward-prefetch",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="A script tagged RECOMMENDED leaves forward_prefetch off.",
    why=(
        "With it FSDP gathers the next layer's weights while the current one computes, so that "
        "communication hides behind computation."
    ),
    instead=f"Set {_KEY}=True.",
    limits=f"{RECOMMENDED_ONLY} FSDP on more than one GPU; it is no option of Megatron.",
    source=f"{GUIDE}, section on forward prefetch",
    example=Example(
        bad=verl(before="# tag: RECOMMENDED"),
        good=verl(f"{_KEY}=True", before="# tag: RECOMMENDED"),
    ),
    zh=Chinese(
        summary="标记为 RECOMMENDED 的脚本没有启用 forward_prefetch。",
        why="启用后 FSDP 在计算当前层的同时收集下一层的权重，使通信被计算掩盖。",
        instead=f"设置 {_KEY}=True。",
        limits=f"{RECOMMENDED_ONLY_ZH}只用于多于一张 GPU 的 FSDP；Megatron 没有此选项。",
        sentences={
            "tagged RECOMMENDED, but FSDP's forward_prefetch is off": (
                "标记为 RECOMMENDED，但 FSDP 的 forward_prefetch 未启用"
            ),
            "set {key}=True": "设置 {key}=True",
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit]:
    """FSDP launches without it."""
    for values in advised(context, ("RECOMMENDED",)):
        fsdp = values.text(f"{ACTOR}.strategy") in ("fsdp", "fsdp2")
        if fsdp and (gpus(values) or 1) > 1 and values.flag(_KEY) is False:
            yield Hit(
                message=message("tagged RECOMMENDED, but FSDP's forward_prefetch is off"),
                span=values.place(_KEY),
                help=message("set {key}=True", key=_KEY),
            )
