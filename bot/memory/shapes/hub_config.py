"""A model's `config.json`, as Hugging Face writes it, to a shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from bot.base.regex import regex
from bot.memory.shapes.families import FAMILIES, Family
from bot.memory.shapes.hub_experts import experts_of
from bot.memory.shapes.hub_mixers import (
    GATED,
    mixers,
    nemotron_layers,
    with_layers_of_their_own,
)
from bot.memory.shapes.hub_numbers import HubConfig, NotReadError, count, given, layer_count, whole
from bot.memory.shapes.hub_towers import tower
from bot.memory.shapes.shape import Latent, Shape
from bot.memory.shapes.tower import Tower

_T = TypeVar("_T")
_OF_A_TOWER = regex(r"_text\Z|_vl|_omni|(?<=glm4)v")
"""What a text model's type has more beside a tower."""
_SAME = {"gemma4_unified": "gemma4_text"}
"""Families whose text is that of another one."""
MXFP4 = 0.5 + 1 / 32
"""Bytes of a parameter in MXFP4: half a byte, and a byte of scale for 32 of them (OCP's
Microscaling Formats 1.0)."""
_GEMMA3 = {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
}


def read_config(config: HubConfig, *, beside: Tower | int | None = None) -> Shape:
    """The shape that a configuration describes; `beside` its text is a tower, or its parameters.

    Raises NotReadError, with a sentence, for anything that would only be a guess.
    """
    if isinstance(config.get("thinker_config"), Mapping):
        config = config["thinker_config"]  # The parts of an Omni that speak are not trained.
    found = _text_of(config)
    if found is not None:
        text = found
        if config.get("model_type") == "gemma3":
            text = {**_GEMMA3, **found, "model_type": "gemma3_text"}
        kind = _known(text.get("model_type", config.get("model_type", "")))
        if beside is None:
            beside = _checked(lambda: tower(config, text))
        above = {key: config.get(key) for key in ("tie_word_embeddings", "quantization_config")}
        return read_config({**above, **text, "model_type": kind}, beside=beside)
    kind = _known(config.get("model_type"))
    quantized = config.get("quantization_config") or config.get("quantization")  # The latter: MLX.
    if quantized and not _published_quantized(config):
        raise NotReadError("it is quantized")
    return _checked(lambda: _read(kind, config, beside or 0))


def _known(kind: object) -> str:
    """The family of a `model_type`; a text model alone has the family that it has by a tower."""
    if kind is None:
        raise NotReadError("it names no model_type")
    if (named := str(kind)) in FAMILIES:
        return named
    plain = _OF_A_TOWER.sub("", named).replace("2_5", "2")
    plain = _SAME.get(plain, plain)
    if plain not in FAMILIES:
        raise NotReadError("models of the type {kind} are not known", kind=f"{kind!r}")
    return plain


def _text_of(config: HubConfig) -> HubConfig | None:
    """The text model's part of a file with a tower; None without one."""
    found = config.get("text_config") or config.get("llm_config")
    if isinstance(found, Mapping):
        return found
    if config.get("model_type") in ("qwen2_vl", "qwen2_5_vl"):
        # As they are published: the text's numbers stand beside the tower's.
        return {key: value for key, value in config.items() if key != "vision_config"}
    return None


def _checked(made: Callable[[], _T]) -> _T:
    """What is made of numbers that a file may lack or have wrong; raises NotReadError then."""
    try:
        return made()
    except KeyError as error:
        raise NotReadError("it lacks {key}", key=error.args[0]) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise NotReadError("it has a value of another kind than files of its family") from None


def _read(kind: str, config: HubConfig, beside: Tower | int) -> Shape:
    family = FAMILIES[kind]
    config = {**family.left_out, **with_layers_of_their_own(config)}
    config |= {o: config.get(theirs, config.get(o)) for o, theirs in family.named.items()}
    for name in (*family.refused, *family.needed):
        if bool(config.get(name)) == (name in family.refused):
            raise NotReadError("{name} is set, which is not counted", name=name)
    if family.plain:
        return _plain(kind, family, config)
    if kind == "nemotron_h":
        config["num_hidden_layers"] = len(nemotron_layers(config))
    others = {**family.kept, **mixers(kind, config)}
    if kind == "gemma4_text":
        config |= {"head_dim": config["global_head_dim"]}
        if config.get("attention_k_eq_v") and config.get("num_global_key_value_heads"):
            config["num_key_value_heads"] = config["num_global_key_value_heads"]
    hidden, heads = count(config, "hidden_size"), count(config, "num_attention_heads")
    kv_heads = count(config, "num_key_value_heads", heads)
    head_dim = given(config, "head_dim", config.get("attention_head_dim"))
    head_dim = count({"head_dim": head_dim}, "head_dim", hidden // heads)
    if not family.last_norm or family.activation or family.gates:
        linear = others.get("linear")
        attending = layer_count(config) - (linear.layers if linear else 0)
        others["beside"] = family.activation * layer_count(config)
        others["beside"] += attending * hidden * heads * family.gates
        others["beside"] -= hidden * (not family.last_norm)
    bias = bool(config.get("attention_bias", False))
    normed = {"": 0, "head": 2, "heads": heads + kv_heads}[family.query_norms]
    if family.query_norms_where_set and not config.get("use_qk_norm"):
        normed = 0
    return Shape(
        hidden=hidden,
        layers=layer_count(config),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        intermediate=_width(kind, config),
        vocab=count(config, "vocab_size"),
        tied=bool(given(config, "tie_word_embeddings", family.tied)),
        qkv_bias=bias
        or family.biased
        or bool(config.get("qkv_bias") or config.get("use_qkv_bias")),
        out_bias=bool(config.get("attention_out_bias", bias and family.output_biased)),
        mlp_bias=bool(config.get("mlp_bias", False)),
        gated=family.gated,
        qk_norm=normed * head_dim,
        norms=family.norms + (_gemma4_norms(config) if kind == "gemma4_text" else 0),
        norm_bias=family.norm_bias,
        sinks=family.sinks,
        output_gate=family.output_gate,
        experts=experts_of(kind, config, MXFP4 if _published_in_mxfp4(config) else 2.0),
        latent=_latent(family, config),
        capped=bool(config.get("final_logit_softcapping", family.cap)),
        vision=beside.parameters if isinstance(beside, Tower) else beside,
        tower=beside if isinstance(beside, Tower) else None,
        **others,
    )


def _gemma4_norms(config: HubConfig) -> int:
    """Norms more than four: of a mixture, whose router's scale is as wide as one, and an input."""
    mixture = 4 * bool(config.get("enable_moe_block"))
    return mixture + bool(config.get("hidden_size_per_layer_input"))


def _width(kind: str, config: HubConfig) -> int:
    """Width of the MLP of a layer without experts."""
    if kind == "qwen":  # Both matrices' together.
        return whole(config, "intermediate_size") // 2
    if kind == "gemma4_text":
        # In each layer it stands beside the experts, as one that every token goes through.
        times = 2 if config.get("use_double_wide_mlp") else 1
        return times * whole(config, "intermediate_size")
    if kind != "lfm2":
        # Where every layer has experts, some files have no width for a layer without.
        every = config.get("moe_intermediate_size") if kind in GATED else None
        return whole(config, FAMILIES[kind].width, every)
    width = whole(config, "block_ff_dim", whole(config, "intermediate_size", 12288))
    if not config.get("block_auto_adjust_ff_dim", True):
        return width
    width, step = 2 * width // 3, count(config, "block_multiple_of", 256)
    times = given(config, "block_ffn_dim_multiplier", 1.0)
    return step * -(-int(times * width) // step)


def _published_quantized(config: HubConfig) -> bool:
    """Whether a model's maker publishes it so, and trainers widen it to 16 bits."""
    quantized = config.get("quantization_config")
    method = quantized.get("quant_method") if isinstance(quantized, Mapping) else None
    return _published_in_mxfp4(config) or (method == "fp8" and FAMILIES[config["model_type"]].fp8)


def _published_in_mxfp4(config: HubConfig) -> bool:
    """Whether the experts alone are quantized, as gpt-oss is published."""
    quantized = config.get("quantization_config")
    method = quantized.get("quant_method") if isinstance(quantized, Mapping) else None
    return config.get("model_type") == "gpt_oss" and method == "mxfp4"


def _plain(kind: str, family: Family, config: HubConfig) -> Shape:
    """Families with two matrices in an MLP, and with biases nearly everywhere."""
    hidden, heads = count(config, "hidden_size"), count(config, "num_attention_heads")
    if kind == "opt" and whole(config, "word_embed_proj_dim", hidden) != hidden:
        raise NotReadError("its embedding has a projection")
    named, more = family.positions or ("", 0)
    kv_heads = count(config, "num_key_value_heads", heads) if family.grouped else heads
    biases = bool(given(config, "use_bias", True))
    return Shape(
        hidden=hidden,
        layers=layer_count(config),
        heads=heads,
        kv_heads=1 if kind == "falcon" and config["multi_query"] else kv_heads,
        head_dim=hidden // heads,
        intermediate=whole(config, "intermediate_size", 4 * hidden),
        vocab=count(config, "vocab_size"),
        tied=bool(given(config, "tie_word_embeddings", family.tied)),
        qkv_bias=biases,
        out_bias=biases,
        mlp_bias=biases,
        gated=False,
        norms=1 if kind == "falcon" and config["parallel_attn"] else family.norms,
        norm_bias=True,
        positions=whole(config, named) + more if named else 0,
        beside=whole(config, "vocab_size") if kind == "phi" else 0,  # Its head has a bias.
        **family.kept,
    )


def _latent(family: Family, config: HubConfig) -> Latent | None:
    if not family.latent:
        return None
    return Latent(
        query_rank=whole(config, "q_lora_rank", 0),
        kv_rank=whole(config, "kv_lora_rank"),
        nope_dim=whole(config, "qk_nope_head_dim"),
        rope_dim=whole(config, "qk_rope_head_dim"),
        value_dim=whole(config, "v_head_dim"),
        index_heads=whole(config, "index_n_heads") if family.indexed else 0,
        index_dim=whole(config, "index_head_dim") if family.indexed else 0,
        index_layers=_indexers(config) if family.indexed else 0,
    )


def _indexers(config: HubConfig) -> int:
    """Layers with an indexer of their own."""
    types = config.get("indexer_types")
    if types is not None:
        return list(types).count("full")
    if config.get("index_topk_pattern") is not None or given(config, "index_topk_freq", 1) != 1:
        raise NotReadError("it does not say which layers have an indexer")
    return layer_count(config)
