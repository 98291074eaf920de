"""Measures what a layer's backward pass and adapters add, without a GPU.

    python -m tests.memory.fake_backward    # where torch and transformers are installed

Writes fake_backward.json: bytes a token that a layer keeps and that its backward pass adds at its
fullest, as storages are made and freed under PyTorch's FakeTensorMode; with all weights trained,
with LoRA in bf16, and with LoRA in fp32 under autocast.
"""

from __future__ import annotations

import importlib
import json
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.memory.fake_measure import LAYERS, TOKENS, one_layer

OUT = Path(__file__).parent / "fake_backward.json"
RANK = 16


def measure() -> dict[str, Any]:
    """Everything that is recorded; takes some seconds."""
    torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
    kinds = {"full": None, "LoRA bf16": torch.bfloat16, "LoRA fp32": torch.float32}
    return {
        "torch": torch.__version__,
        "transformers": hub.__version__,
        "tokens": TOKENS,
        "rank": RANK,
        "layers": {
            name: {
                kind: layer_passes(torch, hub, name, config, of and partial(_adapt, torch, of))
                for kind, of in kinds.items()
            }
            for name, config in LAYERS
        },
    }


@contextmanager
def storages(torch: Any, *, real: bool = False) -> Iterator[SimpleNamespace]:
    """Bytes of the storages alive `now`, and at the `peak`; `real` ones where data decide."""
    fake = importlib.import_module("torch._subclasses.fake_tensor")
    mode = importlib.import_module("torch.utils._python_dispatch")
    tree = importlib.import_module("torch.utils._pytree")
    seen = SimpleNamespace(now=0, peak=0)
    alive: dict[int, int] = {}

    def drop(key: int) -> None:
        seen.now -= alive.pop(key, 0)

    def add(tensor: Any) -> None:
        storage = tensor.untyped_storage()
        if storage._cdata not in alive:
            alive[storage._cdata] = storage.nbytes()
            seen.now += storage.nbytes()
            seen.peak = max(seen.peak, seen.now)
            weakref.finalize(storage, drop, storage._cdata)

    def dispatch(_: Any, op: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = op(*args, **(kwargs or {}))
        tree.tree_map_only(torch.Tensor, add, made)
        return made

    track = type("Track", (mode.TorchDispatchMode,), {"__torch_dispatch__": dispatch})
    with nullcontext() if real else fake.FakeTensorMode(), track():
        yield seen


def _adapt(torch: Any, dtype: Any, layer: Any) -> None:
    """Puts a low-rank path beside each projection, as PEFT's LoRA layers compute it."""

    class Adapted(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, base: Any) -> None:
            super().__init__()
            self.base = base
            self.down = torch.nn.Linear(base.in_features, RANK, bias=False, dtype=dtype)
            self.up = torch.nn.Linear(RANK, base.out_features, bias=False, dtype=dtype)

        def forward(self, x: Any) -> Any:
            out = self.base(x)
            low = self.up(self.down(x.to(dtype)))
            return (out + low * 2.0).to(out.dtype)

    for parameter in layer.parameters():
        parameter.requires_grad_(False)
    for module in list(layer.modules()):
        for name, child in list(module.named_children()):
            if name.endswith("_proj"):
                setattr(module, name, Adapted(child))


def layer_passes(
    torch: Any,
    hub: Any,
    name: str,
    kind: dict[str, Any],
    adapt: Callable[[Any], None] | None = None,
    *,
    whole: bool = False,
) -> dict[str, float]:
    """Bytes a token: kept, added by backward, and taken to recompute a checkpointed layer.

    `adapt` puts adapters into the layer, which autocast then computes; `whole` gives it hidden
    states in fp32.
    """
    shape, config = one_layer(hub, name, kind)
    with storages(torch) as seen:
        built = hub.AutoModel.from_config(config, dtype=torch.bfloat16).train()
        layer = built.layers[0]
        if adapt is not None:
            adapt(layer)
        dtype = torch.float32 if whole else torch.bfloat16
        hidden = torch.zeros(1, TOKENS, shape.hidden, dtype=dtype, requires_grad=True)
        places = torch.arange(TOKENS).unsqueeze(0)
        position = built.rotary_emb(hidden, places)
        for parameter in layer.parameters():
            if parameter.requires_grad:
                parameter.grad = torch.empty_like(parameter)

        def run(x: Any) -> Any:
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=adapt is not None):
                out = layer(x, position_embeddings=position, attention_mask=None)
            return out[0] if isinstance(out, tuple) else out

        return passes(torch, seen, run, hidden)


def passes(torch: Any, seen: Any, run: Callable[[Any], Any], hidden: Any) -> dict[str, float]:
    """Of one layer, bytes for each of the rows of its input (see `layer_passes`)."""
    rows = hidden.numel() // hidden.shape[-1]

    def pass_over(call: Callable[[Any], Any]) -> tuple[float, float]:
        inside = hidden * 1.0
        before = seen.now
        out = call(inside)
        kept = seen.now - before - out.numel() * out.element_size()
        gradient = torch.empty_like(out)
        seen.peak = after = seen.now
        out.backward(gradient)
        return kept / rows, (seen.peak - after) / rows

    held, added = pass_over(run)
    again = importlib.import_module("torch.utils.checkpoint").checkpoint
    _, peak = pass_over(lambda x: again(run, x, use_reentrant=False))
    return {"kept": held, "added by backward": added, "recomputed": peak}


if __name__ == "__main__":
    OUT.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
