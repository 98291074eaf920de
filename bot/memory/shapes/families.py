"""How the layers of each `model_type` differ from Llama's, one row a family.

Sources: the configuration classes and layers of transformers 5.24, held to the count of the modules
that it builds (tests/memory/test_models.py). Mixtures and layers with a state have their own places
(`hub_experts`, `hub_mixers`). Layers for multi-token prediction are left out of every count, as
transformers leaves them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal

from bot.base.fast_dataclass import dataclass
from bot.memory.shapes.hub_mixers import GATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What a family's layers have, and how its files write it."""

    norms: int = 2
    """Of a layer; those of queries and keys are none of them."""
    norm_bias: bool = False
    last_norm: bool = True
    """Whether the one behind all layers has weights."""
    query_norms: Literal["", "head", "heads"] = ""
    """Norms of queries and keys: as wide as one head, or as all of them."""
    query_norms_where_set: bool = False
    """Whether a model has those where its `use_qk_norm` says so."""
    biased: bool = False
    """Whether queries, keys and values have biases, whatever `attention_bias` says."""
    output_biased: bool = True
    """Whether the output has one where `attention_bias` is set."""
    gated: bool = True
    """Whether the MLP has three matrices, not two."""
    activation: int = 0
    """Trained numbers of a layer's activation."""
    sinks: bool = False
    """Whether attention has one learned number a head."""
    output_gate: bool = False
    """Whether the queries' projection makes a gate of what was attended to, as wide as they."""
    gates: bool = False
    """Whether a matrix makes one gate a head of what it attended to."""
    latent: bool = False
    """Multi-head latent attention."""
    indexed: bool = False
    """Whether layers of it choose what they attend to by an indexer."""
    tied: bool = False
    """Whether head and embedding are one where a file does not say."""
    cap: float | None = None
    """What caps the logits where a file does not say."""
    fp8: bool = False
    """Whether its makers publish models in fp8, which trainers widen to 16 bits."""
    plain: bool = False
    """Two matrices in an MLP, and biases nearly everywhere: GPT-2's kin."""
    grouped: bool = True
    """Whether heads share keys and values where a file says so; others overlook it."""
    positions: tuple[str, int] | None = None
    """Where a file says how many positions have an embedding, and how many more there are."""
    width: str = "intermediate_size"
    """What a file calls the width of an MLP without experts."""
    named: Mapping[str, str] = field(default_factory=dict)
    """What else it calls otherwise than most do."""
    left_out: Mapping[str, Any] = field(default_factory=dict)
    """What its files leave out, from its configuration class."""
    refused: tuple[str, ...] = ()
    """Switches, off in most of its models, that make other layers."""
    needed: tuple[str, ...] = ()
    """Switches, on in all of its models, without which its layers are others."""
    kept: Mapping[str, Any] = field(default_factory=dict)
    """What its norms and its MLP keep, where that is its own, as fields of a shape.

    A norm keeps 8 bytes a hidden unit: its input in fp32 (4), what is multiplied with the weight
    (2), and the result, which is the next matrix's input (2). One that multiplies in fp32 keeps 2
    more; one behind a layer's part hands nothing to a matrix and keeps 2 less. LayerNorm keeps its
    input and its result, in bf16. An MLP keeps 2 for each tensor of its width.
    """


_LLAMA: Final = Family()
_GLM: Final = Family(output_biased=False)
_TIED: Final = Family(left_out={"tie_word_embeddings": True})
_HEAD: Final = Family(query_norms="head")
_HEADS: Final = Family(query_norms="heads")
_OLMO: Final = Family(query_norms="heads", kept={"norm_bytes": 20, "head_norm_bytes": 8})
_GATED: Final = Family(
    query_norms="head", output_gate=True, kept={"norm_bytes": 20, "head_norm_bytes": 8}
)
_LATENT: Final = Family(latent=True)
_SINKS: Final = Family(sinks=True)
_SQUARED: Final = Family(gated=False, norm_bias=True, kept={"norm_bytes": 10, "mlp_bytes": 4})
# Its activation in PyTorch; the kernels that its makers offer keep less.
_APERTUS: Final = Family(gated=False, query_norms="head", activation=2, kept={"mlp_bytes": 11})
_USED_NORMS: Final = Family(query_norms="head", query_norms_where_set=True, output_biased=False)

FAMILIES: Final[Mapping[str, Family]] = {
    "llama": _LLAMA, "mistral": _LLAMA, "ministral3": _LLAMA, "phi3": _LLAMA, "granite": _LLAMA,
    "internlm2": _LLAMA, "internlm3": _LLAMA, "baichuan": _LLAMA, "cwm": _LLAMA,
    "helium": _LLAMA, "iquestcoder": _LLAMA, "granite_swa": _SINKS,
    "smollm3": _TIED, "ernie4_5": _TIED, "minicpm": _TIED,
    "qwen": Family(biased=True),
    "qwen2": Family(biased=True),
    "qwen3": _HEAD, "hunyuan_v1_dense": _HEAD, "exaone4": _HEAD,
    "exaone": Family(named={"num_hidden_layers": "num_layers"}),
    "seed_oss": Family(left_out={"attention_bias": True, "attention_out_bias": False}),
    "mimo": Family(biased=True, output_biased=False),
    "glm": _GLM,
    "glm4": Family(norms=4, output_biased=False, kept={"norm_bytes": 28}),
    "gemma": Family(tied=True, kept={"norm_bytes": 20}),
    "vaultgemma": Family(tied=True, kept={"norm_bytes": 20}),
    "gemma2": Family(norms=4, tied=True, cap=30.0, kept={"norm_bytes": 36}),
    "gemma3_text": Family(
        norms=4, query_norms="head", tied=True, kept={"norm_bytes": 36, "head_norm_bytes": 8}
    ),
    "gemma4_text": Family(
        norms=4,
        query_norms="head",
        tied=True,
        left_out={"global_head_dim": 512},
        kept={"head_norm_bytes": 8},
    ),
    "olmo": Family(norms=0, last_norm=False, kept={"norm_bytes": 12}),
    "olmo2": _OLMO, "olmo3": _OLMO,
    "cohere": Family(
        norms=1,
        query_norms="heads",
        query_norms_where_set=True,
        tied=True,
        kept={"norm_bytes": 14},
    ),
    "cohere2": Family(norms=1, tied=True, kept={"norm_bytes": 14}),
    "stablelm": Family(
        norm_bias=True,
        left_out={"attention_bias": False},
        refused=("use_parallel_residual", "qk_layernorm"),
        kept={"norm_bytes": 10},
    ),
    "nemotron": _SQUARED, "jais2": _SQUARED,
    "arcee": Family(gated=False, kept={"mlp_bytes": 4}),
    "apertus": _APERTUS, "apertus1p5": _APERTUS,
    # Mixtures of experts.
    "mixtral": _LLAMA, "qwen2_moe": Family(biased=True), "granitemoe": _LLAMA,
    "granitemoe_swa": _SINKS, "granitemoeshared": Family(width="shared_intermediate_size"),
    "gpt_oss": _SINKS, "ernie4_5_moe": _LLAMA,
    "llama4_text": Family(width="intermediate_size_mlp"),
    "qwen3_moe": _HEAD, "hunyuan_v1_moe": _HEAD, "hy_v3": _HEAD, "mellum": _HEAD,
    "exaone_moe": _HEAD, "laguna": Family(query_norms="head", gates=True),
    "solar_open": Family(width="moe_intermediate_size"), "sarvam_moe": _USED_NORMS,
    "afmoe": Family(norms=4, query_norms="head", output_gate=True, kept={"norm_bytes": 28}),
    "minimax_m3": Family(query_norms="head", width="dense_intermediate_size", fp8=True),
    "minimax_m2": Family(query_norms="heads", fp8=True),
    "olmoe": _HEADS,
    "glm4_moe": _USED_NORMS,
    "dots1": Family(query_norms="head", output_biased=False),
    "deepseek_v2": _LATENT, "glm4_moe_lite": _LATENT, "sarvam_mla": _LATENT,
    "mistral4": Family(latent=True, fp8=True),
    "deepseek_v3": Family(latent=True, fp8=True),
    "kimi_k2": Family(latent=True, fp8=True),
    "deepseek_v32": Family(latent=True, indexed=True, fp8=True),
    "glm_moe_dsa": Family(latent=True, indexed=True),
    # Layers that keep a state.
    **dict.fromkeys(GATED, _GATED),
    "nemotron_h": Family(norms=1, gated=False, kept={"norm_bytes": 10, "mlp_bytes": 4}),
    # It scales what its two mixers take, so that each has a copy.
    "falcon_h1": Family(kept={"norm_bytes": 18}),
    "granitemoehybrid": Family(width="shared_intermediate_size"),
    "lfm2": Family(query_norms="head", tied=True),
    "lfm2_moe": Family(query_norms="head", tied=True),
    "lfm3": Family(
        norms=4,
        query_norms="head",
        tied=True,
        gates=True,
        needed=("use_sandwich_norm", "use_attention_gate"),
        kept={"norm_bytes": 28},
    ),
    # GPT-2's kin.
    "gpt2": Family(
        plain=True,
        grouped=False,
        tied=True,
        positions=("n_positions", 0),
        named={
            "hidden_size": "n_embd",
            "num_hidden_layers": "n_layer",
            "num_attention_heads": "n_head",
            "intermediate_size": "n_inner",
        },
    ),
    "opt": Family(
        plain=True,
        grouped=False,
        tied=True,
        positions=("max_position_embeddings", 2),
        named={"intermediate_size": "ffn_dim"},
        kept={"norm_bytes": 8, "mlp_bytes": 2},
    ),
    "gpt_neox": Family(plain=True, grouped=False, kept={"norm_bytes": 12, "mlp_bytes": 4}),
    "phi": Family(
        plain=True, norms=1, refused=("qk_layernorm",), kept={"norm_bytes": 6, "mlp_bytes": 10}
    ),
    "starcoder2": Family(
        plain=True,
        tied=True,
        left_out={"num_key_value_heads": 2},
        kept={"norm_bytes": 8, "mlp_bytes": 4},
    ),
    "falcon": Family(
        plain=True,
        grouped=False,
        tied=True,
        named={"intermediate_size": "ffn_hidden_size", "use_bias": "bias"},
        left_out={"bias": False, "multi_query": True, "parallel_attn": True},
        refused=("new_decoder_architecture", "alibi"),
        kept={"norm_bytes": 4, "mlp_bytes": 4},
    ),
}  # fmt: skip
"""By `model_type`: those whose parameters are counted exactly; any other one is not read."""
