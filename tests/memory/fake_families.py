"""Measures one dense layer of each family whose norms or MLP keep other tensors than Llama's.

Part of `fake_measure.py`. All have the same sizes, so that what differs is the family's own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

TOKENS = 2048
_SIZES: dict[str, Any] = {
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "num_hidden_layers": 1,
    "head_dim": 128,
    "vocab_size": 128,
}
_EVERY = {"num_key_value_heads": 16}
_LATENT = {
    "first_k_dense_replace": 1,
    "kv_lora_rank": 512,
    "moe_intermediate_size": 512,
    "n_group": 1,
    "n_routed_experts": 8,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 64,
    "qk_rope_head_dim": 64,
    "topk_group": 1,
    "v_head_dim": 128,
}
_OPT = {"ffn_dim": 8192, "word_embed_proj_dim": 2048, "max_position_embeddings": 4096}
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {},
    "gemma": {},
    "gemma3_text": {},
    "glm4": {},
    "olmo2": _EVERY,
    "olmo3": _EVERY,
    "hunyuan_v1_dense": {},
    "exaone4": {},
    "arcee": {},
    "cohere2": {},
    "opt": _OPT,
    "gpt_neox": {},
    "phi": {},
    "starcoder2": {},
    "stablelm": {},
    "cohere": {},
    "olmo": {},
    "nemotron": {},
    "apertus": {},
    "deepseek_v3": {**_EVERY, **_LATENT},
}
_TURNED = {"glm4": 64, "gpt_neox": 32, "deepseek_v3": 64, "phi": 64, "stablelm": 32, "nemotron": 64}
"""Numbers of a head that positions turn, where not all of it."""

Tracked = Callable[[Any], AbstractContextManager[Callable[[], tuple[int, int]]]]


def config_of(kind: str) -> dict[str, Any]:
    """The configuration of a family's layer that is measured."""
    return {**_SIZES, **FAMILIES[kind], "model_type": kind}


def measure_families(torch: Any, hub: Any, tracked: Tracked) -> dict[str, float]:
    """Bytes a token that one layer of each family keeps."""
    torch.set_default_dtype(torch.bfloat16)
    try:
        return {kind: _kept(torch, hub, tracked, kind) for kind in FAMILIES}
    finally:
        torch.set_default_dtype(torch.float32)


def _kept(torch: Any, hub: Any, tracked: Tracked, kind: str) -> float:
    plain = {k: v for k, v in config_of(kind).items() if k != "model_type"}
    config = hub.AutoConfig.for_model(kind, **plain, pad_token_id=None)
    config._attn_implementation = "sdpa"
    with tracked(torch) as taken:
        built = hub.AutoModel.from_config(config, dtype=torch.bfloat16).train()
        for module in built.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        layer = getattr(built, "decoder", built).layers[0]
        hidden = torch.zeros(1, TOKENS, config.hidden_size, requires_grad=True)
        turn = torch.zeros(1, TOKENS, _TURNED.get(kind, 128))
        places = {"position_embeddings": (turn, turn)}
        if kind == "opt":
            places, layer.dropout = {}, 0.0
        before, _ = taken()
        inside = hidden * 1.0
        out = layer(inside, attention_mask=None, **places)
        out = out[0] if isinstance(out, tuple) else out
        del inside
        after, _ = taken()
        return float((after - before - out.numel() * out.element_size()) / TOKENS)
