"""RLB077: a small model generates on many GPUs together."""

from __future__ import annotations

from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.rules._support.tuning import FAST, GUIDE, NOT_MIN, advised, billions, card
from bot.rules._support.verl import ROLLOUT

_KEY = f"{ROLLOUT}.tensor_model_parallel_size"

META = Meta(
    id="RLB077",
    severity="note",
    confidence="medium",
    added_in="0.1.0",
    summary="The rollout's tensor parallel size is larger than the weights need.",
    why=(
        "A smaller tensor-parallel size gives more engines side by side, which together generate "
        "faster than one that has to communicate at every layer."
    ),
    instead="Halve the tensor-parallel size while the weights fit.",
    limits=(
        "Reported when the bf16 weights would take at most a quarter of a card at half the size: "
        "of the card in the name, else of one with 80 GB. The model's size is read from its name. "
        f"{NOT_MIN}"
    ),
    source=f"{GUIDE}, section on rollout generation; section 8.4 of arXiv:2409.19256",
    example=Example(bad=verl(f"{_KEY}=4"), good=verl(f"{_KEY}=1")),
)


def check(context: RuleContext) -> Hits:
    """Compare the weights at half the size with a quarter of the card."""
    for values in advised(context, FAST):
        size, parameters = values.number(_KEY), billions(values.plan.model.value)
        if not size or size < 2 or size % 2 or not parameters:
            continue
        if values.text(f"{ROLLOUT}.name") not in ("vllm", "sglang"):
            continue
        device = card(context)
        weights = parameters * 2e9 / (size // 2) / 2**30
        if weights <= (device.memory_gib if device else 74.5) / 4:
            yield hit(
                values.place(_KEY),
                "tensor-parallel size {size} for {parameters} B parameters: at {half} the "
                "weights take {weights} GiB a GPU",
                size=size,
                parameters=f"{parameters:g}",
                half=size // 2,
                weights=f"{weights:.1f}",
                help=message(
                    "try {key}={half}: more engines side by side", key=_KEY, half=size // 2
                ),
            )
