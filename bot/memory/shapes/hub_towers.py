"""The vision tower that a `config.json` describes.

A tower whose parameters transformers' modules were not seen to have is not counted.
"""

from __future__ import annotations

from bot.memory.shapes.hub_numbers import HubConfig, NotReadError, count, given, layer_count, whole
from bot.memory.shapes.tower import Tower


def tower(config: HubConfig, text: HubConfig) -> Tower | None:
    """The tower beside the text model, if any; raises NotReadError for one that is not known."""
    kind, vision = config.get("model_type"), config.get("vision_config")
    if kind == "gemma3":
        return _siglip(config, config["vision_config"], whole(text, "hidden_size"))
    if kind == "qwen2_vl":
        return _qwen2(config["vision_config"], whole(text, "hidden_size"))
    if kind == "qwen2_5_vl":
        return _qwen2_5(config["vision_config"])
    if kind in ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"):
        return _qwen3(config["vision_config"])
    if vision is None and config.get("audio_config") is None:
        return None
    if vision is None:
        raise NotReadError("it has a tower for sound whose parameters are not counted")
    raise NotReadError("it has a vision tower whose parameters are not counted")


def _siglip(config: HubConfig, vision: HubConfig, out: int) -> Tower:
    """A SigLIP encoder and one projection to the text's width (`Gemma3MultiModalProjector`)."""
    patch, image = count(vision, "patch_size"), whole(vision, "image_size")
    positions = (image // patch) ** 2
    return Tower(
        kind="siglip",
        layers=layer_count(vision),
        width=whole(vision, "hidden_size"),
        intermediate=whole(vision, "intermediate_size"),
        out=out,
        numbers=3 * patch * patch,
        merged=max(1, positions // count(config, "mm_tokens_per_image", 256)),
        positions=positions,
    )


def _numbers(vision: HubConfig, patch: int) -> int:
    channels = whole(vision, "in_channels", whole(vision, "in_chans", 3))
    return (
        channels * whole(vision, "temporal_patch_size", 2) * whole(vision, "patch_size", patch) ** 2
    )


def _merged(vision: HubConfig) -> int:
    return whole(vision, "spatial_merge_size", 2) ** 2


def _qwen2(vision: HubConfig, text: int) -> Tower:
    width = whole(vision, "embed_dim", 1280)
    return Tower(
        kind="qwen2",
        layers=whole(vision, "depth", 32),
        width=width,
        intermediate=int(width * given(vision, "mlp_ratio", 4)),
        out=whole(vision, "hidden_size", text),
        numbers=_numbers(vision, 14),
        merged=_merged(vision),
    )


def _qwen2_5(vision: HubConfig) -> Tower:
    return Tower(
        kind="qwen2.5",
        layers=whole(vision, "depth", 32),
        width=whole(vision, "hidden_size", 1280),
        intermediate=whole(vision, "intermediate_size", 3420),
        out=whole(vision, "out_hidden_size"),
        numbers=_numbers(vision, 14),
        merged=_merged(vision),
    )


def _qwen3(vision: HubConfig) -> Tower:
    return Tower(
        kind="qwen3",
        layers=whole(vision, "depth", 27),
        width=whole(vision, "hidden_size", 1152),
        intermediate=whole(vision, "intermediate_size", 4304),
        out=whole(vision, "out_hidden_size"),
        numbers=_numbers(vision, 16),
        merged=_merged(vision),
        positions=whole(vision, "num_position_embeddings", 2304),
        deep=len(vision.get("deepstack_visual_indexes") or ()),
    )
