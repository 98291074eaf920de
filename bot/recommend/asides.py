"""What a question says that changes no answer: each kind gets one sentence beside the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.base.messages import Message, mark, message
from bot.base.regex import regex
from bot.recommend.refusals import unsupported

_PARALLEL = regex(
    r"(?:(?:tp|pp|dp|ep|cp|sp|\w{4,8}(?:_model)?_parallel_size)=?\d{1,3}|(?:grad(?:ient)?[_-]?accum\w*|ga)=\d{1,5})"
)
_PRICE = "price="
_SENTENCES = {
    "ask=time": mark("How long a run takes is not known here: answered is what it needs."),
    "critic": mark("The critic is counted, as large as the policy; another size is no choice."),
    "gpu_memory_utilization": mark("The engine's share of a card is chosen here: see the script."),
    "nvlink": mark("NVLink changes no memory."),
}
"""What is said of a word, or of a setting with any value."""


def without_asides(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that are left, and a sentence for each kind of those that change nothing."""
    rest: list[str] = []
    sentences: dict[str, None] = {}
    prices = [word[len(_PRICE) :] for word in dict.fromkeys(words) if word.startswith(_PRICE)]
    for word in words:
        own = list(_of(word.lower(), prices))
        sentences.update(dict.fromkeys(own))
        if not own:
            rest.append(word)
    return rest, list(sentences)


def _of(low: str, prices: Sequence[str]) -> Iterator[Message]:
    known = unsupported(low)
    if low == "ask=price" and not prices:
        yield message(
            "Prices are not known here: what fits is listed with the fewest GPUs of each card."
        )
    elif own := _SENTENCES.get(low) or _SENTENCES.get(low.partition("=")[0]):
        yield message(own)
    elif low.startswith("micro-batch="):
        yield message(
            "Micro and mini batches are chosen here; batch=128 is the sequences of a step over all "
            "GPUs."
        )
    elif low.startswith("group="):
        yield message(
            "How many responses a prompt gets is no part of a question: what a GPU needs does not "
            "depend on it; change it in the script that is written."
        )
    elif _PARALLEL.fullmatch(low):
        yield message("Parallel sizes and accumulation are chosen here: see the script.")
    elif low.startswith(_PRICE):
        yield message(
            "Prices are not known here ({price}): what fits is listed with the fewest GPUs of each "
            "card.",
            price=", ".join(prices),
        )
    elif known is not None and known[1] == "backend":
        yield message(
            "Scripts are for verl (FSDP, and Megatron where it is needed), openrlhf and trl "
            "(DeepSpeed); {label} is no choice of its own.",
            label=known[0],
        )
