"""A model's `config.json`, as Hugging Face writes it, to a shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from bot.base.messages import sentence_of
from bot.base.regex import regex
from bot.memory.shapes.hub_experts import experts_of
from bot.memory.shapes.hub_mixers import GATED, mixers, nemotron_layers
from bot.memory.shapes.hub_numbers import HubConfig, NotReadError, given, layer_count, whole
from bot.memory.shapes.hub_towers import tower
from bot.memory.shapes.shape import Latent, Shape
from bot.memory.shapes.tower import Tower

_T = TypeVar("_T")
_LLAMA = ("llama", "mistral", "ministral3", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text",
          "phi3", "olmo2", "olmo3", "seed_oss", "smollm3", "granite", "ernie4_5", "internlm3",
          "minicpm", "hunyuan_v1_dense", "exaone4", "arcee", "cohere2", "gemma4_text", "cohere",
          "stablelm", "olmo", "nemotron", "apertus", "exaone", "internlm2", "baichuan",
          "qwen")  # fmt: skip
_GLM = ("glm", "glm4", "glm4_moe", "dots1")
_LATENT = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "glm_moe_dsa", "kimi_k2", "glm4_moe_lite")
_WIDE_NORMS = ("olmo2", "olmo3", "olmoe", "minimax_m2")
"""Families whose norms of queries and keys are as wide as all heads."""
_HEAD_NORMS = ("qwen3", "qwen3_moe", "gemma3_text", "hunyuan_v1_dense", "hunyuan_v1_moe", "exaone4",
               "dots1", "gemma4_text", "lfm2", "lfm2_moe", "apertus", *GATED)  # fmt: skip
"""Families whose norms of queries and keys are as wide as one head."""
_MIXTURES = ("mixtral", "minimax_m2", "olmoe", "qwen2_moe", "qwen3_moe", "gpt_oss", "llama4_text",
             "hunyuan_v1_moe", "ernie4_5_moe", "granitemoe", *_LATENT)  # fmt: skip
_HYBRIDS = (*GATED, "nemotron_h", "falcon_h1", "granitemoehybrid", "lfm2", "lfm2_moe")
_PUBLISHED_IN_FP8 = ("deepseek_v3", "deepseek_v32", "kimi_k2", "minimax_m2")
_PLAIN = ("opt", "gpt2", "gpt_neox", "phi", "starcoder2", "falcon")
_GROUPED = ("phi", "starcoder2")
"""Those of them whose heads share keys and values; the others overlook it in their files."""
_TWO_MATRICES = ("nemotron", "nemotron_h", "arcee", "apertus")
"""Others whose MLP has no gate."""
_TIED = ("gemma", "gemma2", "gemma3_text", "gemma4_text", "cohere", "cohere2", "lfm2", "lfm2_moe")
"""Families that tie head and embedding where their file does not say."""
KNOWN = (*_LLAMA, *_GLM, *_MIXTURES, *_HYBRIDS, *_PLAIN, "mimo")
"""Values of `model_type` whose parameters are counted exactly; any other one is not read.

Layers for multi-token prediction are left out of every count, as transformers leaves them out.
"""

_OF_A_TOWER = regex(r"_text\Z|_vl|_omni|(?<=glm4)v")
"""What a text model's type has more beside a tower."""
MXFP4 = 0.5 + 1 / 32
"""Bytes of a parameter in MXFP4: half a byte, and a byte of scale for 32 of them (OCP's
Microscaling Formats 1.0)."""
_GEMMA3 = {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
}
_BYTES: Mapping[str, Mapping[str, int]] = {
    "gemma": {"norm_bytes": 20},
    "gemma2": {"norm_bytes": 36},
    "gemma3_text": {"norm_bytes": 36, "head_norm_bytes": 8},
    "gemma4_text": {"head_norm_bytes": 8},
    "glm4": {"norm_bytes": 28},
    "olmo2": {"norm_bytes": 20, "head_norm_bytes": 8},
    "olmo3": {"norm_bytes": 20, "head_norm_bytes": 8},
    "cohere": {"norm_bytes": 14},
    "cohere2": {"norm_bytes": 14},
    "olmo": {"norm_bytes": 12},
    "stablelm": {"norm_bytes": 10},
    "nemotron": {"norm_bytes": 10, "mlp_bytes": 4},
    # Its activation in PyTorch; the kernels that its makers offer keep less.
    "apertus": {"mlp_bytes": 11},
    "arcee": {"mlp_bytes": 4},
    "nemotron_h": {"norm_bytes": 10, "mlp_bytes": 4},
    # It scales what its two mixers take, so that each has a copy.
    "falcon_h1": {"norm_bytes": 18},
    "opt": {"norm_bytes": 8, "mlp_bytes": 2},
    "gpt_neox": {"norm_bytes": 12, "mlp_bytes": 4},
    "phi": {"norm_bytes": 6, "mlp_bytes": 10},
    "starcoder2": {"norm_bytes": 8, "mlp_bytes": 4},
    "falcon": {"norm_bytes": 4, "mlp_bytes": 4},
    **{kind: {"norm_bytes": 20, "head_norm_bytes": 8} for kind in GATED},
}
_CAPS = {"gemma2": 30.0}
"""What caps the logits where a file does not say (`Gemma2Config` in transformers)."""
_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "stablelm": ("use_parallel_residual", "qk_layernorm"),
    "phi": ("qk_layernorm",),
    "falcon": ("new_decoder_architecture", "alibi"),
}
"""Switches of a family, off in most of its models, that make other layers."""
_LEFT_OUT: Mapping[str, HubConfig] = {
    "seed_oss": {"attention_bias": True, "attention_out_bias": False},
    "smollm3": {"tie_word_embeddings": True},
    "ernie4_5": {"tie_word_embeddings": True},
    "minicpm": {"tie_word_embeddings": True},
    "stablelm": {"attention_bias": False},
    "starcoder2": {"num_key_value_heads": 2},
    "falcon": {"bias": False, "multi_query": True, "parallel_attn": True},
}
"""What a family's files leave out, from its configuration class in transformers."""
_NAMED: Mapping[str, Mapping[str, str]] = {
    "gpt2": {
        "hidden_size": "n_embd",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
        "intermediate_size": "n_inner",
    },
    "opt": {"intermediate_size": "ffn_dim"},
    "falcon": {"intermediate_size": "ffn_hidden_size", "use_bias": "bias"},
    "exaone": {"num_hidden_layers": "num_layers"},
}
"""What a family calls otherwise than most do."""


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
        kind = str(text.get("model_type", config.get("model_type", "")))
        if kind not in KNOWN:
            kind = _OF_A_TOWER.sub("", kind).replace("2_5", "2")
        _known(kind)
        if beside is None:
            beside = _checked(lambda: tower(config, text))
        above = {key: config.get(key) for key in ("tie_word_embeddings", "quantization_config")}
        return read_config({**above, **text, "model_type": kind}, beside=beside)
    _known(config.get("model_type"))
    quantized = config.get("quantization_config") or config.get("quantization")  # The latter: MLX.
    if quantized and not _published_quantized(config):
        raise NotReadError("it is quantized")
    return _checked(lambda: _read(str(config["model_type"]), config, beside or 0))


def _known(kind: object) -> None:
    if kind is None:
        raise NotReadError("it names no model_type")
    if kind not in KNOWN:
        raise NotReadError("models of the type {kind} are not known", kind=f"{kind!r}")


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
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise NotReadError(
            "it lacks a number, or has a wrong one ({error})", error=sentence_of(error)
        ) from None


def _read(kind: str, config: HubConfig, beside: Tower | int) -> Shape:
    config = {**_LEFT_OUT.get(kind, {}), **config}
    config |= {ours: config.get(theirs) for ours, theirs in _NAMED.get(kind, {}).items()}
    _refuse_variants(kind, config)
    if kind in _PLAIN:
        return _plain(kind, config)
    if kind == "nemotron_h":
        config["num_hidden_layers"] = len(nemotron_layers(config))
    others = {**activation_bytes(kind), **mixers(kind, config)}
    if kind == "gemma4_text":
        config |= {"head_dim": config["global_head_dim"]}
        if config.get("attention_k_eq_v") and config.get("num_global_key_value_heads"):
            config["num_key_value_heads"] = config["num_global_key_value_heads"]
    hidden, heads = whole(config, "hidden_size"), whole(config, "num_attention_heads")
    kv_heads = whole(config, "num_key_value_heads", heads)
    head_dim = given(config, "head_dim", config.get("attention_head_dim"))
    head_dim = whole({"head_dim": head_dim}, "head_dim", hidden // heads)
    if kind in ("olmo", "apertus"):  # Norms without weights; an activation of two numbers a layer.
        others |= {"beside": -hidden if kind == "olmo" else 2 * layer_count(config)}
    bias = bool(config.get("attention_bias", False))
    norms = 2 * head_dim if kind in _HEAD_NORMS else 0
    if kind == "glm4_moe" and config.get("use_qk_norm"):
        norms = 2 * head_dim
    if kind in _WIDE_NORMS or (kind == "cohere" and config.get("use_qk_norm")):
        norms = (heads + kv_heads) * head_dim
    return Shape(
        hidden=hidden,
        layers=layer_count(config),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        intermediate=_width(kind, config),
        vocab=whole(config, "vocab_size"),
        tied=bool(given(config, "tie_word_embeddings", kind in _TIED)),
        qkv_bias=bias
        or kind in ("qwen", "qwen2", "qwen2_moe", "mimo")
        or bool(config.get("qkv_bias") or config.get("use_qkv_bias")),
        out_bias=bool(config.get("attention_out_bias", bias and kind not in ("mimo", *_GLM))),
        mlp_bias=bool(config.get("mlp_bias", False)),
        gated=kind not in _TWO_MATRICES,
        qk_norm=norms,
        norms=_norms(kind, config),
        norm_bias=kind in ("stablelm", "nemotron"),
        sinks=kind == "gpt_oss",
        output_gate=kind in GATED,
        experts=experts_of(kind, config, MXFP4 if _published_in_mxfp4(config) else 2.0),
        latent=_latent(kind, config),
        capped=bool(config.get("final_logit_softcapping", _CAPS.get(kind))),
        vision=beside.parameters if isinstance(beside, Tower) else beside,
        tower=beside if isinstance(beside, Tower) else None,
        **others,
    )


def activation_bytes(kind: str) -> Mapping[str, Any]:
    """The fields of a shape that say what a family's norms and MLP keep, where that is its own.

    A norm keeps 8 bytes a hidden unit: its input in fp32 (4), what is multiplied with the weight
    (2), and the result, which is the next matrix's input (2). One that multiplies in fp32 keeps 2
    more; one behind a layer's part hands nothing to a matrix and keeps 2 less. LayerNorm keeps its
    input and its result, in bf16. An MLP keeps 2 for each tensor of its width.
    """
    return _BYTES.get(kind, {})


def _norms(kind: str, config: HubConfig) -> int:
    if kind == "gemma4_text":
        # The router's scale is as wide as a norm.
        mixture = 4 * bool(config.get("enable_moe_block"))
        return 4 + mixture + bool(config.get("hidden_size_per_layer_input"))
    if kind in ("nemotron_h", "cohere", "cohere2"):
        return 1
    if kind == "olmo":
        return 0
    return 4 if kind in ("gemma2", "gemma3_text", "glm4") else 2


def _width(kind: str, config: HubConfig) -> int:
    """Width of the MLP of a layer without experts."""
    if kind == "llama4_text":
        return whole(config, "intermediate_size_mlp")
    if kind == "granitemoehybrid":
        return whole(config, "shared_intermediate_size")
    if kind == "qwen":  # Both matrices' together.
        return whole(config, "intermediate_size") // 2
    if kind == "gemma4_text":
        # In each layer it stands beside the experts, as one that every token goes through.
        times = 2 if config.get("use_double_wide_mlp") else 1
        return times * whole(config, "intermediate_size")
    if kind != "lfm2":
        # Where every layer has experts, some files have no width for a layer without.
        every = config.get("moe_intermediate_size") if kind in GATED else None
        return whole(config, "intermediate_size", every)
    width = whole(config, "block_ff_dim", whole(config, "intermediate_size", 12288))
    if not config.get("block_auto_adjust_ff_dim", True):
        return width
    width, step = 2 * width // 3, whole(config, "block_multiple_of", 256)
    times = given(config, "block_ffn_dim_multiplier", 1.0)
    return step * -(-int(times * width) // step)


def _published_quantized(config: HubConfig) -> bool:
    """Whether a model's maker publishes it so, and trainers widen it to 16 bits."""
    quantized = config.get("quantization_config")
    method = quantized.get("quant_method") if isinstance(quantized, Mapping) else None
    return _published_in_mxfp4(config) or (
        method == "fp8" and config.get("model_type") in _PUBLISHED_IN_FP8
    )


def _published_in_mxfp4(config: HubConfig) -> bool:
    """Whether the experts alone are quantized, as gpt-oss is published."""
    quantized = config.get("quantization_config")
    method = quantized.get("quant_method") if isinstance(quantized, Mapping) else None
    return config.get("model_type") == "gpt_oss" and method == "mxfp4"


def _refuse_variants(kind: str, config: HubConfig) -> None:
    """Raises NotReadError for a family's switch that makes other layers of it."""
    for name in _VARIANTS.get(kind, ()):
        if config.get(name):
            raise NotReadError("{name} is set, which is not counted", name=name)


def _plain(kind: str, config: HubConfig) -> Shape:
    """Families with two matrices in an MLP, and with biases nearly everywhere."""
    hidden, heads = whole(config, "hidden_size"), whole(config, "num_attention_heads")
    if kind == "opt" and whole(config, "word_embed_proj_dim", hidden) != hidden:
        raise NotReadError("its embedding has a projection")
    positions = 0
    if kind == "opt":
        positions = whole(config, "max_position_embeddings") + 2
    elif kind == "gpt2":
        positions = whole(config, "n_positions")
    kv_heads = heads
    if kind in _GROUPED:
        kv_heads = whole(config, "num_key_value_heads", heads)
    biases = bool(given(config, "use_bias", True))
    tied = given(config, "tie_word_embeddings", kind not in ("gpt_neox", "phi"))
    return Shape(
        hidden=hidden,
        layers=layer_count(config),
        heads=heads,
        kv_heads=1 if kind == "falcon" and config["multi_query"] else kv_heads,
        head_dim=hidden // heads,
        intermediate=whole(config, "intermediate_size", 4 * hidden),
        vocab=whole(config, "vocab_size"),
        tied=kind in ("opt", "gpt2") or bool(tied),
        qkv_bias=biases,
        out_bias=biases,
        mlp_bias=biases,
        gated=False,
        norms=1 if kind == "phi" or (kind == "falcon" and config["parallel_attn"]) else 2,
        norm_bias=True,
        positions=positions,
        beside=whole(config, "vocab_size") if kind == "phi" else 0,  # Its head has a bias.
        **activation_bytes(kind),
    )


def _latent(kind: str, config: HubConfig) -> Latent | None:
    if kind not in _LATENT:
        return None
    indexed = kind in ("deepseek_v32", "glm_moe_dsa")
    return Latent(
        query_rank=whole(config, "q_lora_rank", 0),
        kv_rank=whole(config, "kv_lora_rank"),
        nope_dim=whole(config, "qk_nope_head_dim"),
        rope_dim=whole(config, "qk_rope_head_dim"),
        value_dim=whole(config, "v_head_dim"),
        index_heads=whole(config, "index_n_heads") if indexed else 0,
        index_dim=whole(config, "index_head_dim") if indexed else 0,
        index_layers=_indexers(config) if indexed else 0,
    )


def _indexers(config: HubConfig) -> int:
    """Layers with an indexer of their own."""
    types = config.get("indexer_types")
    if types is not None:
        return list(types).count("full")
    if config.get("index_topk_pattern") is not None or given(config, "index_topk_freq", 1) != 1:
        raise NotReadError("it does not say which layers have an indexer")
    return layer_count(config)
