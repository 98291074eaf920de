"""What the inference engine takes: vLLM's and SGLang's meaning of their fraction.

vLLM: `gpu_memory_utilization` is a share of the card's TOTAL memory; weights, the activations of a
profiling run and the cache go into it, unless `kv_cache_memory_bytes` says what the cache has. From
0.8.0 to 0.9.0 its profile counts whatever else is on the card (vllm#18974, #19312), so that the
cache is smaller by that. verl's own worker for vLLM up to 0.6.3 gives the cache that share of what
is free beside everything (`third_party/vllm/vllm_v_0_6_3/worker.py`).
What it scores of prompts is in no share: its profile makes no such logits (vllm#5067, #5907).
SGLang: `mem_fraction_static` is a share of the memory that is FREE when it starts, for weights and
cache; the rest is used while it generates.
"""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.memory.constants import ASLEEP, ENGINE_WORKING, PROMPT_LOGITS
from bot.memory.estimate import Fit, Shortage
from bot.memory.shapes.mixers import SlidingAttention
from bot.memory.units import NOTHING, Bytes, together
from bot.memory.workload import Engine, MemoryLevel


def weights(engine: Engine) -> Bytes:
    """The engine's copy of the model on one GPU."""
    shape = engine.shape
    experts = shape.expert_parameters
    each = engine.weight_bytes
    if shape.experts is not None:
        each = min(each, shape.experts.checkpoint_bytes)
    plain = Bytes.of((shape.parameters - experts) * engine.weight_bytes)
    # With expert parallelism the experts are spread over tensor- and data-parallel ranks.
    spread = max(engine.tensor, engine.expert) * engine.pipeline
    return plain / (engine.tensor * engine.pipeline) + Bytes.of(experts * each) / spread


def cache(engine: Engine, tokens: int) -> Bytes:
    """Keys and values of one sequence's tokens on one GPU, bf16; of linear layers the state.

    An engine may keep the state in fp32; at least it is as wide as the weights. A layer that
    attends to a window keeps no more tokens than that.
    """
    shape = engine.shape
    heads = 1 if shape.latent else max(1, min(engine.tensor, shape.kv_heads))
    kept = Bytes.of(4 * shape.full_layers * shape.kv_width * tokens) / (heads * engine.pipeline)
    if shape.linear is None:
        return kept
    numbers = shape.linear.layers * shape.linear.state
    if isinstance(shape.linear, SlidingAttention):
        numbers = numbers * min(tokens, shape.linear.window) // shape.linear.window
    state = Bytes.of(2 * numbers)
    return kept + state / (engine.tensor * engine.pipeline)


def minimum(engine: Engine) -> Bytes:
    """What an engine's share has to hold: less cannot generate."""
    return together(_inside(engine).values())


def _inside(engine: Engine) -> dict[str, Bytes]:
    """What goes into its share as it starts.

    vLLM stops where its share leaves no cache, or less than one full sequence takes ("No available
    memory for the cache blocks", "max seq len is larger than the maximum number of tokens"). SGLang
    stops where it leaves no cache, and works outside of it.
    """
    held = {"engine weights": weights(engine)}
    if engine.name == "sglang":
        return held
    return held | {
        "engine cache": cache(engine, engine.sequence_tokens),
        "engine activations": Bytes.gib(ENGINE_WORKING["expected"]),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The card that an engine shares."""

    total: Bytes
    at_start: Bytes = NOTHING
    """What others have there when it starts, contexts too."""


def shortage(engine: Engine, card: Card) -> Shortage | None:
    """What an engine lacks to start; None where it starts, or its share does not bound that."""
    unbounded = engine.share_of == "free" or engine.cache_bytes is not None
    if engine.name == "hf" or engine.keeps_weights or unbounded:
        return None
    inside, most = _inside(engine), card.total * engine.fraction
    left = most.less(card.at_start) if engine.share_of == "all" else most
    if engine.name == "sglang":
        left = card.total.less(card.at_start) * engine.fraction
    weight, *others = inside
    cases: tuple[tuple[Fit, Bytes, list[str]], ...] = (
        ("impossible", most, [weight]),
        ("likely OOM", most if others else left, [weight, *others[:1]]),
        ("tight", left, [weight, *others]),
    )
    for verdict, share, names in cases:
        short = Shortage(verdict=verdict, share=share, needed={n: inside[n] for n in names})
        if short.lacking:
            return short
    return None


def generating(
    engine: Engine, level: MemoryLevel, card: Card, taken: Bytes = NOTHING
) -> dict[str, Bytes]:
    """What it holds while it generates, on a card where others hold `taken`."""
    held = weights(engine)
    least = cache(engine, engine.sequence_tokens)
    if engine.name == "hf":
        return _by_transformers(engine, level)
    if level == "floor":
        return {"engine weights": held, "engine cache": least}
    base = card.total if engine.name == "vllm" else card.total.less(taken)
    share = base * engine.fraction
    working = Bytes.gib(ENGINE_WORKING[level])
    if engine.share_of == "all":
        share = share.less(card.at_start)
    elif engine.share_of == "free":
        inside = held + working
        share = inside + card.total.less(card.at_start + inside) * engine.fraction
    if engine.cache_bytes is not None:
        share = held + working + Bytes(engine.cache_bytes)
    inside = held if engine.name == "sglang" else held + working
    return {
        "engine weights": held,
        "engine cache": max(share.less(inside), least),
        "engine activations": working + Bytes(PROMPT_LOGITS * engine.prompt_scores),
    }


def _by_transformers(engine: Engine, level: MemoryLevel) -> dict[str, Bytes]:
    """What `generate` adds to the actor's own weights.

    The cache of every sequence at its full length, one layer's twice while it grows
    (`torch.cat` in transformers' `DynamicLayer.update`). Of the last token the logits, their fp32
    copy, what is left after temperature and filters, and the probabilities (`_sample`). Scores that
    are handed over are a list and its stack at the end (`generate` in TRL's PPO). Before that all
    prompts have one pass, whose images go through the tower together.
    """
    shape = engine.shape
    each = 2 if level == "floor" else engine.sequence_tokens
    whole = cache(engine, each) * engine.sequences
    if level == "floor":
        return {"engine cache": whole}
    gathered = Bytes(2 * engine.gathered_parameters)
    logits = Bytes(16 * shape.vocab * engine.sequences + 8 * shape.vocab * engine.scored_tokens)
    moments = (
        {"engine cache": whole + whole / max(1, shape.full_layers), "logits": logits},
        _prompts(engine),
    )
    fullest = max(moments, key=lambda parts: together(parts.values()).count)
    return fullest | {"gathered weights": gathered}


def _prompts(engine: Engine) -> dict[str, Bytes]:
    """The pass over all prompts: one layer's activations, or the tower's of all images.

    Of a layer as of any pass without gradient (`forward_pass.layer_forward`).
    """
    shape, tower = engine.shape, engine.shape.tower
    tokens = engine.prompt_tokens * engine.sequences
    text = Bytes((8 * shape.hidden + 6 * shape.active_intermediate) * tokens)
    seen = engine.image_tokens * engine.sequences * (tower.merged if tower else 0)
    pixels = Bytes.of(4 * tower.numbers * seen) if tower else NOTHING
    layer = {
        "engine cache": cache(engine, engine.prompt_tokens) * engine.sequences,
        "engine activations": text + pixels,
    }
    if tower is None:
        return layer
    images = {"engine activations": Bytes.of(tower.forward_bytes * seen)}
    return max(layer, images, key=lambda parts: together(parts.values()).count)


def asleep(engine: Engine, level: MemoryLevel, card: Card) -> dict[str, Bytes]:
    """What it holds while others work."""
    if engine.name == "hf":
        return {}
    if not engine.sleeps:
        return generating(engine, level, card)
    kept = {"engine weights": weights(engine)} if engine.keeps_weights else {}
    return kept | {"sleeping engine": Bytes.gib(ASLEEP[level])}
