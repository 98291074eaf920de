"""Measures the layers of models of two kinds (Mamba-2, convolutions, windows), without a GPU.

Part of `fake_measure.py`. The kernels of mamba_ssm and causal-conv1d need a GPU; stand-ins of the
same results keep for the backward pass what those keep (`MambaSplitConv1dScanCombinedFn` of
mamba_ssm's `ops/triton/ssd_combined.py`, e9594ce), written anew from their description.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

TOKENS = 2048
ROWS = Path(__file__).parents[2] / "schemas" / "models" / "rows.json"
LAYERS = {
    "Nemotron-H-8B-Base-8K": ("NemotronHBlock", {"linear": 0, "mlp": 1, "full": 7}),
    "Nemotron-Nano-9B-v2": ("NemotronHBlock", {"linear": 0, "mlp": 1, "full": 14}),
    "Falcon-H1-0.5B": ("FalconH1DecoderLayer", {"both": 0}),
    "Falcon-H1-7B": ("FalconH1DecoderLayer", {"both": 0}),
    "granite-4.0-h-micro": ("GraniteMoeHybridDecoderLayer", {"linear": 0, "full": 5}),
    "LFM2-1.2B": ("Lfm2DecoderLayer", {"linear": 0, "full": 2}),
    "gemma-4-E4B": ("Gemma4TextDecoderLayer", {"linear": 0, "full": 5}),
}
"""The class of a model's layers, and where the first of each kind is."""

Tracked = Callable[[Any], AbstractContextManager[Callable[[], tuple[int, int]]]]


def measure_mixers(torch: Any, hub: Any, tracked: Tracked) -> dict[str, dict[str, float]]:
    """Bytes a token that one layer of each kind keeps."""
    rows = json.loads(ROWS.read_bytes())["models"]
    found = {}
    torch.set_default_dtype(torch.bfloat16)
    try:
        for name, (layer, places) in LAYERS.items():
            row = rows[name].get("text_config", rows[name])
            config = {**row, "vocab_size": 128, "pad_token_id": None}
            kind = config.pop("model_type")
            made = hub.AutoConfig.for_model(kind, **config)
            made._attn_implementation = "sdpa"
            kind = kind.removesuffix("_text")
            source = importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
            with _kernels(torch, source):
                found[name] = {
                    which: _kept(torch, tracked, getattr(source, layer), made, at)
                    for which, at in places.items()
                }
    finally:
        torch.set_default_dtype(torch.float32)
    return found


def _kept(torch: Any, tracked: Tracked, layer: Any, config: Any, at: int) -> float:
    with tracked(torch) as taken:
        built = layer(config, at).train()
        if hasattr(built, "mamba") and hasattr(config, "ssm_in_multiplier"):
            built.mamba.mup_vector = torch.ones(1, 1, built.mamba.in_proj.out_features)
        hidden = torch.zeros(1, TOKENS, config.hidden_size, requires_grad=True)
        more: dict[str, Any] = {}
        if hasattr(built, "per_layer_input_gate"):
            given = built.per_layer_input_gate.out_features
            more["per_layer_input"] = torch.zeros(1, TOKENS, given, requires_grad=True)
            more["shared_kv_states"], width = {}, built.self_attn.head_dim
        else:
            width = getattr(config, "head_dim", config.hidden_size // config.num_attention_heads)
        turn = torch.zeros(1, TOKENS, width)
        before, _ = taken()
        inside = hidden * 1.0
        out = built(
            inside,
            position_embeddings=(turn, turn),
            position_ids=torch.arange(TOKENS).unsqueeze(0),
            attention_mask=None,
            **more,
        )
        out = out[0] if isinstance(out, tuple) else out
        del inside
        after, _ = taken()
        # The output is the next layer's input; it is that layer's to count.
        return float((after - before - out.numel() * out.element_size()) / TOKENS)


@contextmanager
def _kernels(torch: Any, source: Any) -> Iterator[None]:
    """Stand-ins for the kernels, in transformers' module for as long as it lasts."""

    class Scan(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, made: Any, inner: int, groups: int, *weights: Any) -> Any:
            out, norm = weights[-1], weights[-2]
            scanned = torch.empty(*made.shape[:-1], inner)
            deviation = made.shape[1] * groups
            deviations = norm is not None and torch.empty(deviation, dtype=torch.float32)
            kept = [made, scanned, *(one for one in weights if one is not None)]
            ctx.save_for_backward(*kept, *([] if norm is None else [deviations]))
            return torch.empty(*made.shape[:-1], out.shape[0])

    class Convolution(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, given: Any, filters: Any) -> Any:
            given = given.contiguous()
            ctx.save_for_backward(given, filters)
            return torch.empty_like(given)

    def scan(made: Any, filters: Any, bias: Any, step: Any, decay: Any, **named: Any) -> Any:
        inner = named["D"].shape[0] * named["headdim"]
        norm, out = named["rmsnorm_weight"], named["outproj_weight"]
        weights = (filters, bias, step, decay, named["D"], norm, out)
        return Scan.apply(made, inner, named["ngroups"], *weights)

    def convolution(given: Any, filters: Any, *_: Any, **__: Any) -> Any:
        return Convolution.apply(given, filters)

    stands = {"mamba2_split_conv1d_scan_combined": scan, "causal_conv1d_fn": convolution}
    before = {name: getattr(source, name) for name in stands if hasattr(source, name)}
    for name in before:
        setattr(source, name, stands[name])
    try:
        yield
    finally:
        for name, was in before.items():
            setattr(source, name, was)
