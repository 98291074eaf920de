"""Parameters of the vision tower that a `config.json` describes, its projector included.

Sources: the modules of transformers 5.24, to whose counts the known models are held. A tower of
another family is not counted.
"""

from __future__ import annotations

from bot.memory.hub_numbers import HubConfig, NotReadError, given, layer_count, whole


def tower(config: HubConfig, text: HubConfig) -> int:
    """Parameters beside the text model; raises NotReadError for a tower that is not known."""
    kind, vision = config.get("model_type"), config.get("vision_config")
    if kind == "gemma3":
        return _siglip(config["vision_config"], whole(text, "hidden_size"))
    if kind == "qwen2_vl":
        return _qwen2(config["vision_config"], whole(text, "hidden_size"))
    if kind == "qwen2_5_vl":
        return _qwen2_5(config["vision_config"])
    if kind in ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"):
        return _qwen3(config["vision_config"])
    if vision is None and config.get("audio_config") is None:
        return 0
    if vision is None:
        raise NotReadError("it has a tower for sound whose parameters are not counted")
    raise NotReadError("it has a vision tower whose parameters are not counted")


def _siglip(vision: HubConfig, out: int) -> int:
    """A SigLIP encoder and one projection to the text's width (`Gemma3MultiModalProjector`)."""
    width, inner = whole(vision, "hidden_size"), whole(vision, "intermediate_size")
    patch, image = whole(vision, "patch_size"), whole(vision, "image_size")
    layer = 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width
    patches = (3 * patch * patch + 1) * width + (image // patch) ** 2 * width
    return layer_count(vision) * layer + patches + 2 * width + width * out + width


def _patches(vision: HubConfig) -> int:
    """Numbers of one patch: its pixels in all channels and moments."""
    channels = whole(vision, "in_channels", whole(vision, "in_chans", 3))
    return channels * whole(vision, "temporal_patch_size", 2) * whole(vision, "patch_size") ** 2


def _merged(vision: HubConfig, width: int, out: int) -> int:
    """Two matrices that join neighbouring patches and lead to the text's width."""
    joined = width * whole(vision, "spatial_merge_size", 2) ** 2
    return joined * joined + joined + joined * out + out


def _qwen2(vision: HubConfig, text: int) -> int:
    width = whole(vision, "embed_dim", 1280)
    inner = int(width * given(vision, "mlp_ratio", 4))
    layer = 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width
    out = whole(vision, "hidden_size", text)
    merger = 2 * width + _merged(vision, width, out)
    return (
        whole(vision, "depth", 32) * layer + _patches({"patch_size": 14, **vision}) * width + merger
    )


def _qwen2_5(vision: HubConfig) -> int:
    width, inner = whole(vision, "hidden_size", 1280), whole(vision, "intermediate_size", 3420)
    layer = 4 * (width * width + width) + 3 * width * inner + 2 * inner + width + 2 * width
    merger = width + _merged(vision, width, whole(vision, "out_hidden_size"))
    return (
        whole(vision, "depth", 32) * layer + _patches({"patch_size": 14, **vision}) * width + merger
    )


def _qwen3(vision: HubConfig) -> int:
    width, inner = whole(vision, "hidden_size", 1152), whole(vision, "intermediate_size", 4304)
    layer = 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width
    patches = (_patches({"patch_size": 16, **vision}) + 1) * width
    patches += whole(vision, "num_position_embeddings", 2304) * width
    merger = _merged(vision, width, whole(vision, "out_hidden_size"))
    # Those of deeper layers norm what is joined, the last one what it joins.
    deep = len(vision.get("deepstack_visual_indexes") or ())
    joined = width * whole(vision, "spatial_merge_size", 2) ** 2
    mergers = merger + 2 * width + deep * (merger + 2 * joined)
    return whole(vision, "depth", 27) * layer + patches + mergers
