"""Measures what the layers of vision towers keep of images, without a GPU.

    python -m tests.memory.fake_towers    # where torch and transformers are installed

Writes fake_towers.json: for the towers of transformers' families, bytes a patch that one layer
keeps, that its backward pass adds, and that it takes while it is recomputed, and what the merger
keeps; for two models with a tower of six layers what images add. Tensors are real ones on a CPU,
since how long images are is data to these layers.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from tests.memory.fake_backward import passes, storages

OUT = Path(__file__).parent / "fake_towers.json"
PATCHES = 4096
TOWERS: dict[str, dict[str, Any]] = {
    "qwen2_vl": {"depth": 32, "embed_dim": 1280, "hidden_size": 1536, "num_heads": 16},
    "qwen2_5_vl": {
        "depth": 32,
        "hidden_size": 1280,
        "intermediate_size": 3420,
        "num_heads": 16,
        "out_hidden_size": 2048,
    },
    "qwen3_vl": {
        "depth": 27,
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_heads": 16,
        "out_hidden_size": 4096,
        "deepstack_visual_indexes": [8, 16, 24],
    },
}
LAYERS = 6
TEXT: dict[str, Any] = {
    "hidden_size": 512,
    "intermediate_size": 1024,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1024,
    "rope_scaling": {"rope_type": "default", "mrope_section": [16, 24, 24]},
}
SIGLIP = {"hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16}
_CLASSES = {
    "qwen2_vl": "Qwen2VisionTransformerPretrainedModel",
    "qwen2_5_vl": "Qwen2_5_VisionTransformerPretrainedModel",
    "qwen3_vl": "Qwen3VLVisionModel",
}


def measure() -> dict[str, Any]:
    """Everything that is recorded; takes some seconds."""
    torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
    torch.set_default_dtype(torch.bfloat16)
    return {
        "torch": torch.__version__,
        "transformers": hub.__version__,
        "patches": PATCHES,
        "towers": {kind: _tower(torch, kind) for kind in TOWERS},
        "forward": {kind: _forward(torch, kind) for kind in TOWERS},
        "siglip": _siglip(torch, hub),
        "models": {kind: _model(torch, hub, kind) for kind in ("qwen2_5_vl", "qwen3_vl")},
    }


def _tower(torch: Any, kind: str) -> dict[str, float]:
    module = importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
    settings = importlib.import_module(f"transformers.models.{kind}.configuration_{kind}")
    names = [n for n in dir(settings) if n.endswith("VisionConfig")]
    config = getattr(settings, names[0])(**TOWERS[kind] | {"depth": 1})
    config._attn_implementation = "sdpa"
    width = TOWERS[kind].get("embed_dim") or TOWERS[kind]["hidden_size"]
    head = width // TOWERS[kind]["num_heads"]
    with storages(torch, real=True) as seen:
        tower = getattr(module, _CLASSES[kind])._from_config(config).to(torch.bfloat16).train()
        for parameter in tower.parameters():
            parameter.grad = torch.empty_like(parameter)
        places = (torch.zeros(PATCHES, head), torch.ones(PATCHES, head))
        ends = torch.tensor([0, PATCHES], dtype=torch.int32)
        hidden = torch.zeros(PATCHES, width, requires_grad=True)

        def layer(x: Any) -> Any:
            return tower.blocks[0](x, cu_seqlens=ends, position_embeddings=places)

        found = passes(torch, seen, layer, hidden)
        merged = passes(torch, seen, tower.merger, hidden)
    return found | {"merger": merged["kept"]}


def _forward(torch: Any, kind: str) -> float:
    """Bytes a patch of the whole tower's pass without gradient over an image of 512."""
    module = importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
    settings = importlib.import_module(f"transformers.models.{kind}.configuration_{kind}")
    name = next(n for n in dir(settings) if n.endswith("VisionConfig"))
    few = {"depth": 4} | ({"deepstack_visual_indexes": [0, 1, 2]} if kind == "qwen3_vl" else {})
    config = getattr(settings, name)(**TOWERS[kind] | few)
    config._attn_implementation = "sdpa"
    numbers = config.in_channels * config.temporal_patch_size * config.patch_size**2
    with storages(torch, real=True) as seen, torch.no_grad():
        tower = getattr(module, _CLASSES[kind])._from_config(config).to(torch.bfloat16).eval()
        grid = torch.tensor([[1, 32, 16]])
        before = seen.peak = seen.now
        pixels = torch.zeros(512, numbers, dtype=torch.float32)
        tower(pixels.to(torch.bfloat16), grid_thw=grid)
        return float(round((seen.peak - before) / 512, 1))


def _siglip(torch: Any, hub: Any) -> dict[str, float]:
    config = hub.SiglipVisionConfig(**SIGLIP, num_hidden_layers=1)
    config._attn_implementation = "sdpa"
    with storages(torch, real=True) as seen:
        built = hub.SiglipVisionModel._from_config(config).to(torch.bfloat16).train()
        layer = built.vision_model.encoder.layers[0]
        for parameter in layer.parameters():
            parameter.grad = torch.empty_like(parameter)

        def run(x: Any) -> Any:
            out = layer(x, attention_mask=None)
            return out[0] if isinstance(out, tuple) else out

        hidden = torch.zeros(1, PATCHES, SIGLIP["hidden_size"], requires_grad=True)
        return passes(torch, seen, run, hidden)


def _model(torch: Any, hub: Any, kind: str) -> dict[str, dict[str, float]]:
    """What images add to a small text model's pass with gradient, bytes a patch.

    Its layers are `LAYERS`; the same number of tokens without images is what they add to.
    """
    tower = {k: v for k, v in TOWERS[kind].items() if "index" not in k}
    tower |= {"depth": LAYERS, "out_hidden_size": TEXT["hidden_size"]}
    if kind == "qwen3_vl":
        tower["deepstack_visual_indexes"] = [1, 3, 5]
    ends = {"vision_start_token_id": 1001, "vision_end_token_id": 1002}
    config = hub.AutoConfig.for_model(
        kind, text_config=TEXT, vision_config=tower, image_token_id=1000, **ends
    )
    config._attn_implementation = "sdpa"
    return {
        "checkpointed" if checkpointed else "whole": _added(torch, hub, config, checkpointed)
        for checkpointed in (True, False)
    }


def _added(torch: Any, hub: Any, config: Any, checkpointed: bool) -> dict[str, float]:
    vision = config.vision_config
    count = 3 * vision.temporal_patch_size * vision.patch_size**2
    there = PATCHES // 4
    grid = torch.tensor([[1, 32, PATCHES // 32]])
    ids = torch.randint(0, 999, (1, there + 2))
    shown = ids.clone()
    shown[0, 0], shown[0, 1:-1], shown[0, -1] = 1001, 1000, 1002
    with storages(torch, real=True) as seen:
        built = hub.AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16).train()
        if checkpointed:
            built.gradient_checkpointing_enable({"use_reentrant": False})
        for parameter in built.parameters():
            parameter.grad = torch.empty_like(parameter)

        def taken(tokens: Any, **images: Any) -> tuple[int, int]:
            before = seen.now
            out = built(input_ids=tokens, use_cache=False, **images).logits
            kept, gradient = seen.now - before, torch.empty_like(out)
            seen.peak = seen.now
            out.backward(gradient)
            return kept, seen.peak - before

        text = taken(ids)
        pixels = torch.randn(PATCHES, count, dtype=torch.float32)
        images = taken(shown, pixel_values=pixels, image_grid_thw=grid)
    # The patches were made before the count began.
    loaded = 4 * count
    return {
        "kept": (images[0] - text[0]) / PATCHES + loaded,
        "fullest": images[1] / PATCHES + loaded,
    }


if __name__ == "__main__":
    OUT.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
