"""The memory options of each framework, in the order of what they cost in time, and why.

The order follows the frameworks' own tuning guides: what costs nothing first, then what repeats
work, then more and smaller passes, then traffic over PCIe, then traffic between GPUs in each layer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import gcd, lcm
from pathlib import Path

from bot.base.messages import message
from bot.memory.shapes.mixers import Mamba, ShortConvolution
from bot.recommend.request import Candidate, MegatronLayout, Request

Step = tuple[str, int]
"""An option and its value, as in `Candidate.options`."""
SHARES = (0.6, 0.4, 0.3)
"""Shares of a card that the engine may have, the fastest first."""
MICRO = 8
"""Sequences of a pass before anything is saved."""

ON_HOST = frozenset({"sleep", "ref-offload", "offload", "cpu-optimizer"})
"""Options by which something waits on the host."""
_ORDER: tuple[Step, ...] = (
    ("bf16", 1),
    ("zero3", 1),
    ("sleep", 1),
    ("checkpointing", 1),
    ("ref-offload", 1),
    *(("micro", size) for size in (4, 2, 1)),
    ("offload", 1),
    ("cpu-optimizer", 1),
    *(("tensor", over) for over in (2, 4, 8, 16, 32)),
    *(("sequence", over) for over in (2, 4, 8)),
    *(("ring", over) for over in (2, 4, 8)),
)


def first_micro(request: Request, gpus: int) -> int:
    """Sequences of a pass before anything is saved: up to 8, and a divisor of a GPU's share."""
    share = request.batch * request.responses // gpus
    micro = MICRO
    while micro > 1 and share % micro:
        micro //= 2
    return micro


def is_one_pass(request: Request, gpus: int) -> bool:
    """Whether a step is one pass on each GPU before anything is saved."""
    return request.batch * request.responses // gpus == first_micro(request, gpus)


def micro_batch(request: Request, candidate: Candidate) -> int:
    """Sequences of a pass."""
    return candidate.value("micro", first_micro(request, candidate.gpus))


def shareable_batch(batch: int, responses: int, gpus: Sequence[int]) -> int:
    """The batch, else the next larger one, whose responses can be shared out over each number."""
    each = lcm(*(n // gcd(n, responses) for n in gpus))
    return -(-batch // each) * each


def counts(budget: int) -> tuple[int, ...]:
    """Numbers of GPUs to try: each up to one node of 8, then 12 and 16, 24 and 32, and so on.

    The last one is the budget, or the most below it that nodes can have an even share of (8 of 9).
    Which of them a step can be shared out over depends on the request (`divides`).
    """
    numbers = list(range(1, min(8, budget) + 1))
    more = 8
    while more * 3 // 2 <= budget:
        numbers += [n for n in (more * 3 // 2, more * 2) if n <= budget]
        more *= 2
    most = next(n for n in range(budget, 0, -1) if n % Candidate(n).nodes == 0)
    return (*numbers, most) if most > numbers[-1] else tuple(numbers)


def left_over(gpus: int) -> Iterator[str]:
    """A sentence where nodes cannot have an even share of a number of GPUs."""
    most = counts(gpus)[-1]
    if most < gpus:
        yield message(
            "Nodes of at most 8 cannot have an even share of {gpus} GPUs; {most} are looked at.",
            gpus=gpus,
            most=most,
        )


def step_of(request: Request) -> str:
    """A step in words, for the start of a sentence about GPUs that it cannot be shared out over."""
    if request.responses == 1:
        return message("A batch of {batch}", batch=request.batch)
    return message(
        "A batch of {batch} with {responses} responses each",
        batch=request.batch,
        responses=request.responses,
    )


def divides(request: Request, gpus: int) -> bool:
    """Whether a step's sequences can be shared out evenly."""
    return request.batch * request.responses % gpus == 0


def steps(request: Request, gpus: int) -> tuple[Step, ...]:
    """The options that a request has on a number of GPUs, the cheapest first."""
    return tuple(step for step in _ORDER if _has(request, gpus, step))


def _has(request: Request, gpus: int, step: Step) -> bool:
    name, value = step
    verl, adapter = request.framework == "verl", request.method != "full"
    reference = request.task == "dpo" or request.online
    if name == "cpu-optimizer" or (name in ON_HOST and not request.may_offload):
        return False  # The first is Megatron's alone.
    if name == "bf16":
        return verl and adapter
    if name == "zero3":
        return not verl and gpus > 1 and request.method != "qlora"
    if name == "sleep":
        return request.framework == "openrlhf" and request.online
    if name == "checkpointing":
        return request.framework != "trl"
    if name == "ref-offload":
        # verl's FSDP keeps it on the host whatever is asked.
        return reference and request.framework == "openrlhf"
    if name == "micro":
        return value < first_micro(request, gpus)
    if name == "offload":
        return request.framework != "trl"
    return gpus % value == 0 and _shares_out(request, name, value)


def _shares_out(request: Request, name: str, over: int) -> bool:
    """Whether the engine, or a sequence, can be shared out over so many GPUs.

    Ulysses shares out the heads of the queries, OpenRLHF's ring the tokens alone; a group of GPUs
    then has the batch of one. Neither is for layers that pass a state, or their last tokens, on
    from one token to the next: a GPU would begin its part of a sequence without.
    """
    passed_on = isinstance(request.model.shape.linear, (Mamba, ShortConvolution))
    if passed_on and name != "tensor":
        return False
    if name == "ring":
        return request.framework == "openrlhf"
    able = request.model.shape.heads % over == 0
    return able and (request.online if name == "tensor" else request.framework == "verl")


def explain(request: Request, candidate: Candidate) -> list[tuple[str, str]]:
    """What a candidate switches on: setting and reason, the cheapest first."""
    switched = []
    settings = _settings(request, candidate)
    order = [name for name, _ in _ORDER]
    for name in sorted(candidate.on, key=order.index):
        value = candidate.on[name]
        setting = settings[name].format(value=value)
        # FSDP2's `CPUOffloadPolicy`, and DeepSpeed's Adam on the CPU.
        effect = {"engine.offload_policy": "policy", "--ds.adam_offload": "cpu-optimizer"}
        switched.append((setting, _effect_of(effect.get(setting.partition("=")[0], name))))
    if request.online and candidate.share < SHARES[0]:
        setting = settings["share"].format(value=candidate.share)
        switched.insert("bf16" in candidate.on, (setting, _effect_of("share")))
    if candidate.layout is not None:
        switched.insert(0, (_megatron(candidate.layout), _effect_of("megatron")))
    return switched


def _megatron(layout: MegatronLayout) -> str:
    """The sizes of a layout that are not 1."""
    sizes = {"tensor": layout.tensor, "pipeline": layout.pipeline, "expert": layout.expert}
    settings = ["model_engine=megatron"]
    for name, size in sizes.items():
        if size > 1:
            settings.append(f"actor_rollout_ref.actor.megatron.{name}_model_parallel_size={size}")
    return ", ".join(settings)


def _settings(request: Request, candidate: Candidate) -> dict[str, str]:
    if candidate.layout is not None:
        return _SETTINGS["verl"] | _SETTINGS["verl megatron"]
    sft = request.framework == "verl" and not request.online
    return _SETTINGS["verl sft" if sft else request.framework]


_SETTINGS: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "settings.json").read_bytes()
)
"""What switches an option on, of each trainer that has it."""


def _effect_of(name: str) -> str:
    return {
        "bf16": message("the frozen base takes 2 bytes a parameter instead of 4; costs no time"),
        "share": message("leaves more beside the engine; a smaller cache generates more slowly"),
        "zero3": message("weights and gradients are shared out too; gathered again in every layer"),
        "sleep": message(
            "trained states leave the GPU while the engine generates; two copies a step"
        ),
        "checkpointing": message(
            "activations are made again in the backward pass; a third more compute"
        ),
        "ref-offload": message("the reference's weights wait on the host; copied for each pass"),
        "micro": message("fewer tokens a pass; more passes"),
        "offload": message(
            "states wait on the host between updates; copied over PCIe in every step"
        ),
        "policy": message(
            "weights wait on the host and are copied for every layer and pass; the optimizer steps "
            "there"
        ),
        "cpu-optimizer": message("the optimizer steps on the host, whose memory holds its states"),
        "megatron": message(
            "Megatron shares out matrices, layers and experts instead of gathering whole layers"
        ),
        "tensor": message("the engine's weights are shared out; its GPUs talk in every layer"),
        "sequence": message("each sequence is shared out; its GPUs talk in every layer"),
        "ring": message(
            "each sequence is shared out over a ring of GPUs; takes the package ring-flash-attn"
        ),
    }[name]
