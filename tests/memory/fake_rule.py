"""Follows a layer of linear attention without the kernels of flash-linear-attention, on no GPU.

    python -m tests.memory.fake_rule        # writes fake_rule.json; needs torch and transformers

The layer is transformers' own (`Qwen3_5GatedDeltaNet`), whose rule is then
`torch_chunk_gated_delta_rule`.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from tests.memory.fake_backward import passes, storages

OUT = Path(__file__).with_suffix(".json")
_TOKENS = 1024
_LAYERS = (
    {"key_heads": 16, "value_heads": 16, "key_dim": 128, "value_dim": 128, "hidden": 1024},
    {"key_heads": 16, "value_heads": 32, "key_dim": 128, "value_dim": 128, "hidden": 2560},
    {"key_heads": 16, "value_heads": 48, "key_dim": 128, "value_dim": 128, "hidden": 5120},
)
"""Those of Qwen3.5 0.8B, 4B and 27B."""


def measure() -> list[dict[str, float]]:
    """Of each layer, bytes a token: kept, added by its backward pass, and without gradient."""
    torch: Any = importlib.import_module("torch")
    of: Any = importlib.import_module("transformers.models.qwen3_5.configuration_qwen3_5")
    layers: Any = importlib.import_module("transformers.models.qwen3_5.modeling_qwen3_5")
    torch.set_default_dtype(torch.bfloat16)
    try:
        return [{**layer, **_followed(torch, of, layers, layer)} for layer in _LAYERS]
    finally:
        torch.set_default_dtype(torch.float32)


def _followed(torch: Any, of: Any, layers: Any, layer: dict[str, int]) -> dict[str, float]:
    config = of.Qwen3_5TextConfig(
        hidden_size=layer["hidden"],
        linear_num_key_heads=layer["key_heads"],
        linear_num_value_heads=layer["value_heads"],
        linear_key_head_dim=layer["key_dim"],
        linear_value_head_dim=layer["value_dim"],
    )
    with storages(torch) as seen:
        built = layers.Qwen3_5GatedDeltaNet(config, 0).requires_grad_(requires_grad=False)
        hidden = torch.zeros(1, _TOKENS, layer["hidden"], requires_grad=True)
        followed = passes(torch, seen, built, hidden)
        seen.peak = before = seen.now
        with torch.no_grad():
            built(hidden)
        forward = (seen.peak - before) / _TOKENS
    return {
        "kept": round(followed["kept"]),
        "backward": round(followed["added by backward"]),
        "forward": round(forward),
    }


if __name__ == "__main__":
    OUT.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
