"""The layers of a `config.json` that keep a state: which there are, and how large.

Sources: the configuration classes and layers of transformers 5.24 for each `model_type` named here,
held to the count of the modules that it builds (tests/memory/test_models.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.memory.shapes.hub_numbers import HubConfig, NotReadError, count, layer_count, whole
from bot.memory.shapes.linear_attention import LinearAttention
from bot.memory.shapes.mixers import Mamba, ShortConvolution, SlidingAttention

GATED = ("qwen3_next", "qwen3_5", "qwen3_5_moe")
"""Families with a gated delta rule, and with a gate in their attention."""
_FULL = ("full_attention", "attention")
_PATTERN = {"M": "linear_attention", "*": "full_attention", "-": "mlp", "E": "moe"}
"""The letters of Nemotron-H's `hybrid_override_pattern`."""


def mixers(kind: str, config: HubConfig) -> Mapping[str, Any]:
    """The fields of a shape that say which layers keep a state; none for other families."""
    if kind in GATED:
        return {"linear": _gated(kind, config)}
    if kind == "nemotron_h":
        types = nemotron_layers(config)
        linear = types.count("linear_attention")
        return {
            "linear": _nemotron(linear, config) if linear else None,
            "attending": types.count("full_attention"),
            "dense": types.count("mlp"),
        }
    if kind == "falcon_h1":
        layers = layer_count(config)
        return {"linear": _mamba(layers, config), "attending": layers}
    if kind == "granitemoehybrid":
        linear = _others(config)
        return {"linear": _mamba(linear, config) if linear else None}
    if kind == "gemma4_text":
        return _gemma4(config)
    if kind in ("lfm2", "lfm2_moe", "lfm3"):
        linear = _others(config)
        kernel, bias = whole(config, "conv_L_cache", 3), bool(config.get("conv_bias"))
        width = whole(config, "hidden_size")
        made = ShortConvolution(layers=linear, width=width, kernel=kernel, bias=bias)
        return {"linear": made if linear else None}
    return {}


def nemotron_layers(config: HubConfig) -> list[str]:
    """What each layer of a Nemotron-H is, whichever way its file says it."""
    types = config.get("layers_block_type") or config.get("layer_types")
    if types is None:
        types = [_PATTERN.get(letter) for letter in str(config["hybrid_override_pattern"])]
    types = [{"mamba": "linear_attention", "attention": "full_attention"}.get(t, t) for t in types]
    if not types or any(kind not in _PATTERN.values() for kind in types):
        raise NotReadError("it has a kind of layer that is not known")
    return types


def _others(config: HubConfig) -> int:
    """How many layers do not attend."""
    layers, types = layer_count(config), config.get("layer_types")
    if types is None:
        indices = config.get("full_attn_idxs")
        return 0 if indices is None else layers - len(set(indices))
    return layers - _attending(types, layers, (*_FULL, "sliding_attention"))


def _attending(types: Any, layers: int, kinds: tuple[str, ...] = _FULL) -> int:
    if len(types) != layers:
        raise NotReadError("it names the kind of more or fewer layers than it has")
    return sum(kind in kinds for kind in types)


def _nemotron(layers: int, config: HubConfig) -> Mamba:
    return Mamba(
        layers=layers,
        heads=whole(config, "mamba_num_heads"),
        head_dim=whole(config, "mamba_head_dim"),
        groups=whole(config, "n_groups", 8),
        state_size=whole(config, "ssm_state_size"),
        kernel=whole(config, "conv_kernel", 4),
        chunk=whole(config, "chunk_size", 128),
        convolution_bias=bool(config.get("use_conv_bias", True)),
        projection_bias=bool(config.get("use_bias", False)),
    )


def _mamba(layers: int, config: HubConfig) -> Mamba:
    heads, wide = count(config, "mamba_n_heads"), whole(config, "mamba_expand", 2)
    inner = count(config, "mamba_d_ssm", wide * whole(config, "hidden_size"))
    falcon = config.get("model_type") == "falcon_h1"
    return Mamba(
        layers=layers,
        heads=heads,
        head_dim=inner // heads,
        groups=whole(config, "mamba_n_groups", 1),
        state_size=whole(config, "mamba_d_state", 256),
        kernel=whole(config, "mamba_d_conv", 4),
        chunk=max(1, whole(config, "mamba_chunk_size", 256)),
        convolution_bias=bool(config.get("mamba_conv_bias", True)),
        projection_bias=bool(config.get("mamba_proj_bias", False)),
        norm=bool(config.get("mamba_rms_norm", False)) if falcon else True,
    )


def _gemma4(config: HubConfig) -> Mapping[str, Any]:
    """Gemma 4: layers of two attentions, the last of which may take the keys of one before.

    Where their MLPs are twice as wide, the width of a shape is theirs, and the others lack half.
    """
    layers, types = layer_count(config), config.get("layer_types")
    if types is None:
        raise NotReadError("it does not say how its layers attend")
    hidden, width = whole(config, "hidden_size"), whole(config, "intermediate_size")
    full = _attending(types, layers)
    shared = types[layers - whole(config, "num_kv_shared_layers", 0) :]
    sliding = SlidingAttention(
        layers=layers - full,
        heads=whole(config, "num_attention_heads"),
        kv_heads=whole(config, "num_key_value_heads"),
        head_dim=whole(config, "head_dim"),
        window=max(1, whole(config, "sliding_window")),
    )
    alike = bool(config.get("attention_k_eq_v"))
    wide = whole(config, "global_head_dim")
    kv_heads = whole(config, "num_global_key_value_heads", 0) if alike else 0
    keys = (kv_heads or sliding.kv_heads) * wide
    inner, vocab = (
        whole(config, f"{key}_per_layer_input", 0) for key in ("hidden_size", "vocab_size")
    )
    beside = layers * 3 * hidden * inner + inner
    beside -= shared.count("full_attention") * (hidden * keys * (1 if alike else 2) + wide)
    apart = 2 * hidden * sliding.kv_heads * sliding.head_dim + sliding.head_dim
    beside -= (len(shared) - shared.count("full_attention")) * apart
    if config.get("use_double_wide_mlp"):
        beside -= (layers - len(shared)) * 3 * hidden * width
    return {
        "linear": sliding if sliding.layers else None,
        "shared_values": alike,
        "layer_embedding": layers * vocab * inner,
        "beside": beside,
        # Four norms; those of a mixture and of its router; one with what goes into its matrix.
        "norm_bytes": 36 + 36 * bool(config.get("enable_moe_block")) + 10 * bool(inner),
    }


def with_layers_of_their_own(config: HubConfig) -> HubConfig:
    """Gemma 4's configuration with what layers that attend in full have, as its makers write it.

    transformers 5.24 writes that for each such layer by its number (`per_layer_config`).
    """
    each = config.get("per_layer_config")
    if each is None:
        return config
    full = {n for n, kind in enumerate(config.get("layer_types") or ()) if kind in _FULL}
    first, *others = each.values() if {int(n) for n in each} == full and full else ({},)
    known = {"head_dim": "global_head_dim", "num_key_value_heads": "num_global_key_value_heads"}
    if any(one != first for one in others) or not first or not first.keys() <= known.keys():
        raise NotReadError("it does not say how its layers attend")
    return {**config, **{known[key]: value for key, value in first.items()}}


def _gated(kind: str, config: HubConfig) -> LinearAttention | None:
    layers = layer_count(config)
    types = config.get("layer_types")
    if types is None:
        step = count(config, "full_attention_interval")
        types = ["full_attention" if (i + 1) % step == 0 else "" for i in range(layers)]
    linear = layers - _attending(types, layers)
    if not linear:
        return None
    return LinearAttention(
        layers=linear,
        key_heads=whole(config, "linear_num_key_heads"),
        value_heads=whole(config, "linear_num_value_heads"),
        key_dim=whole(config, "linear_key_head_dim"),
        value_dim=whole(config, "linear_value_head_dim"),
        kernel=whole(config, "linear_conv_kernel_dim"),
        fused=kind == "qwen3_next",
    )
