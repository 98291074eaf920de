"""Measures what the inputs of adapters take in a layer, without a GPU.

    python -m tests.memory.fake_adapters    # where torch and transformers are installed

Writes fake_adapters.json: bytes a token that a frozen layer with LoRA keeps without checkpointing,
and that one takes at its fullest while it is recomputed, as storages are made and freed under
PyTorch's FakeTensorMode. Adapters are computed as PEFT's `Linear.forward`, in four bits its
`Linear4bit.forward` and for DoRA its `DoraLinearLayer.forward` compute them (DoRA without the
products of matrices alone); dropout is `native_dropout`, as on a GPU.
"""

from __future__ import annotations

import importlib
import json
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.memory.fake_backward import RANK, layer_passes
from tests.memory.fake_measure import LAYERS, TOKENS

OUT = Path(__file__).parent / "fake_adapters.json"
TARGETS = {
    "all": ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
    "attention": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "MLP": ("gate_proj", "up_proj", "down_proj"),
    "q, v": ("q_proj", "v_proj"),
}
PREPARED = "4 bit, prepared"
"""By PEFT's `prepare_model_for_kbit_training`: norms and hidden states in fp32."""
WHOLE = "fp32, all weights"
"""The frozen weights too, which autocast casts: TRL's default."""
_KINDS = ("bf16", "fp32", "4 bit", PREPARED, "DoRA", WHOLE)
_DROPOUT = 0.05


def measure() -> dict[str, Any]:
    """Everything that is recorded; takes some seconds."""
    torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
    return {
        "torch": torch.__version__,
        "transformers": hub.__version__,
        "tokens": TOKENS,
        "rank": RANK,
        "layers": {
            name: {
                f"{kind}{', dropout' if dropout else ''}: {targets}": layer_passes(
                    *(torch, hub, name, config),
                    partial(_adapt, torch, SimpleNamespace(kind=kind, dropout=dropout, on=on)),
                    whole=kind in (PREPARED, WHOLE),
                )
                for kind, dropout, (targets, on) in product(_KINDS, (False, True), TARGETS.items())
            }
            for name, config in LAYERS
        },
    }


def _adapt(torch: Any, how: SimpleNamespace, layer: Any) -> None:
    """Puts a low-rank path beside each matrix that is named."""
    for parameter in layer.parameters():
        parameter.requires_grad_(False)
    for module in list(layer.modules()):
        for name, child in list(module.named_children()):
            if name.endswith("_proj"):
                base = _quantized(torch, child) if how.kind.startswith("4 bit") else child
                setattr(module, name, _adapted(torch, base, how) if name in how.on else base)
    for name, parameter in layer.named_parameters():
        if how.kind == WHOLE or (how.kind == PREPARED and "norm" in name):
            parameter.data = parameter.data.float()


def _quantized(torch: Any, base: Any) -> Any:
    """bitsandbytes' `Linear4bit`: computes in bf16, answers in the type of its input."""

    class Quantized(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.base = base
            self.in_features, self.out_features = base.in_features, base.out_features

        def forward(self, x: Any) -> Any:
            return self.base(x.to(torch.bfloat16)).to(x.dtype)

    return Quantized()


def _adapted(torch: Any, base: Any, how: SimpleNamespace) -> Any:
    dtype = torch.bfloat16 if how.kind == "bf16" else torch.float32

    class Adapted(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.base = base
            self.down = torch.nn.Linear(base.in_features, RANK, bias=False, dtype=dtype)
            self.up = torch.nn.Linear(RANK, base.out_features, bias=False, dtype=dtype)
            self.magnitude = torch.nn.Parameter(torch.ones(base.out_features, dtype=dtype))

        def forward(self, x: Any) -> Any:
            out = self.base(x)
            result = out.dtype
            if how.kind.startswith("4 bit"):
                out = out.clone()
            else:
                x = x.to(dtype)
            if how.dropout:
                x, _ = torch.native_dropout(x, _DROPOUT, train=True)
            if how.kind == "DoRA":
                scale = (self.magnitude / torch.ones_like(self.magnitude)).view(1, -1)
                again = self.base(x) if how.dropout else out
                return (out + (scale - 1) * again + scale * self.up(self.down(x)) * 2.0).to(result)
            return (out + self.up(self.down(x)) * 2.0).to(result)

    return Adapted()


if __name__ == "__main__":
    OUT.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
