"""The mixture of experts that a `config.json` describes.

Sources: the configuration classes and layers of transformers 5.24. Corrections of a router's scores
are buffers there, no parameters, but for ERNIE's.
"""

from __future__ import annotations

from typing import Any

from bot.memory.shapes.hub_mixers import nemotron_layers
from bot.memory.shapes.hub_numbers import HubConfig, NotReadError, count, given, layer_count, whole
from bot.memory.shapes.shape import Experts

_QWEN = ("qwen2_moe", "qwen3_moe", "qwen3_next", "qwen3_5_moe")
_ROUTED = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "glm_moe_dsa", "kimi_k2", "glm4_moe",
           "glm4_moe_lite", "dots1", "lfm2_moe", "solar_open", "hy_v3", "exaone_moe", "mellum",
           "afmoe", "laguna", "sarvam_moe", "sarvam_mla", "mistral4")  # fmt: skip
"""Families whose experts have a width of their own, behind some dense layers."""
_CORRECTED = ("afmoe", "laguna")
"""Those whose routers' corrections are parameters."""


def experts_of(kind: str, config: HubConfig, checkpoint_bytes: float) -> Experts | None:
    """The experts of a family's configuration; None for a dense model."""
    if kind in ("mixtral", "gpt_oss", "minimax_m2", "olmoe", "granitemoe", "granitemoe_swa"):
        return Experts(
            count=_first(config, *_COUNTS),
            active=whole(config, "num_experts_per_tok"),
            intermediate=whole(config, "intermediate_size"),
            layers=layer_count(config),
            router_bias=kind == "gpt_oss",
            expert_bias=kind == "gpt_oss",
            checkpoint_bytes=checkpoint_bytes,
        )
    if kind in _QWEN:
        return _qwen(kind, config)
    if kind in _ROUTED:
        return _routed(kind, config)
    if kind == "llama4_text":
        return _llama4(config)
    if kind == "nemotron_h":
        return _nemotron(config)
    if kind == "hunyuan_v1_moe":
        return _hunyuan(config)
    if kind == "ernie4_5_moe":
        return _ernie(config)
    return _beside(kind, config)


def _beside(kind: str, config: HubConfig) -> Experts | None:
    """Of families that have experts beside layers with a state, or beside an MLP."""
    if kind == "gemma4_text" and config.get("enable_moe_block"):
        # Each layer's MLP without experts is counted as the one that every token goes through.
        return Experts(
            count=whole(config, "num_experts"),
            active=whole(config, "top_k_experts"),
            intermediate=whole(config, "moe_intermediate_size"),
            layers=layer_count(config),
            shared=whole(config, "intermediate_size"),
            router_bias=True,
        )
    shared = ("granitemoehybrid", "granitemoeshared", "minimax_m3")
    if kind in shared and whole(config, "num_local_experts", 8):
        return Experts(
            count=whole(config, "num_local_experts", 8),
            active=whole(config, "num_experts_per_tok", 2),
            intermediate=whole(config, "intermediate_size"),
            layers=_sparse(config),
            shared=whole(config, "shared_intermediate_size"),
        )
    return None


def _qwen(kind: str, config: HubConfig) -> Experts:
    step = count(config, "decoder_sparse_step", 1)
    dense = set(config.get("mlp_only_layers") or ())
    layers = layer_count(config)
    sparse = [i for i in range(layers) if i not in dense and (i + 1) % step == 0]
    plain = kind == "qwen3_moe"  # It alone has no expert that every token goes through.
    shared = 0 if plain else whole(config, "shared_expert_intermediate_size", 0)
    return Experts(
        count=_first(config, *_COUNTS),
        active=whole(config, "num_experts_per_tok"),
        intermediate=whole(config, "moe_intermediate_size"),
        layers=len(sparse),
        shared=shared,
        shared_gate=shared > 0,
    )


_COUNTS = ("num_experts", "n_routed_experts", "num_local_experts")
"""How files call the number of a layer's experts; transformers 5 writes the last for some."""


def _first(config: HubConfig, *keys: str, otherwise: int | None = None) -> int:
    """The first of these numbers that a file has."""
    there = next((key for key in keys if config.get(key) is not None), keys[0])
    return whole(config, there, otherwise)


def _sparse(config: HubConfig, dense: int = 0) -> int:
    """Layers with experts: those that a file names, else all behind the first dense ones."""
    layers, types = layer_count(config), config.get("mlp_layer_types")
    if types is None:
        first = ("first_k_dense_replace", "num_dense_layers")
        return layers - _first(config, *first, otherwise=dense)
    if len(types) != layers:
        raise NotReadError("it names the kind of more or fewer layers than it has")
    return layers - list(types).count("dense")


def _routed(kind: str, config: HubConfig) -> Experts:
    if whole(config, "moe_layer_freq", 1) != 1:
        raise NotReadError("its mixture layers are not consecutive")
    width = whole(config, "moe_intermediate_size")
    many = _first(config, "n_shared_experts", "num_shared_experts", otherwise=0)
    return Experts(
        count=_first(config, *_COUNTS),
        active=whole(config, "num_experts_per_tok"),
        intermediate=width,
        layers=_sparse(config, dense=2 if kind == "lfm2_moe" else 0),
        shared=whole(config, "shared_expert_intermediate_size", width * many),
        router_bias=kind in _CORRECTED,
    )


def _llama4(config: HubConfig) -> Experts:
    layers, listed = layer_count(config), config.get("moe_layers")
    step = count(config, "interleave_moe_layer_step", 1)
    sparse = listed if listed is not None else range(step - 1, layers, step)
    width = whole(config, "intermediate_size")
    return Experts(
        count=whole(config, "num_local_experts"),
        active=whole(config, "num_experts_per_tok"),
        intermediate=width,
        layers=len(sparse),
        shared=width,
    )


def _nemotron(config: HubConfig) -> Experts | None:
    layers = nemotron_layers(config).count("moe")
    if not layers:
        return None
    return Experts(
        count=whole(config, "n_routed_experts"),
        active=whole(config, "num_experts_per_tok"),
        intermediate=whole(config, "moe_intermediate_size"),
        layers=layers,
        shared=whole(config, "moe_shared_expert_intermediate_size"),
        width=whole(config, "moe_latent_size", 0),
    )


def _hunyuan(config: HubConfig) -> Experts:
    width = whole(config, "intermediate_size")
    if _alike(config, "moe_intermediate_size", width) != width:
        raise NotReadError("its experts have another width than its layers")
    return Experts(
        count=_alike(config, "num_experts"),
        active=_alike(config, "moe_topk"),
        intermediate=width,
        layers=layer_count(config),
        shared=width * _alike(config, "num_shared_expert", 1),
    )


def _alike(config: HubConfig, key: str, otherwise: int | None = None) -> int:
    """A number that a file may have for each layer; raises NotReadError where layers differ."""
    value: Any = given(config, key, otherwise)
    values = set(value) if isinstance(value, list) else {value}
    return whole({key: values.pop() if len(values) == 1 else value}, key)


def _ernie(config: HubConfig) -> Experts:
    layers = layer_count(config)
    start, end = whole(config, "moe_layer_start_index", 1), config.get("moe_layer_end_index", -1)
    last = layers - 1 if end in (None, -1) else whole(config, "moe_layer_end_index")
    step = count(config, "moe_layer_interval", 1)
    sparse = [i for i in range(layers) if start <= i <= last and (i + 1) % step == 0]
    width = whole(config, "moe_intermediate_size")
    return Experts(
        count=whole(config, "moe_num_experts"),
        active=whole(config, "moe_k"),
        intermediate=width,
        layers=len(sparse),
        shared=width * whole(config, "moe_num_shared_experts", 0),
        router_bias=True,
    )
