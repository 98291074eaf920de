"""Which shape a model's name means: hub names, local paths, names of families, a config.json.

A name that fits none exactly is unknown: the defaults of a configuration class match no released
model, and a size alone (7B) is several shapes.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.memory.hub_config import read_config
from bot.memory.hub_numbers import NotReadError
from bot.memory.linear_attention import LinearAttention
from bot.memory.mixers import Mamba, ShortConvolution
from bot.memory.shape import Experts, Latent, Shape

# Words for a checkpoint, not for its shape.
_TUNED = regex(
    r"-(?:instruct|chat|base|it|pt|hf|think|thinking|deduped|terminus|preview|reasoning|plus|bf16|"
    r"fp16|sft|dpo|rl|rm|mixture|1m|8k|128k|"
    r"(?:0[1-9]|1[0-2]|19|2[0-9])\d\d)(?=-|\Z)"  # the last: a date, as YYMM, MMDD or a year
)
_VERSION = regex(r"-v\d+(?:\.\d+)*(?=-|\Z)")
_MAKERS = regex(r"\A(?:meta-|google-|nvidia-(?=nemotron)|deepseek-(?=r1-distill))+")
_CACHED = regex(r"(?<![^/])models--(?:[^/-]|-(?!-))+--([^/]+)/snapshots/")
_SAME_SHAPE = regex(
    r"\A(?:(qwen2\.5|qwen2)-(?:coder|math)-|(qwen3)-coder-(?=30b-a3b)|(gemma)-1\.1-)"
)
_COUSINS = regex(r"\b(qwen2(?:\.5)?)-(?:coder|math)(?=-\d)")
_GENERATION = regex(r"\A(glm-(?:4|z1)-\d+b)-0414")
"""A date that is the name of another shape: with two norms more in each layer."""
_OTHERWISE = regex(
    r"awq|gptq|gguf|mlx|nvfp4|fp[48]|int[48]|[48]bit|bnb|quant|eagle|draft|medusa|mtp|moe|merge|"
    r"embed|vl\b|vision|omni|audio|speech|image|video|prun|slim|expand|upscal"
)
"""Words for a model that is made of another one and has another shape, or other bytes."""
_CLOSE = 0.85
"""How similar a name must be for another to be meant (difflib's ratio): one letter of seven."""
_FOLDERS = ("", "hf", "huggingface", "model", "checkpoint", "snapshots")
_MAX_CONFIG = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model whose shape is known."""

    name: str
    """As its maker writes it, such as Qwen2.5-7B."""
    shape: Shape
    source: str
    """Where the shape comes from."""


FindModel: TypeAlias = Callable[[str], Model]
"""The model of a name or path; raises NoEstimateError when it is not known."""


def _keys(name: str) -> tuple[str, str]:
    """A name without the words that do not concern the shape, and the same without its version."""
    low = name.lower().replace("_", "-").replace(" ", "-")
    low = _GENERATION.sub(r"\1.0414", low)
    low = _TUNED.sub("", _SAME_SHAPE.sub(r"\1\2\3-", _MAKERS.sub("", low)))
    short = _VERSION.sub("", low)
    # A name without any number (DeepSeek) may be each of its maker's models.
    return low, short if re.search(r"\d", short) else low


@cache
def models_by_key() -> Mapping[str, Model]:
    """Every known model by its key; a key that several shapes would share is left out."""
    data = json.loads((Path(__file__).parent / "shapes.json").read_bytes())
    models: dict[str, Model] = {}
    shared: set[str] = set()
    for name, row in data["models"].items():
        source = row["source"]
        where = f"{source} ({data['made_from']})" if source != "rows.json" else "its config.json"
        model = Model(name=name, shape=read_shape(row), source=where)
        for key in set(_keys(name)):
            if models.setdefault(key, model).shape != model.shape:
                shared.add(key)
    return {key: model for key, model in models.items() if key not in shared}


@cache
def pinned() -> Mapping[str, int]:
    """Name to the count of parameters that was computed without our formulas."""
    data = json.loads((Path(__file__).parent / "shapes.json").read_bytes())
    return {name: row["parameters"] for name, row in data["models"].items()}


def find(path: str) -> Model | None:
    """The model that a hub name or a local path names; None when that is not certain.

    Of a path the last part counts, or the one before it when the last is a mere `hf` or a number
    of a checkpoint; a hub cache (`models--Qwen--Qwen2.5-7B/snapshots/…`) names its model itself.
    """
    cached = _CACHED.search(path)
    if cached:
        return _named(cached[1])
    parts = [part for part in path.rstrip("/").split("/") if part]
    for part in reversed(parts[-3:]):
        model = _named(part)
        if model is not None:
            return model
        plain = part.lower()
        if plain not in _FOLDERS and not re.fullmatch(r"(?:global[_-]?)?(?:step[_-]?)?\d+", plain):
            return None
    return None


def _named(name: str) -> Model | None:
    model = models_by_key().get(_keys(name)[0])
    if model is None or model.shape.experts is None or "bf16" not in name.lower():
        return model
    # Somebody widened the experts that their maker publishes in fewer bits.
    widened = replace(model.shape.experts, checkpoint_bytes=2.0)
    return replace(model, shape=replace(model.shape, experts=widened))


def guess(path: str) -> Model | None:
    """The model whose whole name is part of the last part of a path, or that it was trained from.

    A reward model or a further training is often called after what it was made from
    (`Skywork-Reward-V2-Llama-3.2-1B`, `multiturn-sft-qwen-2.5-7b-instruct`). It has that shape as a
    rule; nothing may be called impossible because of it. None when no name is found, or several.
    """
    from bot.memory.fine_tunes import trained_from  # Its expressions cost a start two milliseconds.

    parts = [part for part in path.rstrip("/").split("/") if part]
    for part in reversed(parts[-2:]):
        name = _COUSINS.sub(r"\1", part.lower().replace("_", "-"))
        name = re.sub(r"(?<=[a-z])-(?=\d)", "", name)
        if _OTHERWISE.search(name):
            return None
        base = trained_from(part)
        if base is not None:
            return _named(base)
        found = {
            len(key): model
            for key, model in models_by_key().items()
            if re.search(r"\db(?:-|\Z)", key)
            and _within(re.sub(r"(?<=[a-z])-(?=\d)", "", key), name)
        }
        if found:
            return found[max(found)]
    return None


def near(path: str) -> str | None:
    """The name of a known model that may be meant; None when none is close."""
    name = _keys(path.rstrip("/").rpartition("/")[2])[0]
    close = difflib.get_close_matches(name, models_by_key(), n=1, cutoff=_CLOSE)
    return models_by_key()[close[0]].name if close else None


def _within(key: str, name: str) -> bool:
    at = name.find(key)
    while at >= 0:
        around = name[at - 1 : at] if at else "", name[at + len(key) : at + len(key) + 1]
        if not any(one and (one.isalnum() or one in "_.") for one in around):
            return True
        at = name.find(key, at + 1)
    return False


def from_config(name: str, data: bytes) -> Model:
    """The model that the bytes of a config.json describe.

    Raises NotReadError, with a sentence, when they are too many, are no JSON object, or describe a
    model whose parameters cannot be counted.
    """
    if len(data) > _MAX_CONFIG:
        raise NotReadError(message("it is larger than any model's configuration"))
    try:
        config = json.loads(data)
    except (ValueError, RecursionError):
        raise NotReadError(message("it is no JSON")) from None
    if not isinstance(config, dict):
        raise NotReadError(message("it holds no object"))
    shape = read_config(config)
    if not 0 < shape.parameters < 10**13 or not shape.heads or not shape.hidden:
        raise NotReadError(message("its numbers make no model"))
    return Model(name=name, shape=shape, source="the config.json in the model's folder")


def read_shape(row: Mapping[str, Any]) -> Shape:
    """The shape of a row of shapes.json."""
    fields = {k: v for k, v in row.items() if k not in ("parameters", "source")}
    if fields.get("experts"):
        fields["experts"] = Experts(**fields["experts"])
    if fields.get("latent"):
        fields["latent"] = Latent(**fields["latent"])
    if fields.get("linear"):
        fields["linear"] = _mixer(fields["linear"])
    return Shape(**fields)


def _mixer(row: Mapping[str, Any]) -> LinearAttention | Mamba | ShortConvolution:
    """The layers that keep a state, told apart by a number that only one kind has."""
    if "state_size" in row:
        return Mamba(**row)
    return ShortConvolution(**row) if "width" in row else LinearAttention(**row)
